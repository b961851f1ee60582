#include "bench/workload/spec_file.h"

#include "bench/workload/spec/sweep.h"

namespace mie::bench {

Result<SpecFile> load_spec_file(const std::string& path) {
  auto file = read_text_file(path);
  if (file.has_error()) return file.error();
  const std::filesystem::path where(path);
  const auto document = parse_document(*file, where.filename().string());
  if (document.has_error()) return document.error();
  const auto cells = expand_sweep(*document);
  if (cells.has_error()) return cells.error();
  SpecFile loaded{.verbatim = std::move(*file),
                  .folder = where.parent_path(),
                  .cells = {},
                  .swept = find(document->root, "sweep") != nullptr};
  for (const Document& cell : *cells) {
    auto spec = read_spec(cell);
    if (spec.has_error()) return spec.error();
    loaded.cells.push_back(std::move(*spec));
  }
  return loaded;
}

}  // namespace mie::bench
