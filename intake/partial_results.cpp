#include "intake/partial_results.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "intake/probe_run.hpp"
#include "intake/size_candidates.hpp"

namespace evo::intake {
namespace {

constexpr std::int64_t most_compared = std::int64_t{1} << 20;
constexpr unsigned most_seeds = 3;

bool is_asked(const DraftArgument& argument) {
  const bool known = argument.dtype == "f32" || argument.dtype == "f64" || argument.dtype == "i32" ||
                     argument.dtype == "u32";
  const bool told = std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "reduce"; });
  return argument.role == "output" && known && !told && argument.fields.empty() && !argument.shape.empty();
}

/// Blocks of the launch, as one factor.
std::string blocks_of(const Draft& draft) {
  std::string text;
  for (const std::string& side : draft.launch.grid) {
    if (side == "1") continue;
    const bool plain = side.find_first_of(" +-/?") == std::string::npos || side.starts_with("ceil_div(");
    const bool alone = draft.launch.grid.size() == 1;
    text += fmt::format(fmt::runtime(plain || alone ? "{}{}" : "{}({})"), text.empty() ? "" : " * ", side);
  }
  return text;
}

double read_number(const std::byte* at, const std::string& dtype, bool wide) {
  const auto as = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (dtype == "i32") return as(std::int32_t{});
  if (dtype == "u32") return as(std::uint32_t{});
  return wide ? as(double{}) : as(float{});
}

/// Kernel and reference at one set of sizes.
class Both {
 public:
  Both(const Draft& draft, const model::Artifact& kernel, const model::Artifact& reference,
       std::int64_t scale)
      : draft_(draft),
        kernel_(draft, kernel, Probed::kernel, scale),
        reference_(draft, reference, Probed::reference, scale) {}

  /// Whether there are several blocks, and the reference stays in its arrays while the kernel leaves its own.
  bool start() {
    if (!kernel_.ready() || !reference_.ready()) return false;
    std::int64_t most = 1;
    for (std::size_t i = 0; i < draft_.arguments.size(); ++i) {
      const auto elements = draft_.arguments[i].role == "scalar"
                                ? std::int64_t{0}
                                : kernel_.elements_of(draft_.arguments[i].shape);
      if (!elements || *elements > most_compared) return false;
      elements_.push_back(*elements);
      most = std::max(most, *elements);
    }
    if (!kernel_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem) ||
        !launch_reference(draft_, reference_, most))
      return false;
    const auto blocks = static_cast<std::int64_t>(kernel_.blocks());
    return blocks > 1 && blocks * most <= 8 * most_compared &&
           !kernel_.fits(bytes(kernel_, 0, 1), ProbeFill::mixed) &&
           reference_.fits(bytes(reference_, 0, 1), ProbeFill::mixed);
  }

  /// Whether the kernel writes this output once a block, to its end.
  bool writes_parts(std::size_t argument) {
    const auto blocks = static_cast<std::int64_t>(kernel_.blocks());
    auto room = bytes(kernel_, argument, blocks);
    if (!kernel_.fits(room, ProbeFill::mixed)) return false;
    room[argument] -= kernel_.element_bytes(argument);
    return !kernel_.fits(room, ProbeFill::mixed);
  }

  /// Which of sum, max and min makes the reference's numbers of the parts; "" where none or several do.
  std::string reduction(std::size_t argument) {
    std::vector<std::string> left{"sum", "max", "min"};
    for (unsigned seed = 1; seed <= most_seeds && !left.empty(); ++seed) {
      const auto parts = kernel_.contents(bytes(kernel_, argument, blocks()), argument, seed);
      const auto whole = reference_.contents(bytes(reference_, argument, 1), argument, seed);
      if (!parts || !whole) return "";
      std::erase_if(left, [&](const std::string& how) { return !agree(argument, *parts, *whole, how); });
    }
    return left.size() == 1 ? left.front() : "";
  }

 private:
  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(kernel_.blocks()); }

  [[nodiscard]] std::vector<std::int64_t> bytes(const ProbeRun& run, std::size_t argument,
                                                std::int64_t times) const {
    std::vector<std::int64_t> all;
    for (std::size_t i = 0; i < elements_.size(); ++i)
      all.push_back(draft_.arguments[i].role == "scalar"
                        ? 0
                        : elements_[i] * run.element_bytes(i) * (i == argument ? times : 1));
    return all;
  }

  [[nodiscard]] bool agree(std::size_t argument, const std::vector<std::byte>& parts,
                           const std::vector<std::byte>& whole, const std::string& how) const {
    const std::string& dtype = draft_.arguments[argument].dtype;
    const auto size = static_cast<std::size_t>(kernel_.element_bytes(argument));
    const auto width = static_cast<std::size_t>(reference_.element_bytes(argument));
    const auto count = static_cast<std::size_t>(elements_[argument]);
    for (std::size_t e = 0; e < count; ++e) {
      double all = 0, magnitude = 1;
      for (std::size_t b = 0; b < static_cast<std::size_t>(blocks()); ++b) {
        const double part = read_number(&parts[(b * count + e) * size], dtype, size == 8);
        if (!std::isfinite(part)) return false;
        magnitude += std::abs(part);
        all = b == 0         ? part
              : how == "sum" ? all + part
              : how == "max" ? std::max(all, part)
                             : std::min(all, part);
      }
      const double meant = read_number(&whole[e * width], dtype, width == 8);
      if (!(std::abs(all - meant) <= 1e-4 * magnitude)) return false;
    }
    return true;
  }

  const Draft& draft_;
  ProbeRun kernel_, reference_;
  std::vector<std::int64_t> elements_;
};

}  // namespace

std::vector<PartialResult> find_partial_results(const Draft& draft, const model::Artifact& kernel,
                                                const model::Artifact& reference) {
  std::vector<PartialResult> found;
  const std::string parts = blocks_of(draft);
  if (parts.empty() || std::ranges::none_of(draft.arguments, is_asked)) return found;
  const std::int64_t scale = scales_of(draft, Probed::kernel).front();
  // Of few elements there may be one block, which writes what the reference does.
  for (const std::int64_t factor : {1, 8, 64}) {
    Both both(draft, kernel, reference, scale * factor);
    if (!both.start()) continue;
    for (std::size_t i = 0; i < draft.arguments.size(); ++i) {
      if (!is_asked(draft.arguments[i]) || !both.writes_parts(i)) continue;
      if (std::string how = both.reduction(i); !how.empty()) found.push_back({i, parts, std::move(how)});
    }
    break;
  }
  return found;
}

}  // namespace evo::intake
