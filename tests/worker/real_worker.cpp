#include "evaluators/worker/serve.hpp"
#include "tests/support/known.hpp"

int main(int argc, char** argv) {
  evo::evaluators::worker::WorkerOptions options;
  if (argc > 1) options.device = argv[1];
  return evo::evaluators::worker::worker_main(options, evo::tests::known());
}
