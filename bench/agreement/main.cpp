// evo-agreement: does the virtual device agree with the GPU? Needs both NVRTC and a GPU.
//   evo-agreement instructions FILE.cu [SEED]
//   evo-agreement genomes EXPERIMENT COUNT [SEED]
//   evo-agreement sanitizers EXPERIMENT BUGS.yaml COUNT [SEED]   (and compute-sanitizer)
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "bench/agreement/launch_folder.hpp"
#include "bench/agreement/pair.hpp"
#include "model/error.hpp"

int main(int argc, char** argv) try {
  const std::string mode = argc > 2 ? argv[1] : "";
  if (mode == "launch" && argc == 5)  // internal: what runs under compute-sanitizer
    return evo::bench::launch_folder(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  if (mode == "sanitizers" && argc > 4) {
    const std::uint64_t seed = argc > 5 ? std::strtoull(argv[5], nullptr, 10) : 1;
    return evo::bench::compare_sanitizers(argv[2], argv[3], std::atoi(argv[4]), seed) == 0 ? 0 : 1;
  }
  const bool instructions = mode == "instructions";
  if (!instructions && !(mode == "genomes" && argc > 3)) {
    fmt::print(stderr,
               "usage: evo-agreement instructions FILE.cu [SEED] | genomes EXPERIMENT COUNT [SEED] | "
               "sanitizers EXPERIMENT BUGS.yaml COUNT [SEED]\n");
    return 2;
  }
  const int seed_at = instructions ? 3 : 4;
  const std::uint64_t seed = argc > seed_at ? std::strtoull(argv[seed_at], nullptr, 10) : 1;
  evo::bench::DevicePair pair;
  fmt::print("{}\n", pair.description());
  const int bad = instructions ? evo::bench::compare_instructions(pair, argv[2], seed)
                               : evo::bench::compare_genomes(pair, argv[2], std::atoi(argv[3]), seed);
  return bad == 0 ? 0 : 1;
} catch (const evo::model::Exception& error) {
  fmt::print(stderr, "evo-agreement: {}\n", error.what());
  return static_cast<int>(error.code());
}
