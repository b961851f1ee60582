// The self-test's points that this program makes itself. Each runs on its own; those with a server take up to seconds and two
// cores. Any thread.
#pragma once

#include "bench/selftest/point.h"

namespace mie::bench {

[[nodiscard]] SelfTestPoints check_hand_values();    // 1: figures of requests whose stamps are made up
[[nodiscard]] SelfTestPoints check_stalls();         // 2: a stall is seen on the intended clock, and missed by a closed loop
[[nodiscard]] SelfTestPoints check_token_events();   // 3: events of 1 to 8 tokens
[[nodiscard]] SelfTestPoints check_statuses();       // 4: every status, once
[[nodiscard]] SelfTestPoints check_result_file();    // 9: it validates, round-trips, and means the same requests
[[nodiscard]] SelfTestPoints check_killed_run();     // 10: what a killed run leaves is no result
[[nodiscard]] SelfTestPoints check_speed();          // 11: the client against the null server
[[nodiscard]] SelfTestPoints check_exact_figures();  // 12: published lists, tables and counts
[[nodiscard]] SelfTestPoints check_counters();       // 13: a server that counted one request more
[[nodiscard]] SelfTestPoints check_withholding();    // 14: percentiles of too few values

}  // namespace mie::bench
