// Exit codes of `mie`.
#pragma once

namespace mie {

inline constexpr int kExitClean = 0;
inline constexpr int kExitRequestFailed = 1;
inline constexpr int kExitConfig = 2;
inline constexpr int kExitAtOnce = 3;
inline constexpr int kExitBroken = 70;

}  // namespace mie
