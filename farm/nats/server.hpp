// A nats-server for a farm: its configuration and its tokens. Nothing of ours runs in it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace evo::farm::nats {

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 4222;
  std::filesystem::path folder;  ///< of configuration, tokens and what is queued
  bool tokens = false;           ///< always on where `host` is not the loopback
  std::string certificate, key;  ///< PEM files; both or none
  /// Public NKeys ("U...") in place of tokens; both or none. Their seeds are nowhere at the server.
  std::vector<std::string> worker_nkeys{};
  std::string run_nkey{};
};

struct Server {
  std::filesystem::path config;
  std::filesystem::path worker_token, run_token;  ///< empty without tokens, and with NKeys
  std::string url;
};

[[nodiscard]] bool is_loopback(const std::string& host);

/// Writes the folder, readable by its owner alone; tokens that are there are kept. Throws
/// model::Exception(usage) for a host or file name that a configuration cannot say, (environment) where it
/// cannot be written.
[[nodiscard]] Server prepare_server(const ServerOptions& options);

/// Makes sure, before anything but the folder and its lock is written, that no other server has the folder or
/// the address. The folder stays this process's, and that of the program that it becomes. Throws
/// model::Exception(environment), or (usage) for options that do not belong together.
void claim_place(const ServerOptions& options);

/// Becomes the server: does not return. Throws model::Exception(environment) with what to install where there
/// is no nats-server.
[[noreturn]] void become_server(const Server& server);

}  // namespace evo::farm::nats
