#include "cli/served_run.hpp"

#include "cli/options.hpp"
#include "model/error.hpp"

namespace evo::cli {
namespace {

std::unique_ptr<report::Server> server_of(const session::RunFolder& folder, std::uint16_t port) {
  report::ServeSettings settings;
  settings.runs = {folder.path.string()};
  settings.port = port;
  return std::make_unique<report::Server>(std::move(settings));
}

std::unique_ptr<report::Server> on_a_port(const session::RunFolder& folder,
                                          const std::optional<std::uint16_t>& port) {
  if (port) return server_of(folder, *port);
  try {
    return server_of(folder, ServeOptions{}.port);
  } catch (const model::Exception& error) {
    if (error.code() != model::ExitCode::environment) throw;
    return server_of(folder, 0);
  }
}

}  // namespace

ServedRun::ServedRun(const session::RunFolder& folder, const std::optional<std::uint16_t>& port)
    : server_(on_a_port(folder, port)),
      thread_([server = server_.get()](const std::stop_token& stop) { server->run(stop); }) {}

}  // namespace evo::cli
