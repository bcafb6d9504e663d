#include "evaluators/gates/first_outputs.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include <fmt/format.h>

namespace evo::evaluators::gates {

bool repeats(const model::Case& bound) {
  return std::ranges::all_of(bound.arguments,
                             [](const model::BoundArgument& argument) { return argument.reproducible; });
}

Outcome<void> FirstOutputs::compare(std::vector<devices::HostBytes> outputs, const std::string& reason,
                                    const std::string& manner) {
  std::int64_t position = 0;  // in the addressed elements of all outputs, one after the other
  std::int64_t first_at = -1, different = 0;
  std::size_t output = 0;
  for (std::size_t i = 0; i < case_->arguments.size(); ++i) {
    const model::BoundArgument& argument = case_->arguments[i];
    if (!model::is_judged(argument.role)) continue;
    if (launches_ == 0) {
      first_.push_back(std::move(outputs[output++]));
      rows_.push_back(oracle::rows_of(argument));
      continue;
    }
    if (!argument.reproducible) {
      output += 1;
      continue;
    }
    const bool seen_to_be_same = output < known_.size() && known_[output] && outputs[output].span().empty();
    const std::span<const std::byte> now = seen_to_be_same ? first_[output].span() : outputs[output].span();
    const std::span<const std::byte> then = first_[output].span();
    const std::int64_t size = model::size_of(argument.dtype);
    for (const oracle::Row& row : rows_[output]) {
      const auto offset = static_cast<std::size_t>(row.offset * size);
      const auto bytes = static_cast<std::size_t>(row.count * size);
      if (std::memcmp(&now[offset], &then[offset], bytes) != 0) {
        for (std::size_t at = offset; at < offset + bytes; ++at) {
          if (now[at] == then[at]) continue;
          if (first_at < 0) first_at = position + static_cast<std::int64_t>(at - offset);
          ++different;
        }
      }
      position += row.count * size;
    }
    ++output;
  }
  ++launches_;
  if (different == 0) return {};
  return tl::make_unexpected(
      fail(model::Status::nondeterministic, reason,
           fmt::format("launch {} ({}) gave other bits than launch 1 on the same inputs: {} of {} bytes, the "
                       "first at byte {} of the outputs",
                       launches_, manner, different, position, first_at)));
}

std::span<const std::optional<std::uint64_t>> FirstOutputs::known(const devices::Device& device) {
  if (!known_.empty() || first_.empty()) return known_;
  for (const model::BoundArgument& argument : case_->arguments) {
    if (!model::is_judged(argument.role)) continue;
    const devices::HostBytes& bytes = first_[known_.size()];
    known_.push_back(argument.reproducible ? device.digest(bytes.span()) : std::nullopt);
  }
  return known_;
}

}  // namespace evo::evaluators::gates
