#include "evaluators/devices/cuda/strangers.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>

#include "model/clock_reasons.hpp"

namespace evo::evaluators::cuda {
namespace {

/// What works for the clients of NVIDIA's Multi-Process Service, which are told themselves: its name, of
/// which the system keeps 15 letters.
constexpr std::string_view mps_server = "nvidia-cuda-mps";

struct ProcessStatus {
  std::string name;
  bool contained = false;  ///< in a name space of processes below this one's
  unsigned parent = 0;
};

std::optional<ProcessStatus> status_in(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "status");
  if (!stream) return std::nullopt;
  ProcessStatus status;
  for (std::string line; std::getline(stream, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos) continue;
    const std::string key = line.substr(0, colon);
    const auto first = line.find_first_not_of(" \t", colon + 1);
    const std::string value = first == std::string::npos ? std::string() : line.substr(first);
    if (key == "Name") status.name = value;
    if (key == "NSpid") status.contained = value.find_first_of(" \t") != std::string::npos;
    if (key == "PPid") status.parent = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
  }
  return status;
}

}  // namespace

Strangers::Strangers(List list, std::filesystem::path processes, std::chrono::milliseconds period)
    : list_(std::move(list)), processes_(std::move(processes)), period_(period) {}

std::optional<unsigned> Strangers::count() {
  const auto now = std::chrono::steady_clock::now();
  if (asked_before_ && now - asked_ < period_) return known_;
  asked_before_ = true;
  known_ = count_now();
  asked_ = std::chrono::steady_clock::now();
  return known_;
}

std::optional<bool> Strangers::is_ours(unsigned process) const {
  const auto own = status_in(processes_ / "self");
  auto status = status_in(processes_ / std::to_string(process));
  if (!own || !status) return std::nullopt;
  // Of any user: all evos of a host take turns (turn_file()), but for those in a container, which has a /tmp
  // of its own. Who has one without a container cannot be told.
  for (int steps = 0; status && steps < 64; ++steps) {
    if (status->name == own->name && !status->contained) return true;
    if (status->parent <= 1) break;
    status = status_in(processes_ / std::to_string(status->parent));
  }
  return false;
}

bool Strangers::is_server(unsigned process) const {
  const auto status = status_in(processes_ / std::to_string(process));
  return status && status->name == mps_server;
}

std::optional<unsigned> Strangers::before_own() const {
  const auto listed = list_ ? list_() : std::nullopt;
  if (!listed) return std::nullopt;
  return static_cast<unsigned>(std::ranges::count_if(
      *listed, [&](unsigned process) { return !is_server(process) && !is_ours(process).value_or(false); }));
}

std::optional<unsigned> Strangers::count_now() {
  const auto listed = list_ ? list_() : std::nullopt;
  if (!listed) return std::nullopt;
  unsigned ours = 0, strangers = 0;
  std::set<unsigned> unseen;
  for (const unsigned process : *listed) {
    if (is_server(process)) continue;
    const auto own = is_ours(process);
    if (own && *own) ++ours;
    if (own && !*own) ++strangers;
    // It has ended since, or it is in a container of its own: then it is there the next time, too.
    if (own) continue;
    unseen.insert(process);
    strangers += unseen_.contains(process) ? 1U : 0U;
  }
  unseen_ = std::move(unseen);
  if (ours == 0) return std::nullopt;
  return strangers;
}

std::string with_strangers(std::string reasons, std::optional<unsigned> strangers) {
  if (strangers.value_or(0) == 0) return reasons;
  return reasons + (reasons.empty() ? "" : ", ") + model::another_process;
}

}  // namespace evo::evaluators::cuda
