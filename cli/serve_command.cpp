// evo serve RUN [RUN...]: the page of runs, live, over HTTP. Needs neither NVRTC nor a device.
#include <fmt/format.h>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "report/serve.hpp"

namespace evo::cli {

int serve_command(const Options& options) {
  const ServeOptions& wanted = options.serve;
  report::ServeSettings settings{wanted.runs, wanted.benches, wanted.host, wanted.port, wanted.token};
  if (settings.token.empty() && !report::is_loopback(settings.host)) settings.token = report::new_token();
  const std::stop_token stop = stop_on_signals([](const std::string&) {});  // it ends at once
  report::Server server(std::move(settings));
  if (!options.common.quiet) fmt::print(stderr, "evo: Ctrl-C ends it\n");
  fmt::print("{}\n", server.address());
  std::fflush(stdout);
  server.run(stop);
  return 0;
}

}  // namespace evo::cli
