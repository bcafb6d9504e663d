// VirtualDevice: what a launch leaves in the module's own variables.
#include <algorithm>
#include <span>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/devices/virtual/virtual_device_parts.hpp"

namespace evo::evaluators::devices {
namespace {

/// Up to eight bytes, as they stand in memory.
std::string bytes_text(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes.first(std::min<std::size_t>(bytes.size(), 8)))
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", std::to_integer<int>(byte));
  return text;
}

}  // namespace

FoundVariables::FoundVariables(const vd::Program& program, const vd::Buffer* data,
                               const std::vector<model::KeptVariable>& kept)
    : program_(program), data_(data), kept_(kept) {
  if (kept.empty() || data == nullptr) return;
  found_.resize(data->bytes());
  data->read(found_);
}

Outcome<void> FoundVariables::check() const {
  if (found_.empty()) return {};
  std::vector<std::byte> left(found_.size());
  data_->read(left);
  if (left == found_) return {};
  model::Failure failure{model::Status::illegal, "mutable_global", {}};
  for (const vd::DataSymbol& variable : program_.data_symbols) {
    if (variable.space != vd::Space::global) continue;
    const auto before = std::span(found_).subspan(variable.offset, variable.bytes);
    const auto after = std::span(left).subspan(variable.offset, variable.bytes);
    const auto [first, other] = std::ranges::mismatch(before, after);
    if (first == before.end()) continue;
    const auto at = static_cast<std::size_t>(first - before.begin());
    const auto written = std::ranges::find(kept_, variable.name, &model::KeptVariable::name);
    failure.evidence.push_back(
        {"mutable_global",
         fmt::format(
             "the launch leaves the module's variable {} other than it found it, so that the next one "
             "knows of it: from byte {} on {} before, {} after",
             variable.name, at, bytes_text(before.subspan(at)), bytes_text(after.subspan(at))),
         written == kept_.end() ? std::string() : written->file,
         written == kept_.end() ? 0 : written->line,
         {{"variable", variable.name}, {"offset", fmt::format("{}", at)}}});
  }
  if (failure.evidence.empty()) {
    failure.evidence.push_back({"mutable_global",
                                "the launch writes between the module's variables, and what it writes stays",
                                {},
                                0,
                                {}});
  }
  return tl::unexpected(std::move(failure));
}

}  // namespace evo::evaluators::devices
