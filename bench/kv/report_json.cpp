#include "bench/kv/oracles.h"
#include "bench/kv/report.h"
#include "core/base/build_info.h"
#include "server/json/response_write.h"

namespace mie::bench {
namespace {

using json::JsonWriter;

void write(JsonWriter& out, const std::optional<Resident>& resident) {
  out.key("resident");
  if (!resident) {
    out.null();
    return;
  }
  out.begin_object().member("expected_bytes", resident->expected_bytes).member("measured_bytes", resident->measured_bytes);
  out.member("tolerance_bytes", resident->tolerance_bytes).member("agrees", resident->agrees()).end_object();
}

void write(JsonWriter& out, std::string_view name, const Capacity& way) {
  out.key(name).begin_object().member("blocks", way.n_blocks).member("reserved_slots", way.reserved_slots);
  out.member("used_slots", way.used_slots).member("capacity_by_mean", way.by_mean).member("pool_blocks", way.pool_blocks);
  out.member("admitted", way.admitted).member("table_bytes", way.table_bytes).end_object();
}

void write(JsonWriter& out, const LengthList& list) {
  out.begin_object().member("name", std::string_view(list.name)).member("lengths", std::ssize(list.lengths));
  out.member("tokens", list.sum()).member("sha256", std::string_view(list.sha256())).member("exact", list_exact(list));
  out.end_object();
}

void write(JsonWriter& out, const CapacityRow& row) {
  out.begin_object().member("list", std::string_view(row.list)).member("block_size", row.block_size);
  out.key("reserved_mib").number(row.reserved_mib()).key("saved_percent").number(row.saved_percent());
  out.key("waste_mib").number(row.waste_mib()).key("waste_percent").number(row.waste_percent());
  out.key("times_contiguous").number(row.times_contiguous()).member("pool_bytes", row.pool_bytes);
  write(out, "closed_form", row.closed);
  write(out, "live_pool", row.live);
  write(out, row.resident);
  out.member("exact", capacity_exact(row)).member("ways_agree", row.ways_agree()).end_object();
}

void write(JsonWriter& out, const ExactCase& one) {
  out.begin_object().member("what", std::string_view(one.what)).member("published", std::string_view(one.expected));
  out.member("closed_form", std::string_view(one.closed)).member("live_pool", std::string_view(one.live));
  write(out, one.resident);
  out.member("exact", one.exact()).end_object();
}

void write(JsonWriter& out, const SharingRow& row) {
  out.begin_object().member("block_size", row.block_size).member("unshared", row.unshared).member("closed_form", row.closed);
  out.member("live_pool", row.live).key("saved_percent").number(row.saved_percent()).end_object();
}

void write(JsonWriter& out, const GrowthRow& row) {
  const GrowthFigures& figures = row.figures;
  out.begin_object().member("list", std::string_view(row.list)).member("block_size", row.setting.block_size);
  out.member("reserve", row.setting.reserve == Reserve::kWhole ? "whole" : "growing");
  out.member("pool_blocks", row.setting.n_blocks).member("steps", figures.n_steps).member("sampled", figures.n_sampled);
  out.member("computed", figures.n_computed).member("recomputed", figures.n_recomputed);
  out.member("preemptions", figures.n_preemptions).member("most_running", figures.most_running);
  out.key("mean_running").number(figures.mean_running).key("mean_utilisation").number(figures.mean_utilisation);
  out.key("mean_waste").number(figures.mean_waste).member("conserves", row.conserves()).end_object();
}

void write(JsonWriter& out, const StepTime& time) {
  out.begin_object().member("context", time.context).member("block_size", time.block_size);
  out.key("seconds").number(time.seconds).key("min_seconds").number(time.min).key("max_seconds").number(time.max);
  out.key("foreign_cpu").number(time.foreign_cpu).end_object();
}

template <class Row>
void write_all(JsonWriter& out, std::string_view name, const std::vector<Row>& rows) {
  out.key(name).begin_array();
  for (const Row& row : rows) write(out, row);
  out.end_array();
}

std::string_view mode_name(ResidentMode mode) {
  switch (mode) {
    case ResidentMode::kScaled:
      return "scaled";
    case ResidentMode::kFull:
      return "full";
    case ResidentMode::kOff:
      break;
  }
  return "off";
}

}  // namespace

std::string as_json(const KvReport& report) {
  const BuildInfo build = build_info();
  JsonWriter out;
  out.begin_object().member("schema", "mie.kv/1").member("version", build.version).member("commit", build.commit);
  out.member("seed", static_cast<std::int64_t>(kKvSeed)).member("bytes_per_token", kv_shape(1).bytes_per_token());
  out.member("memory_bytes", kKvMemoryBytes).member("longest_sequence", kLongestSequence);
  out.member("resident_mode", mode_name(report.resident));
  write_all(out, "lists", report.lists);
  write_all(out, "capacity", report.capacity);
  write_all(out, "cases", report.cases);
  out.key("shared_prefix").begin_object().member("sequences", report.prefix.n_sequences);
  out.member("prefix_tokens", report.prefix.prefix_tokens).member("own_tokens", report.prefix.own_tokens);
  write_all(out, "rows", report.sharing);
  out.end_object();
  write_all(out, "growth", report.growth);
  out.key("model");
  report.model.empty() ? out.null() : out.string(report.model);
  write_all(out, "step_times", report.times);
  out.key("failures").begin_array();
  for (const std::string& line : report.failures()) out.string(line);
  out.end_array().end_object();
  return out.take() + "\n";
}

}  // namespace mie::bench
