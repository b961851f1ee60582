// The formulas of a decoder in double precision and plain loops, from its papers. Pure functions. Test code.
#pragma once

#include "models/model_spec.h"

#include <cstddef>
#include <span>
#include <vector>

namespace mie::test {

using Vector = std::vector<double>;

[[nodiscard]] Vector multiply(const std::vector<float>& matrix, const Vector& x);  // [out, in] times [in]
[[nodiscard]] Vector normalise(const std::vector<float>& weight, const Vector& x, double eps);
void add(Vector& x, const Vector& y);
[[nodiscard]] double activate(Activation activation, double x);

// Turns each head of `heads` for a position.
void rotate(const ModelSpec& spec, Vector& heads, std::size_t position);

// Head `head` of the newest query against all keys and values, added to `out` at the head's place.
void attend(const ModelSpec& spec, std::size_t head, const Vector& q, std::span<const Vector> keys,
            std::span<const Vector> values, Vector& out);

}  // namespace mie::test
