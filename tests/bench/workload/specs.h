// Specifications as tests write them. Pure; any thread.
#pragma once

#include "bench/workload/spec_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace mie::bench {

inline const std::filesystem::path kShipped = "conf/workloads";

// A whole specification of a few lines, and more lines after it.
inline std::string spec_text(const std::string& more, const std::string& prompt = "length = { dist = \"fixed\", value = 8 }") {
  return "schema = \"mie.workload/1\"\nname = \"t\"\nseed = 7\n" + more + "\n[prompt]\n" + prompt + "\n";
}

inline Result<WorkloadSpec> spec_of(const std::string& text) {
  const auto document = parse_document(text, "t.toml");
  if (document.has_error()) return document.error();
  return read_spec(*document);
}

inline WorkloadSpec good(const std::string& text) {
  auto spec = spec_of(text);
  EXPECT_TRUE(spec.has_value()) << (spec.has_error() ? spec.error().message : "");
  return spec.has_value() ? *spec : WorkloadSpec{};
}

inline ExpandedWorkload expanded(const WorkloadSpec& spec, const std::filesystem::path& folder = kShipped) {
  auto list = expand(spec, folder);
  EXPECT_TRUE(list.has_value()) << (list.has_error() ? list.error().message : "");
  return list.has_value() ? std::move(*list) : ExpandedWorkload{};
}

// The first cell of a shipped file.
inline WorkloadSpec shipped(const std::string& name) {
  auto file = load_spec_file((kShipped / (name + ".toml")).string());
  EXPECT_TRUE(file.has_value()) << name << ": " << (file.has_error() ? file.error().message : "");
  return file.has_value() ? file->cells.front() : WorkloadSpec{};
}

inline std::string written(const std::string& name, const std::string& text) {
  const auto path = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(path) << text;
  return path.string();
}

}  // namespace mie::bench
