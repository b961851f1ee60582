#include "models/weights/mapped_file.h"

#include "models/weights/format_error.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace mie {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }

 private:
  int fd_;
};

Error system_failure(const std::string& file_name, const std::string& what) {
  return format_error(file_name, what + ": " + std::generic_category().message(errno));
}

}  // namespace

Result<MappedFile> MappedFile::open(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  // O_NONBLOCK: opening a pipe must not wait for a writer; it is refused below.
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_failure(name, "cannot be opened");
  struct stat info{};
  if (::fstat(file.get(), &info) != 0) return system_failure(name, "cannot be examined");
  if (!S_ISREG(info.st_mode)) return format_error(name, "is not a regular file");
  if (info.st_size == 0) return format_error(name, "is empty");
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (start == MAP_FAILED) return system_failure(name, "cannot be mapped");
  return MappedFile({static_cast<const std::byte*>(start), size});
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

void MappedFile::drop_resident_pages() const noexcept {
  // Advice: a failure changes nothing but memory use.
  if (!bytes_.empty()) (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);
}

}  // namespace mie
