// evo farm up, evo farm token, evo farm status, evo farm metrics
#include <array>
#include <fstream>

#include <unistd.h>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "cli/signals.hpp"
#include "cli/verbs.hpp"
#include "farm/message.hpp"
#include "farm/metrics_server.hpp"
#include "farm/nats/presence.hpp"
#include "farm/nats/queue.hpp"
#include "farm/nats/server.hpp"
#include "farm/nats/shelf.hpp"
#include "farm/nats/users.hpp"
#include "farm/prometheus.hpp"
#include "model/error.hpp"
#include "terminal/farm_output.hpp"
#include "terminal/json_output.hpp"

namespace evo::cli {
namespace {

constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
constexpr const char* usual_farm = "nats://127.0.0.1:4222";

/// A server that listens at all addresses is reached by the machine's name: 0.0.0.0 is none elsewhere.
std::string reachable(const std::string& url, const std::string& host) {
  if (host != "0.0.0.0" && host != "::") return url;
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return url;
  return url.substr(0, url.find("://") + 3) + name.data() + url.substr(url.rfind(':'));
}

int farm_up(const Options& options) {
  const FarmUpOptions& up = options.farm_up;
  const farm::nats::ServerOptions place{
      up.host,
      up.port,
      up.folder,
      up.tokens,
      up.certificate,
      up.key,
      up.worker_nkeys,
      up.run_nkey,
      {up.max_connections, mebibyte * up.max_disk_mib, mebibyte * up.max_memory_mib}};
  farm::nats::claim_place(place);
  const farm::nats::Server server = farm::nats::prepare_server(place);
  if (!options.common.quiet) {
    const auto with = [&](const std::filesystem::path& token) {
      return token.empty() ? std::string() : " --token-file " + token.string();
    };
    const std::string url = reachable(server.url, up.host);
    fmt::print(stderr,
               "evo: farm at {}\n"
               "evo:   workers: evo worker --farm {}{}\n"
               "evo:   runs:    evo run EXPERIMENT --device virtual --farm {}{}\n",
               server.url, url, with(server.worker_token), url, with(server.run_token));
    const farm::nats::ServerLimits& limits = server.limits;
    fmt::print(stderr,
               "evo:   limits:  {} connections, {} MiB of disk, {} MiB of memory, messages of {} MiB\n",
               limits.connections, limits.disk_bytes / mebibyte, limits.memory_bytes / mebibyte,
               static_cast<std::int64_t>(farm::max_message_bytes) / mebibyte);
    if (limits.disk_bytes < farm::nats::least_disk_bytes)
      fmt::print(stderr,
                 "evo: that is less disk than the {} MiB that a farm's queues need: runs will be refused. "
                 "Make room, or take another --folder\n",
                 farm::nats::least_disk_bytes / mebibyte);
    if (!farm::nats::is_loopback(up.host) && up.certificate.empty())
      fmt::print(stderr, "evo: without --cert and --key tokens and jobs cross the network in the clear\n");
  }
  farm::nats::become_server(server);
}

/// As a run, by what stands in the folder of the server.
farm::nats::Access access_of_folder(const Options& options) {
  const std::filesystem::path folder = options.farm_token.folder;
  std::string url = options.farm.url;
  if (url.empty()) {
    std::ifstream in(folder / farm::nats::url_file);
    std::getline(in, url);
  }
  const std::string& token = options.farm.token_file;
  farm::nats::Access access =
      farm::nats::access_of(url.empty() ? usual_farm : url,
                            token.empty() ? (folder / "run.token").string() : token, options.farm.ca_file);
  access.name = "evo farm token";
  access.wait = std::chrono::seconds(10);  // it hangs up on who comes while it reads its users again
  access.inbox = "_EVO_RUN";
  return access;
}

int farm_token(const Options& options) {
  const FarmTokenOptions& token = options.farm_token;
  if (token.revoke) {
    // What its worker compiled lies there for a week, and nobody says who he was to each.
    farm::nats::revoke_worker_token(token.folder, token.name, [&](bool is_up) {
      try {
        farm::nats::clear_shelf(
            token.folder, [&] { return access_of_folder(options); }, is_up);
      } catch (const model::Exception& error) {
        throw model::Exception(
            error.code(),
            fmt::format("the token is taken back, and what its worker compiled is still there for all runs: "
                        "{}. The same command again, with --farm URL where that says more, ends it",
                        error.what()));
      }
    });
    return 0;
  }
  fmt::print("{}\n", farm::nats::add_worker_token(token.folder, token.name).string());
  return 0;
}

farm::nats::Jetstream farm_of(const Options& options, std::chrono::milliseconds patience) {
  farm::nats::Access access = farm::nats::access_of(options.farm.url.empty() ? usual_farm : options.farm.url,
                                                    options.farm.token_file, options.farm.ca_file);
  farm::nats::require_a_runs(access);
  access.name = "evo farm " + options.farm_verb;
  access.inbox = "_EVO_RUN";
  return {access, {patience, {}, {}}};
}

int farm_metrics(const Options& options) {
  const std::stop_token stop = stop_on_signals();
  farm::nats::Jetstream jetstream = farm_of(options, std::chrono::seconds(3));
  farm::nats::wait_for_first_signs(jetstream);
  farm::MetricsServer server(options.farm_metrics.host, options.farm_metrics.port, [&jetstream] {
    return farm::prometheus_text(farm::nats::status_of(jetstream));
  });
  fmt::print(stderr, "evo: metrics of the farm: {}\n", server.address());
  server.run(stop);
  return static_cast<int>(model::ExitCode::done);
}

int farm_status(const Options& options) {
  farm::nats::Jetstream jetstream = farm_of(options, std::chrono::seconds(5));
  farm::nats::wait_for_first_signs(jetstream);
  boost::json::object status = farm::nats::status_of(jetstream);
  if (options.common.json) {
    terminal::print_json(status);
    return 0;
  }
  fmt::print("{}", terminal::farm_text(status));
  return 0;
}

}  // namespace

int farm_command(const Options& options) {
  if (options.farm_verb == "up") return farm_up(options);
  if (options.farm_verb == "token") return farm_token(options);
  return options.farm_verb == "metrics" ? farm_metrics(options) : farm_status(options);
}

}  // namespace evo::cli
