#include "bench/result/result_files.h"

#include "bench/load/request_lines.h"
#include "bench/result/steps_json.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace mie::bench {
namespace {

Error bad(const std::filesystem::path& path, int number) {
  return {Errc::kConfig, path.string() + ": " + std::strerror(number), ""};
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) text.remove_prefix(static_cast<std::size_t>(n));
  }
  return ::fsync(file) == 0;
}

}  // namespace

std::optional<Error> write_whole(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path unfinished = path.string() + ".part";
  const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return bad(unfinished, errno);
  const int failed = write_all(file, text) ? 0 : errno;
  ::close(file);
  if (failed != 0) return bad(unfinished, failed);
  return std::rename(unfinished.c_str(), path.c_str()) == 0 ? std::nullopt : std::optional(bad(path, errno));
}

std::optional<Error> write_result(const RunResult& result, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return bad(folder, failed.value());
  if (auto error = write_whole(folder / "requests.jsonl", request_lines(result.records))) return error;
  if (const std::string steps = step_lines(result); !steps.empty()) {
    if (auto error = write_whole(folder / "steps.jsonl", steps)) return error;
  }
  return write_whole(folder / "result.json", result_json(result) + "\n");
}

}  // namespace mie::bench
