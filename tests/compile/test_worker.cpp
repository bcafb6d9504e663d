// The compile worker as the tests start it, and workers that misbehave.
#include <cstdlib>
#include <fstream>
#include <string>

#include "evaluators/compile/worker_main.hpp"
#include "evaluators/process/child.hpp"

namespace compile = evo::evaluators::compile;
namespace process = evo::evaluators::process;

namespace {

bool greet() {
  return process::write_stdout_frame(
      compile::encode(compile::WorkerGreeting{{}, "NVRTC 0.0", {}, {}, false, false}));
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "compile-worker") return compile::compile_worker_main();
  // Dies at its first request, once: the marker file tells a later one to work.
  if (mode == "crash-once" && argc > 2) {
    if (std::ifstream(argv[2]).good()) return compile::compile_worker_main();
    if (!greet()) return 1;
    if (process::read_stdin_frame()) std::ofstream(argv[2]) << "crashed\n";
    std::abort();
  }
  if (mode == "crash-always") {
    if (!greet()) return 1;
    if (process::read_stdin_frame()) std::abort();
    return 1;
  }
  if (mode == "nonsense") {
    if (!greet()) return 1;
    while (process::read_stdin_frame()) {
      if (!process::write_stdout_frame("what?")) return 1;
    }
    return 0;
  }
  if (mode == "no-greeting") return 3;
  return 99;
}
