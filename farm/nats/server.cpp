#include "farm/nats/server.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>

#include <fcntl.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fmt/format.h>

#include "farm/message.hpp"
#include "farm/nats/connection.hpp"
#include "farm/nats/users.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace fs = std::filesystem;

constexpr const char* disk_file = "disk_bytes";
constexpr std::size_t header_room = std::size_t{64} << 10;
/// Of one connection: an end of a farm has fewer than ten.
constexpr int most_subscriptions = 256;
/// For an end that does not read, which is put out beyond that: as libnats keeps for one that reads slowly.
constexpr int server_pending_bytes = 64 << 20;

[[noreturn]] void cannot(const std::string& text) {
  throw model::Exception(model::ExitCode::environment, text);
}

/// errno of why nobody can; 0: somebody can, or it is not known.
int cannot_listen(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) return 0;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  const int probe = ::socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, found->ai_protocol);
  if (probe < 0) return 0;
  // As the server does: what ended a moment ago is not in its way.
  const int reuse = 1;
  ::setsockopt(probe, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse);
  const int why = ::bind(probe, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
  ::close(probe);
  return why == EADDRINUSE || why == EADDRNOTAVAIL || why == EACCES ? why : 0;
}

void require_nkeys(const ServerOptions& options) {
  std::vector<std::string> keys = options.worker_nkeys;
  if (keys.empty()) keys.emplace_back();  // is none either
  keys.push_back(options.run_nkey);
  for (const std::string& key : keys) {
    if (is_user_nkey(key)) continue;
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format(
            "'{}' is no public NKey of a user: U and 55 letters A to Z and digits 2 to 7, for workers "
            "and for runs",
            key));
  }
  if (std::ranges::count(options.worker_nkeys, options.run_nkey) > 0)
    throw model::Exception(model::ExitCode::usage, "workers and runs need NKeys of their own");
}

void require_limits(const ServerLimits& limits) {
  const auto too_little = [](const char* what, std::int64_t least) {
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("a farm's server has {} of at least {}", what, least));
  };
  if (limits.connections < least_connections) too_little("a limit of connections", least_connections);
  if (limits.disk_bytes != 0 && limits.disk_bytes < least_disk_bytes)
    too_little("a limit of bytes on its disk", least_disk_bytes);
  if (limits.memory_bytes < least_memory_bytes) too_little("a limit of bytes in memory", least_memory_bytes);
}

/// What belongs together is there together.
void require_pairs(const ServerOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw model::Exception(model::ExitCode::usage, "a certificate needs its key, and a key its certificate");
  if (!options.worker_nkeys.empty() || !options.run_nkey.empty()) require_nkeys(options);
  require_limits(options.limits);
}

std::string limits_text(const ServerLimits& limits) {
  return fmt::format("max_payload: {}\nmax_connections: {}\nmax_subscriptions: {}\nmax_pending: {}\n",
                     max_message_bytes + header_room, limits.connections, most_subscriptions,
                     server_pending_bytes);
}

}  // namespace

std::int64_t usual_disk_bytes(const fs::path& folder) {
  constexpr std::int64_t most = std::int64_t{8} << 30;
  std::error_code error;
  const fs::space_info disk = fs::space(folder, error);
  if (error) return most;
  // What an earlier server of this folder has kept is not another's.
  std::int64_t kept = 0;
  auto file = fs::recursive_directory_iterator(folder / store_folder, error);
  for (; !error && file != fs::recursive_directory_iterator(); file.increment(error)) {
    std::error_code gone;
    const std::uintmax_t bytes = file->is_regular_file(gone) ? file->file_size(gone) : 0;
    if (!gone) kept += static_cast<std::int64_t>(bytes);
  }
  return std::min(most, static_cast<std::int64_t>(disk.available) / 4 * 3 + kept);
}

