// The prompt of each request: its prefix, the turns before it, and its own tokens. Used by one expansion, which asks in the
// order of the list; not thread-safe.
#pragma once

#include "bench/workload/draw/drawn_law.h"
#include "bench/workload/expand/content.h"
#include "bench/workload/expand/lengths.h"
#include "bench/workload/expand/outline.h"
#include "bench/workload/planned_request.h"

#include <map>

namespace mie::bench {

class Prompts {
 public:
  Prompts(const WorkloadSpec& spec, const Inputs& inputs);  // both outlive it

  // Sets what is sent. `number`: place within its phase.
  void fill(PlannedRequest& request, Phase phase, std::size_t number, const Lengths& lengths);

 private:
  void append_prefix(std::vector<int>& ids, std::uint64_t index, std::uint64_t session);
  void append_tree(std::vector<int>& ids, std::size_t number, int length) const;
  void append_history(std::vector<int>& ids, const PlannedRequest& request, const Lengths& lengths, std::uint64_t index);
  void set_text(PlannedRequest& request, const std::vector<int>& ids, std::uint64_t index) const;
  void copy_line(PlannedRequest& request, std::size_t number) const;

  const WorkloadSpec& spec_;
  const Inputs& inputs_;
  Content content_;
  RandomStream groups_;
  std::unique_ptr<Law> zipf_;
  std::map<int, std::vector<int>> histories_;  // by session: all of its turns and answers so far
};

}  // namespace mie::bench
