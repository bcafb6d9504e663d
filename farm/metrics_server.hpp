// evo farm metrics: the state of a farm over HTTP, for Prometheus.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

namespace evo::farm {

/// Answers GET /metrics with `text()`, one asker after the other.
class MetricsServer {
 public:
  /// Throws model::Exception: (usage) `host` is no address; (environment) the port cannot be had.
  MetricsServer(const std::string& host, std::uint16_t port, std::function<std::string()> text);
  ~MetricsServer();
  MetricsServer(const MetricsServer&) = delete;
  MetricsServer& operator=(const MetricsServer&) = delete;

  /// "http://127.0.0.1:9464/metrics"
  [[nodiscard]] std::string address() const;
  void run(const std::stop_token& stop);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace evo::farm
