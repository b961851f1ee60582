// A CSV file whose first line names its columns, read line by line. Used by one reader; not thread-safe.
#pragma once

#include "core/base/error.h"

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mie::bench {

class CsvFile {
 public:
  // Errors: kConfig: the file cannot be read, or lacks one of the columns.
  static Result<CsvFile> open(const std::string& path, const std::vector<std::string>& columns);

  bool next();  // to the next line that is not empty; false after the last

  [[nodiscard]] std::string_view text(std::string_view column) const;  // empty where the line is short
  [[nodiscard]] std::optional<double> number(std::string_view column) const;
  [[nodiscard]] std::optional<int> count(std::string_view column) const;  // whole, not negative; "12.0" is 12

  [[nodiscard]] Error fault(std::string_view column, std::string_view text) const;  // "{file}:{line}: {column} {text}"

 private:
  std::string name_;
  std::ifstream in_;
  std::map<std::string, std::size_t, std::less<>> columns_;
  std::vector<std::string> cells_;
  long line_ = 1;
};

}  // namespace mie::bench
