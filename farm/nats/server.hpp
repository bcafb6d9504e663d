// A nats-server for a farm: its configuration and its tokens. Nothing of ours runs in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evo::farm::nats {

/// What a server takes of its machine, whoever connects to it. Beside these: messages of max_message_bytes
/// (farm/message.hpp), 256 subscriptions a connection, and 64 MiB that wait for an end that does not read.
struct ServerLimits {
  int connections = 16384;                              ///< an `evo worker -j N` has up to 2 N + 1
  std::int64_t disk_bytes = 0;                          ///< of what is queued and kept; 0: kept_disk_bytes()
  std::int64_t memory_bytes = std::int64_t{256} << 20;  ///< of signs of who is there
};
/// The least that a farm's streams fit into (stream_configs.hpp).
inline constexpr std::int64_t least_disk_bytes = std::int64_t{128} << 20;
inline constexpr std::int64_t least_memory_bytes = std::int64_t{1} << 20;
inline constexpr int least_connections = 8;
/// 8 GiB, or three quarters of what the disk of `folder` has for it, where that is less.
[[nodiscard]] std::int64_t usual_disk_bytes(const std::filesystem::path& folder);
/// What the folder's last server was told, since its streams have put so much by; else usual_disk_bytes().
[[nodiscard]] std::int64_t kept_disk_bytes(const std::filesystem::path& folder);

/// That of NATS itself.
inline constexpr std::uint16_t usual_port = 4222;

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = usual_port;
  std::filesystem::path folder;  ///< of configuration, tokens and what is queued
  bool tokens = false;           ///< always on where `host` is not the loopback
  std::string certificate, key;  ///< PEM files; both or none
  /// Public NKeys ("U...") in place of tokens; both or none. Their seeds are nowhere at the server.
  std::vector<std::string> worker_nkeys{};
  std::string run_nkey{};
  ServerLimits limits{};
};

struct Server {
  std::filesystem::path config;
  std::filesystem::path worker_token, run_token;  ///< empty without tokens, and with NKeys
  std::string url;
  ServerLimits limits{};  ///< as it was told: `disk_bytes` is a number
};

[[nodiscard]] bool is_loopback(const std::string& host);

/// Writes the folder, readable by its owner alone; tokens that are there are kept. Throws
/// model::Exception(usage) for a host or file name that a configuration cannot say and for limits below the
/// least, (environment) where it cannot be written.
[[nodiscard]] Server prepare_server(const ServerOptions& options);

/// Makes sure, before anything but the folder and its lock is written, that no other server has the folder or
/// the address. The folder stays this process's, and that of the program that it becomes. Throws
/// model::Exception(environment), or (usage) for options that do not belong together.
void claim_place(const ServerOptions& options);

/// Becomes the server: does not return. Throws model::Exception(environment) with what to install where there
/// is no nats-server.
[[noreturn]] void become_server(const Server& server);

}  // namespace evo::farm::nats
