// The page of a run over HTTP while the run goes on in this process.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "report/serve.hpp"
#include "session/run_folder.hpp"

namespace evo::cli {

class ServedRun {
 public:
  /// Listens on 127.0.0.1. Without `port`: on the default one, or on any that is free where that is taken.
  /// Throws model::Exception(environment) when the port cannot be had.
  ServedRun(const session::RunFolder& folder, const std::optional<std::uint16_t>& port);
  /// Closes the port and every connection.
  ~ServedRun() = default;

  [[nodiscard]] std::string address() const { return server_->address(); }

 private:
  std::unique_ptr<report::Server> server_;
  std::jthread thread_;
};

}  // namespace evo::cli
