// Bugs that tests plant around the engine, to see that the checks find them. Value.
#pragma once

namespace mie::sim {

enum class PlantedBug {
  kNone,
  kSwappedBlocks,     // now and then the model sees two entries of a block table exchanged
  kLostToken,         // now and then a reader misses the first token of a batch
  kOvertaking,        // now and then the scheduler sees the waiting line turned around
  kForgottenRelease,  // some readers never release
};

}  // namespace mie::sim
