// How much of the machine others used while something was measured. Value; any thread.
#pragma once

namespace mie::native {

class ForeignCpu {
 public:
  ForeignCpu();  // the window begins

  // Share of all CPU time since construction that was spent neither idle nor in this process: other processes, interrupts,
  // and what the hypervisor gave to other guests. 0 … 1; 0 where /proc/stat cannot be read. Its unit is a clock tick of 10 ms,
  // so a window of 0.3 s on two CPUs resolves 2 %.
  [[nodiscard]] double share() const;

 private:
  struct Used {
    double all = 0, busy = 0, own = 0;  // seconds
  };
  static Used used();

  Used start_;
};

}  // namespace mie::native
