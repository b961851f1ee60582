#include "core/sched/plan_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

namespace mie {
namespace {

// What the plan does with one sequence.
enum class Fate { kLeftAlone, kRuns, kEvicted, kRejected, kLate };

class PlanCheck {
 public:
  PlanCheck(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, const StepPlan& plan)
      : seqs_(seqs), budget_(budget), limits_(limits), plan_(plan), fates_(seqs.size(), Fate::kLeftAlone) {
    for (std::size_t i = 0; i < seqs.size(); ++i) index_of_.emplace(seqs[i].id, i);
  }

  std::vector<std::string> run() {
    assign_fates();
    if (!broken_.empty()) return std::move(broken_);  // the rest would only repeat it
    for (const Scheduled& row : plan_.run) check_row(row);
    check_budgets();
    check_evictions();
    check_rejections();
    check_deadlines();
    check_newcomers();
    check_progress();
    return std::move(broken_);
  }

 private:
  template <class... Args>
  void expect(bool kept, fmt::format_string<Args...> broken, Args&&... args) {
    if (!kept) broken_.push_back(fmt::format(broken, std::forward<Args>(args)...));
  }

  const SeqView& seq_of(RequestId id) const { return seqs_[index_of_.at(id)]; }

  std::int64_t blocks(std::int64_t n_tokens) const { return (n_tokens + budget_.block_size - 1) / budget_.block_size; }

  // Blocks that are free before the row and not after it.
  std::int64_t taken(const Scheduled& row) const {
    const SeqView& seq = seq_of(row.id);
    return row.n_new_blocks + (seq.running ? 0 : seq.n_own_blocks);
  }

  std::int64_t lacking(const SeqView& seq, int n_tokens) const {
    return std::max<std::int64_t>(0, blocks(std::int64_t{seq.n_computed} + n_tokens) - seq.n_blocks);
  }

  bool never_fits(const SeqView& seq) const { return blocks(seq.max_total) > budget_.n_blocks; }

  void assign(RequestId id, Fate fate) {
    const auto found = index_of_.find(id);
    expect(found != index_of_.end(), "request {}: unknown", id.value());
    if (found == index_of_.end()) return;
    expect(fates_[found->second] == Fate::kLeftAlone, "request {}: named twice", id.value());
    fates_[found->second] = fate;
  }

  void assign_fates() {
    for (const RequestId id : plan_.evict) assign(id, Fate::kEvicted);
    for (const RequestId id : plan_.reject) assign(id, Fate::kRejected);
    for (const RequestId id : plan_.late) assign(id, Fate::kLate);
    for (const Scheduled& row : plan_.run) assign(row.id, Fate::kRuns);
  }

  void check_row(const Scheduled& row) {
    const auto id = row.id.value();
    const SeqView& seq = seq_of(row.id);
    expect(row.first_position == seq.n_computed, "request {}: starts at {}, computed are {}", id, row.first_position,
           seq.n_computed);
    const int n_own = row.n_tokens - row.n_drafts;
    expect(n_own >= 1 && n_own <= seq.n_pending(), "request {}: {} rows, pending are {}", id, n_own, seq.n_pending());
    expect(row.n_drafts >= 0 && row.n_drafts <= seq.n_drafts, "request {}: {} drafts of {}", id, row.n_drafts, seq.n_drafts);
    expect(row.n_drafts == 0 || (seq.running && seq.decodes()), "request {}: drafts, but does not decode", id);
    expect(row.n_tokens <= limits_.max_prefill_chunk, "request {}: a chunk of {} rows", id, row.n_tokens);
    expect(row.n_new_blocks == lacking(seq, row.n_tokens), "request {}: takes {} blocks, lacks {}", id, row.n_new_blocks,
           lacking(seq, row.n_tokens));
    expect(row.samples == (n_own == seq.n_pending() && seq.n_total < seq.max_total),
           "request {}: samples before its last token, or not at it", id);
  }

  void check_budgets() {
    std::int64_t n_tokens = 0, n_drafts = 0, n_new_blocks = 0, n_free = budget_.n_free_blocks;
    for (const Scheduled& row : plan_.run) {
      n_drafts += row.n_drafts;
      n_tokens += row.n_tokens;
      n_new_blocks += taken(row);
    }
    for (const RequestId id : plan_.evict) n_free += seq_of(id).n_own_blocks;
    expect(n_tokens <= limits_.max_tokens, "{} rows in the step", n_tokens);
    expect(n_drafts == 0 || n_tokens <= limits_.draft_rows, "{} rows in a step with drafts", n_tokens);
    expect(n_drafts == 0 || plan_.evict.empty(), "drafts and an eviction in one step");
    expect(std::cmp_less_equal(plan_.run.size(), limits_.max_seqs), "{} sequences in the step", plan_.run.size());
    expect(n_new_blocks <= n_free, "takes {} blocks of {}", n_new_blocks, n_free);
  }

