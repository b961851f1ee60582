"""Bugs to plant: one change a mutant, in what keeps blocks, tables, prefixes, plans, positions and streams right.

Each names a file, a piece of its text that occurs once, and what takes its place. run.py plants them one by one."""

from typing import NamedTuple


class Mutant(NamedTuple):
    file: str
    text: str
    planted: str
    bug: str


MUTANTS = [
    Mutant("kv/block_pool.cpp", "if (n > n_free()) return false;", "if (n > n_free() + 1) return false;", "a pool hands out one too many"),
    Mutant("kv/block_pool.cpp", "if (--released.n_references > 0) return;", "--released.n_references;", "a shared block is free after its first release"),
    Mutant("kv/block_pool.cpp", "at(*block).n_references = 1;", "at(*block).n_references = 2;", "a taken block can never become free"),
    Mutant("kv/block_pool.cpp", "if (!released.kept) return free_.push_back(block);", "return free_.push_back(block);", "a kept block is free and indexed"),
    Mutant("kv/block_pool.cpp", "cached_.push_back(released);", "cached_.push_front(released);", "the block released last is evicted first"),
    Mutant("kv/block_table.cpp", "return {blocks_[static_cast<std::size_t>(position / block_size_)],", "return {blocks_[static_cast<std::size_t>((position + 1) / block_size_)],", "the last slot of a block is looked for in the next"),
    Mutant("kv/block_table.cpp", "while (n_blocks() > n) {", "while (n_blocks() > n + 1) {", "a table keeps a block"),
    Mutant("kv/block_table.cpp", "  pool_->share(block);\n  pool_->release(std::exchange", "  pool_->release(std::exchange", "a block is put into a table without a reference"),
    Mutant("kv/reservation.cpp", "if (committed_) return;\n", "return;\n", "a failed step keeps its blocks"),
    Mutant("kv/prefix_index.cpp", "if (before != 0) salt = {};", "salt = {};", "salts do not keep apart"),
    Mutant("kv/prefix_index.cpp", "look_up(key(match.last, salt,", "look_up(key(0, salt,", "a block is found whatever is before it"),
    Mutant("kv/prefix_index.cpp", "    erase(*oldest);\n", "", "an evicted block is still found"),
    Mutant("kv/prefix_index.cpp", "if (const auto known = look_up(wanted); known >= 0) return BlockId(known);", "", "content is indexed twice"),
    Mutant("core/engine/prefix_sharing.cpp", "(live.seq.n_total() - 1) / block_size_, start.match", "live.seq.n_total() / block_size_, start.match", "nothing of a prompt is left to compute"),
    Mutant("core/engine/prefix_sharing.cpp", "(live.n_published + 1) * block_size_ <= seq.n_computed()", "(live.n_published + 1) * block_size_ <= seq.n_total()", "a block is indexed one token too early"),
    Mutant("core/engine/prefix_sharing.cpp", "live.start.n_copied = (live.seq.n_prompt() - 1) % block_size_;", "live.start.n_copied = live.seq.n_prompt() % block_size_;", "a choice starts behind its prompt"),
    Mutant("core/engine/prefix_sharing.cpp", "source.blocks().blocks()[static_cast<std::size_t>(n_full)]", "source.blocks().blocks()[0]", "a choice copies the wrong block"),
    Mutant("core/engine/live_requests.cpp", "live.n_published = static_cast<int>(live.start.match.blocks.size());", "live.n_published = 0;", "a newcomer believes what it found not to be indexed"),
    Mutant("core/engine/live_requests.cpp", "a->rank != b->rank ? a->rank < b->rank : a->seq.id() < b->seq.id()", "a->seq.id() < b->seq.id()", "priority has no effect"),
    Mutant("core/engine/batch_pack.cpp", "batch.positions.push_back(position);", "batch.positions.push_back(position + 1);", "positions are off by one"),
    Mutant("core/engine/batch_pack.cpp", "for (const BlockId block : row.new_blocks) tables.push_back(block.value());", "for (std::size_t i = row.new_blocks.size(); i > 0; --i) tables.push_back(row.new_blocks[i - 1].value());", "new blocks are mapped in reverse"),
    Mutant("core/engine/batch_pack.cpp", "wanted.position = seq.n_total() + i;", "wanted.position = seq.n_total();", "drafts are drawn at one position"),
    Mutant("core/sequence.cpp", "  blocks_.clear();\n  n_computed_ = 0;\n  check();", "  blocks_.clear();\n  check();", "a preempted sequence keeps its count of computed tokens"),
    Mutant("core/sched/step_builder.cpp", "n_free_ += seq.n_own_blocks;", "n_free_ += seq.n_blocks;", "an eviction is believed to free shared blocks"),
    Mutant("core/sched/step_builder.cpp", "whole ? seq.max_total : seq.n_total + budget_.block_size", "whole ? seq.max_total : seq.n_total + 1", "newcomers leave no headroom"),
    Mutant("core/sched/step_builder.cpp", "return seat_free && n_tokens_left_ > 0", "return (seat_free || true) && n_tokens_left_ > 0", "more sequences run than may"),
    Mutant("core/sched/step_builder.cpp", "const SeqView& seq = running_[--n_kept_];", "const SeqView& seq = running_[0]; --n_kept_;", "the oldest is evicted"),
    Mutant("core/sched/step_builder.cpp", "return never_fits(seq) || seq.late() ||", "return never_fits(seq) ||", "one who is given up is admitted"),
    Mutant("core/engine/engine_step.cpp", "if (requests_.running().empty()) return;", "", "an idle engine gives up instead of trying"),
    Mutant("core/sched/step_builder.cpp", ".first_position = seq.n_computed,", ".first_position = 0,", "every chunk starts at the front"),
    Mutant("core/engine/engine_core.cpp", "for (auto& [stream, batch] : outbox_) stream->push(std::move(batch));\n", "if (outbox_.size() > 1) outbox_.pop_back();\n  for (auto& [stream, batch] : outbox_) stream->push(std::move(batch));\n", "an event is dropped"),
    Mutant("core/engine/engine_commit.cpp", "outbox_.emplace_back(live.stream, TokenBatch{.tokens = std::move(tokens)});", "outbox_.emplace_back(live.stream, TokenBatch{.tokens = tokens});\n    outbox_.emplace_back(live.stream, TokenBatch{.tokens = std::move(tokens)});", "a token is sent twice"),
    Mutant("core/engine/token_stream.cpp", "to.insert(to.end(),", "to.insert(to.begin(),", "tokens that pile up are read in reverse"),
    Mutant("core/engine/token_stream.cpp", "co_return std::exchange(pending_, {});", "co_return pending_;", "what was read stays in the stream"),
    Mutant("core/engine/mailbox.cpp", "mail_.submitted.insert(mail_.submitted.end(),", "mail_.submitted.insert(mail_.submitted.begin(),", "who comes later goes first"),
]
