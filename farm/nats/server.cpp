#include "farm/nats/server.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>

#include <fcntl.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "farm/message.hpp"
#include "farm/nats/connection.hpp"
#include "model/error.hpp"

namespace evo::farm::nats {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t header_room = std::size_t{64} << 10;

[[noreturn]] void cannot(const std::string& text) {
  throw model::Exception(model::ExitCode::environment, text);
}

/// What stands between quotes in the configuration.
const std::string& sayable(const std::string& text) {
  if (text.find_first_of("\"\\\n\r") != std::string::npos)
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("'{}' has a quote, a backslash or a line end", text));
  return text;
}

void write_private(const fs::path& file, const std::string& text) {
  const fs::path fresh = file.string() + ".new";
  std::error_code ignored;
  fs::remove(fresh, ignored);
  const mode_t before = ::umask(077);
  {
    std::ofstream out(fresh, std::ios::binary);
    out << text;
    out.flush();
    if (!out) {
      ::umask(before);
      cannot(fmt::format("{}: cannot be written: {}", fresh.string(), std::strerror(errno)));
    }
  }
  ::umask(before);
  std::error_code error;
  fs::rename(fresh, file, error);
  if (error) cannot(fmt::format("{}: {}", file.string(), error.message()));
}

std::string draw_secret() {
  std::random_device device;
  std::string secret;
  for (int i = 0; i < 8; ++i) secret += fmt::format("{:08x}", device());
  return secret;
}

/// The secret of `user` in `file`, "USER:SECRET"; drawn where it is not there.
std::string secret_of(const fs::path& file, const std::string& user) {
  std::string line;
  std::ifstream in(file);
  const std::string start = user + ":";
  if (in && std::getline(in, line) && line.starts_with(start) && line.size() >= start.size() + 16)
    return sayable(line.substr(start.size()));
  const std::string secret = draw_secret();
  write_private(file, start + secret + "\n");
  return secret;
}

/// A worker takes jobs, says that it is at them, reads code whose hash it knows, asks what time it is, and
/// sends results; it reads and makes nothing else.
std::string users(const std::string& worker, const std::string& run) {
  return fmt::format(R"(authorization {{
  users = [
    {{{}}}
    {{{}, permissions: {{
      publish: ["$JS.API.CONSUMER.MSG.NEXT.*.workers", "$JS.ACK.*.workers.>", "$JS.API.DIRECT.GET.EVO_CODE.>", "evo.results.*", "evo.presence.worker.*", "evo.clock"]
      subscribe: ["_EVO_WORKER.>"]
    }}}}
  ]
}}
)",
                     run, worker);
}

std::string with_password(const std::string& user, const std::string& secret) {
  return fmt::format(R"(user: "{}", password: "{}")", user, secret);
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
  for (const std::string& key : {options.worker_nkey, options.run_nkey}) {
    if (is_user_nkey(key)) continue;
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format(
            "'{}' is no public NKey of a user: U and 55 letters A to Z and digits 2 to 7, for workers "
            "and for runs",
            key));
  }
  if (options.worker_nkey == options.run_nkey)
    throw model::Exception(model::ExitCode::usage, "workers and runs need NKeys of their own");
}

/// What belongs together is there together.
void require_pairs(const ServerOptions& options) {
  if (options.certificate.empty() != options.key.empty())
    throw model::Exception(model::ExitCode::usage, "a certificate needs its key, and a key its certificate");
  if (!options.worker_nkey.empty() || !options.run_nkey.empty()) require_nkeys(options);
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

void claim_place(const ServerOptions& options) {
  require_pairs(options);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) cannot(fmt::format("{}: {}", options.folder.string(), error.message()));
  // Not closed by exec: the server keeps it as long as it lives.
  const int folder = ::open((options.folder / "lock").c_str(), O_RDWR | O_CREAT, 0600);
  if (folder < 0) cannot(fmt::format("{}: {}", (options.folder / "lock").string(), std::strerror(errno)));
  if (::flock(folder, LOCK_EX | LOCK_NB) != 0)
    cannot(fmt::format("{}: a server that runs keeps its queues there. Another one needs another --folder",
                       options.folder.string()));
  if (const int why = cannot_listen(options.host, options.port); why != 0) {
    ::close(folder);
    cannot(fmt::format(
        "{} port {}: {}{}", options.host, options.port, std::strerror(why),
        why == EADDRINUSE ? ". evo farm status says whether a farm is there; --port takes another" : ""));
  }
}

Server prepare_server(const ServerOptions& options) {
  require_pairs(options);
  std::error_code error;
  fs::create_directories(options.folder, error);
  if (error) cannot(fmt::format("{}: {}", options.folder.string(), error.message()));
  const fs::path folder = fs::canonical(options.folder);
  Server server;
  server.config = folder / "nats.conf";
  const bool secure = !options.certificate.empty();
  const std::string host =
      options.host.find(':') == std::string::npos ? options.host : "[" + options.host + "]";  // IPv6
  server.url = fmt::format("{}://{}:{}", secure ? "tls" : "nats", host, options.port);
  std::string text = fmt::format(
      "# Written by evo farm up; written anew each time.\nlisten: \"{}:{}\"\nserver_name: "
      "evo-farm\nmax_payload: {}\n"
      "jetstream {{\n  store_dir: \"{}\"\n}}\n",
      sayable(host), options.port, max_message_bytes + header_room, sayable((folder / "store").string()));
  if (secure) {
    text += fmt::format("tls {{\n  cert_file: \"{}\"\n  key_file: \"{}\"\n}}\n",
                        sayable(fs::absolute(options.certificate).string()),
                        sayable(fs::absolute(options.key).string()));
  }
  if (!options.worker_nkey.empty() || !options.run_nkey.empty()) {
    text += users(fmt::format("nkey: \"{}\"", options.worker_nkey),
                  fmt::format("nkey: \"{}\"", options.run_nkey));
  } else if (options.tokens || !is_loopback(options.host)) {
    server.worker_token = folder / "worker.token";
    server.run_token = folder / "run.token";
    text += users(with_password("worker", secret_of(server.worker_token, "worker")),
                  with_password("run", secret_of(server.run_token, "run")));
  }
  write_private(server.config, text);
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