  void check_evictions() {
    std::int64_t n_free = budget_.n_free_blocks;  // with all evicted but the last
    std::size_t youngest = seqs_.size();
    while (youngest > 0 && !seqs_[youngest - 1].running) --youngest;
    for (const RequestId id : plan_.evict) {
      expect(youngest > 0 && seqs_[youngest - 1].id == id, "request {}: evicted, but is not the youngest running", id.value());
      if (youngest > 0) --youngest;
      if (id != plan_.evict.back()) n_free += seq_of(id).n_own_blocks;
    }
    if (plan_.evict.empty()) return;
    std::int64_t n_needed = lacking(seq_of(plan_.evict.back()), 1);
    for (const Scheduled& row : plan_.run) n_needed += taken(row);
    expect(n_needed > n_free, "request {}: evicted without need", plan_.evict.back().value());
  }

  void check_rejections() {
    for (std::size_t i = 0; i < seqs_.size(); ++i) {
      const bool due = !seqs_[i].running && never_fits(seqs_[i]);
      expect(fates_[i] != Fate::kRejected || due, "request {}: rejected, but could fit", seqs_[i].id.value());
      expect(fates_[i] == Fate::kRejected || !due, "request {}: can never fit and is left waiting", seqs_[i].id.value());
    }
  }

  void check_deadlines() {
    for (std::size_t i = 0; i < seqs_.size(); ++i) {
      const SeqView& seq = seqs_[i];
      const bool due = !seq.running && !never_fits(seq) && seq.n_total - seq.n_computed > seq.n_timely;
      expect(fates_[i] != Fate::kLate || due, "request {}: given up, but not late", seq.id.value());
      expect(fates_[i] == Fate::kLate || !due, "request {}: late, and left waiting", seq.id.value());
    }
  }

  void check_newcomers() {
    std::int64_t n_active = -static_cast<std::int64_t>(plan_.evict.size());
    std::int64_t n_newcomers = 0;
    bool line_stopped = false;
    for (std::size_t i = 0; i < seqs_.size(); ++i) {
      n_active += seqs_[i].running ? 1 : 0;
      if (seqs_[i].running || fates_[i] == Fate::kRejected || fates_[i] == Fate::kLate) continue;
      const bool enters = fates_[i] == Fate::kRuns;
      expect(!(enters && line_stopped), "request {}: overtakes", seqs_[i].id.value());
      line_stopped = line_stopped || !(enters || seqs_[i].held);
      n_newcomers += enters ? 1 : 0;
    }
    if (n_newcomers == 0) return;
    expect(n_active + n_newcomers <= limits_.max_seqs, "{} sequences active", n_active + n_newcomers);
    expect(plan_.evict.empty(), "admits and evicts in one step");
    check_newcomers_last();
    check_headroom();
  }

  // What stays free covers what all that run may need for a block's length of tokens more.
  void check_headroom() {
    std::int64_t n_free = budget_.n_free_blocks;
    for (std::size_t i = 0; i < seqs_.size(); ++i) {
      const SeqView& seq = seqs_[i];
      if (!seq.running && fates_[i] != Fate::kRuns) continue;
      const std::int64_t n_reach = std::min<std::int64_t>(seq.max_total, std::int64_t{seq.n_total} + budget_.block_size);
      n_free -= std::max<std::int64_t>(0, blocks(n_reach) - seq.n_blocks) + (seq.running ? 0 : seq.n_own_blocks);
    }
    expect(n_free >= 0, "newcomers leave {} blocks too few for the next tokens", -n_free);
  }

  // Rows of newcomers stand behind those of running sequences, in the order of the line.
  void check_newcomers_last() {
    std::size_t last = 0;
    for (const Scheduled& row : plan_.run) {
      const std::size_t i = index_of_.at(row.id);
      const std::size_t place = seqs_[i].running ? 0 : i + 1;
      expect(place >= last, "request {}: its row is out of order", row.id.value());
      last = place;
    }
  }

  void check_progress() {
    if (!plan_.run.empty()) return;
    const auto could_run = [&](const SeqView& s) {
      return s.running || !(never_fits(s) || s.held || s.n_total - s.n_computed > s.n_timely);
    };
    const auto oldest = std::find_if(seqs_.begin(), seqs_.end(), could_run);
    if (oldest == seqs_.end()) return;
    std::int64_t n_within_reach = budget_.n_free_blocks - (oldest->running ? 0 : oldest->n_own_blocks);
    for (const SeqView& seq : seqs_) n_within_reach += seq.running && seq.id != oldest->id ? seq.n_own_blocks : 0;
    const int n_tokens = oldest->running ? 1 : oldest->max_total - oldest->n_computed;
    expect(lacking(*oldest, n_tokens) > n_within_reach, "request {}: could run, and nothing does", oldest->id.value());
  }

  std::span<const SeqView> seqs_;
  KvBudget budget_;
  StepLimits limits_;
  const StepPlan& plan_;
  std::unordered_map<RequestId, std::size_t> index_of_;
  std::vector<Fate> fates_;  // by index into seqs_
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> plan_check(std::span<const SeqView> seqs, KvBudget budget, StepLimits limits, const StepPlan& plan) {
  return PlanCheck(seqs, budget, limits, plan).run();
}

}  // namespace mie
