// What one render owns besides the template: its budgets and the objects made on the way (namespaces, macros, loops, bound
// methods). Lives for one render, used by the thread that renders.
#pragma once

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/text/jinja/object.h"
#include "core/text/jinja/value.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace mie::jinja {

// A template is a program from a model file; these end one that does not end by itself.
struct RenderLimits {
  std::int64_t n_steps = 1'000'000;                 // nodes evaluated and items visited
  int n_calls_deep = 64;                            // macro in macro; also containers in containers
  int n_nodes_deep = 512;                           // node in node, all calls together: bounds the C++ stack
  std::size_t output_bytes = std::size_t{4} << 20;  // the prompt, and any one text made on the way
  std::size_t text_bytes = std::size_t{256} << 20;  // all texts made on the way, together
  Clock::duration time = std::chrono::milliseconds(250);
};

class Runtime {
 public:
  // `clock` must outlive the runtime.
  Runtime(const RenderLimits& limits, const Clock& clock, std::int64_t now_unix_seconds);

  [[nodiscard]] const RenderLimits& limits() const { return limits_; }
  [[nodiscard]] std::int64_t now_unix_seconds() const { return now_unix_seconds_; }

  // Takes n steps from the budget; reads the clock now and then. Errors: kTemplateLimit.
  Result<void> step(std::size_t n = 1) {
    n_steps_left_ -= static_cast<std::int64_t>(n);
    n_until_clock_ -= static_cast<std::int64_t>(n);
    if (n_steps_left_ >= 0 && n_until_clock_ >= 0) [[likely]]
      return {};
    return look_at_budget();
  }

  // To be asked before n bytes are added to a text of n_already, and before a text is searched. Errors: kTemplateLimit.
  Result<void> text(std::size_t n_bytes, std::size_t n_already = 0);
  Result<void> scan(std::size_t n_bytes) { return step(n_bytes / kBytesPerStep); }

  // A container that the template makes. Errors: kTemplateLimit if it is nested too deeply.
  Result<Value> container(Value made) const;

  // One node, macro or object inside another, for as long as the guard lives. To be followed by check_nesting().
  class Nesting {
   public:
    explicit Nesting(int& depth) : depth_(depth) { ++depth_; }
    ~Nesting() { --depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    int& depth_;
  };
  [[nodiscard]] Nesting nest_node() { return Nesting(n_nodes_deep_); }
  [[nodiscard]] Nesting nest_call() { return Nesting(n_calls_deep_); }
  [[nodiscard]] Result<void> check_nesting() const;  // Errors: kTemplateLimit

  // Makes an object that lives as long as the render.
  template <class T, class... Arguments>
  T& make(Arguments&&... arguments) {
    auto object = std::make_unique<T>(std::forward<Arguments>(arguments)...);
    T& made = *object;
    objects_.push_back(std::move(object));
    return made;
  }

 private:
  static constexpr std::size_t kBytesPerStep = 4096;  // copying so much takes about as long as a step

  Result<void> look_at_budget();

  RenderLimits limits_;
  const Clock& clock_;
  std::int64_t now_unix_seconds_;
  Clock::time_point deadline_;
  std::int64_t n_steps_left_;
  std::int64_t n_until_clock_;
  std::size_t n_text_bytes_ = 0;
  int n_nodes_deep_ = 0, n_calls_deep_ = 0;
  std::vector<std::unique_ptr<Object>> objects_;
};

}  // namespace mie::jinja
