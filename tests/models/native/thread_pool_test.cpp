#include "models/native/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <numeric>
#include <random>

namespace mie::native {
namespace {

class ThreadPoolOf : public ::testing::TestWithParam<int> {};

TEST_P(ThreadPoolOf, EveryItemIsDoneExactlyOnce) {
  ThreadPool pool(GetParam(), {});
  std::mt19937 rng(1);
  for (int step = 0; step < 200; ++step) {
    const ThreadPool::Step awake(pool);
    for (int region = 0; region < 20; ++region) {
      const auto n = static_cast<int>(rng() % 40), grain = static_cast<int>(1 + rng() % 5);
      std::vector<int> done(static_cast<std::size_t>(n), 0);  // an item is one thread's: no atomics needed
      pool.for_each(n, grain, [&](int item, int thread) {
        EXPECT_LT(thread, GetParam());
        ++done[static_cast<std::size_t>(item)];
      });
      EXPECT_EQ(std::accumulate(done.begin(), done.end(), 0), n);
      EXPECT_EQ(std::count(done.begin(), done.end(), 1), n);
    }
  }
}

TEST_P(ThreadPoolOf, EveryThreadRunsARegionOnce) {
  ThreadPool pool(GetParam(), {});
  std::vector<int> runs(static_cast<std::size_t>(GetParam()), 0);
  for (int i = 0; i < 1000; ++i) {
    const ThreadPool::Step awake(pool);
    pool.on_each_thread([&](int thread) { ++runs[static_cast<std::size_t>(thread)]; });
  }
  EXPECT_EQ(runs, std::vector<int>(static_cast<std::size_t>(GetParam()), 1000));
}

TEST_P(ThreadPoolOf, WorkersSleepBetweenStepsAndWakeForTheNext) {
  ThreadPool pool(GetParam(), {});
  for (int i = 0; i < 5; ++i) {
    const ThreadPool::Step awake(pool);
    pool.on_each_thread([](int) {});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const std::clock_t before = std::clock();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 50);  // of all threads: under a tenth of the time slept
  const ThreadPool::Step awake(pool);
  int sum = 0;
  pool.for_each(10, 10, [&](int item, int) { sum += item; });
  EXPECT_EQ(sum, 45);
}

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolOf, ::testing::Values(1, 2, 3, 4));

TEST(KeptAffinity, GivesAPinnedThreadItsCoresBack) {
  const std::vector<int> before = allowed_cores();
  {
    const KeptAffinity kept;
    pin_this_thread(before.back());
    EXPECT_EQ(allowed_cores(), std::vector<int>{before.back()});
  }
  EXPECT_EQ(allowed_cores(), before);
}

}  // namespace
}  // namespace mie::native
