// What the loader of the torch backend says when something is missing or does not fit.
#include "models/torch/open_torch.h"
#include "tests/fakes/synthetic_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace mie::test {
namespace {

using testing::HasSubstr;

TorchOptions small_cache() { return {.dtype = TorchDtype::kFloat32, .n_threads = 1, .n_blocks = 4, .block_size = 4}; }

Error error_of(const TorchLibraryPath& library, const SyntheticModel& model, const TorchOptions& options) {
  const auto runner = open_torch_runner(library, model.plan(), model, options, {});
  if (runner) throw std::runtime_error("it opened");
  return runner.error();
}

std::filesystem::path beside_this_program(const char* file) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / file;
}

TEST(TorchLoader, MissingLibrarySaysHowToGetIt) {
  const Error error = error_of({"nowhere/libmie_torch.so"}, SyntheticModel(small_spec(), 1), small_cache());
  EXPECT_EQ(error.code, Errc::kConfig);
  EXPECT_THAT(error.message, HasSubstr("nowhere/libmie_torch.so"));
  EXPECT_THAT(error.message, HasSubstr("-DWITH_TORCH=ON"));
}

TEST(TorchLoader, FileThatIsNoLibraryIsAnError) {
  const Error error = error_of({beside_this_program("../CMakeCache.txt")}, SyntheticModel(small_spec(), 1), small_cache());
  EXPECT_EQ(error.code, Errc::kConfig);
  EXPECT_THAT(error.message, HasSubstr("does not load"));
}

TEST(TorchLoader, LibraryOfAnotherBuildIsRefusedBeforeItRuns) {
  const Error error = error_of({beside_this_program("libforeign_torch.so")}, SyntheticModel(small_spec(), 1), small_cache());
  EXPECT_EQ(error.code, Errc::kConfig);
  EXPECT_THAT(error.message, HasSubstr("another build"));
}

TEST(TorchLoader, CudaIsNamedAsAbsent) {
  TorchOptions options = small_cache();
  options.device = "cuda";
  const Error error = error_of({}, SyntheticModel(small_spec(), 1), options);
  EXPECT_EQ(error.code, Errc::kConfig);
  EXPECT_THAT(error.message, HasSubstr("no CUDA"));
}

TEST(TorchLoader, CacheLargerThanMemoryIsAnErrorNotACrash) {
  TorchOptions options = small_cache();
  options.n_blocks = 1 << 30;
  options.block_size = 1 << 20;
  const Error error = error_of({}, SyntheticModel(small_spec(), 1), options);
  EXPECT_EQ(error.code, Errc::kConfig);
  EXPECT_THAT(error.message, HasSubstr("cannot load the model"));
}

TEST(TorchLoader, MissingTensorIsNamed) {
  const SyntheticModel model(small_spec(), 1);
  ModelPlan plan = model.plan();
  plan.tensors.back().name = "blk.1.absent";
  const auto runner = open_torch_runner({}, plan, model, small_cache(), {});
  ASSERT_FALSE(runner);
  EXPECT_EQ(runner.error().code, Errc::kModelFormat);
  EXPECT_THAT(runner.error().message, HasSubstr("blk.1.absent"));
}

TEST(TorchLoader, ProgressClimbsToTheStoredBytes) {
  const SyntheticModel model(small_spec(), 1);
  std::int64_t stored = 0, last = 0;
  for (const TensorView& view : model.tensors()) stored += static_cast<std::int64_t>(view.bytes.size());
  const auto progress = [&](std::int64_t done, std::int64_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, stored);
    last = done;
  };
  ASSERT_TRUE(open_torch_runner({}, model.plan(), model, small_cache(), progress));
  EXPECT_EQ(last, stored);
}

TEST(TorchOptions, DtypeNamesAreThoseOfTheCommandLine) {
  EXPECT_EQ(*parse_torch_dtype("bf16", "dtype"), TorchDtype::kBFloat16);
  EXPECT_EQ(*parse_torch_dtype("bfloat16", "dtype"), TorchDtype::kBFloat16);
  EXPECT_EQ(*parse_torch_dtype("fp32", "dtype"), TorchDtype::kFloat32);
  EXPECT_EQ(*parse_torch_dtype("float32", "dtype"), TorchDtype::kFloat32);
  EXPECT_EQ(*parse_torch_dtype("auto", "dtype"), TorchDtype::kAuto);
  EXPECT_EQ(parse_torch_dtype("fp16", "kv-dtype").error().param, "kv-dtype");
}

TEST(TorchOptions, KvElementsFollowTheirOwnTypeThenTheWeights) {
  EXPECT_EQ(kv_element_bytes({}), 4) << "auto is fp32";
  EXPECT_EQ(kv_element_bytes({.dtype = TorchDtype::kFloat32}), 4);
  EXPECT_EQ(kv_element_bytes({.dtype = TorchDtype::kBFloat16}), 2);
  EXPECT_EQ(kv_element_bytes({.dtype = TorchDtype::kFloat32, .kv_dtype = TorchDtype::kBFloat16}), 2);
  EXPECT_EQ(kv_element_bytes({.dtype = TorchDtype::kBFloat16, .kv_dtype = TorchDtype::kFloat32}), 4);
}

}  // namespace
}  // namespace mie::test