std::int64_t kept_disk_bytes(const fs::path& folder) {
  std::int64_t bytes = 0;
  std::ifstream in(folder / disk_file);
  return in >> bytes && bytes >= least_disk_bytes ? bytes : usual_disk_bytes(folder);
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void claim_place(const ServerOptions& options) {
  require_pairs(options);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) cannot(fmt::format("{}: {}", options.folder.string(), error.message()));
  const UsersLock users(options.folder);
  // Not closed by exec: the server keeps it as long as it lives.
  const int folder = ::open((options.folder / "lock").c_str(), O_RDWR | O_CREAT, 0600);
  if (folder < 0) cannot(fmt::format("{}: {}", (options.folder / "lock").string(), std::strerror(errno)));
  if (::flock(folder, LOCK_EX | LOCK_NB) != 0)
    cannot(fmt::format("{}: a server that runs keeps its queues there. Another one needs another --folder",
                       options.folder.string()));
  if (const int why = cannot_listen(options.host, options.port); why != 0) {
    ::close(folder);
    // The package of nats-server starts one as it is installed, at NATS's usual port and without JetStream.
    const bool packaged = why == EADDRINUSE && options.port == usual_port;
    cannot(fmt::format(
        "{} port {}: {}{}{}", options.host, options.port, std::strerror(why),
        why == EADDRINUSE ? ". evo farm status says whether a farm is there; --port takes another" : "",
        packaged ? "; systemctl disable --now nats-server ends one that its package has started" : ""));
  }
}

Server prepare_server(const ServerOptions& options) {
  require_pairs(options);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) cannot(fmt::format("{}: {}", options.folder.string(), error.message()));
  const fs::path folder = fs::canonical(options.folder);
  // Of a server that was killed: its number may be a stranger's by now.
  fs::remove(pid_file(folder), error);
  Server server;
  server.config = folder / "nats.conf";
  server.limits = options.limits;
  if (server.limits.disk_bytes == 0) server.limits.disk_bytes = kept_disk_bytes(folder);
  write_private(folder / disk_file, fmt::format("{}\n", server.limits.disk_bytes));
  const bool secure = !options.certificate.empty();
  const std::string host =
      options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";  // IPv6
  server.url = fmt::format("{}://{}:{}", secure ? "tls" : "nats", host, options.port);
  std::string text = fmt::format(
      "# Written by evo farm up; written anew each time.\nlisten: \"{}:{}\"\nserver_name: evo-farm\n{}"
      "jetstream {{\n  store_dir: \"{}\"\n  max_file_store: {}\n  max_memory_store: {}\n}}\npid_file: "
      "\"{}\"\ninclude \"{}\"\n",
      sayable(host), options.port, limits_text(server.limits), sayable((folder / store_folder).string()),
      server.limits.disk_bytes, server.limits.memory_bytes, sayable(pid_file(folder).string()), users_file);
  if (secure) {
    text += fmt::format("tls {{\n  cert_file: \"{}\"\n  key_file: \"{}\"\n}}\n",
                        sayable(fs::absolute(options.certificate).string()),
                        sayable(fs::absolute(options.key).string()));
  }
  if (!options.worker_nkeys.empty() || !options.run_nkey.empty()) {
    write_nkey_users(folder, options.worker_nkeys, options.run_nkey);
  } else if (options.tokens || !is_loopback(options.host)) {
    server.worker_token = folder / "worker.token";
    server.run_token = folder / "run.token";
    write_token_users(folder);
  } else {
    write_no_users(folder);
  }
  write_private(server.config, text);
  write_private(folder / url_file, server.url + "\n");
  return server;
}

void become_server(const Server& server) {
  const std::string config = server.config.string();
  std::string program = "nats-server", option = "-c", file = config;
  std::array<char*, 4> arguments{program.data(), option.data(), file.data(), nullptr};
  ::execvp("nats-server", arguments.data());
  // Debian has it where only root's PATH looks.
  ::execv("/usr/sbin/nats-server", arguments.data());
  cannot(fmt::format("nats-server cannot be started: {}. On Debian and Ubuntu: apt-get install nats-server",
                     std::strerror(errno)));
}

}  // namespace evo::farm::nats
