#include "intake/index_ranges.hpp"

#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "intake/launch_text.hpp"
#include "intake/probe_run.hpp"
#include "intake/row_starts.hpp"
#include "intake/size_candidates.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_while_indexing = 600'000'000;
/// Odd: times 256 or more it is no 0 in 32 bits, as a power of two would be.
constexpr std::int64_t beyond_all = 16'777'213;

bool has_key(const DraftArgument& argument, std::string_view name) {
  return std::ranges::any_of(argument.keys, [&](const auto& key) { return key.first == name; });
}

/// Where the rows of a sparse matrix begin, by name and shape: n + 1 of them.
bool holds_offsets(const DraftArgument& argument) {
  if (!has_one_more(argument)) return false;
  std::string name = argument.name;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(
      std::vector<std::string_view>{"ptr", "offs", "delim", "seqlens", "xadj", "starts"},
      [&](std::string_view word) { return name.find(word) != std::string::npos; });
}

bool are_offsets(const DraftArgument& argument) {
  return !ElementType{argument.dtype}.floating() && holds_offsets(argument);
}

/// An array whose numbers nobody has told, and which may lead somewhere: integers, and of numbers that float
/// only those that do, as a label as float.
bool may_hold_indices(const DraftArgument& argument, bool only_offsets) {
  const bool array = argument.role == "input" || argument.role == "inout";
  const bool floats = ElementType{argument.dtype}.floating();
  const bool wide = argument.dtype == "f32" || argument.dtype == "f64";
  if (!array || (floats && !(argument.holds_indices && wide)) || argument.dtype == "bool") return false;
  if (has_key(argument, "fill") || has_key(argument, "texture") || !argument.fields.empty()) return false;
  return !only_offsets || are_offsets(argument);
}

std::int64_t greatest_of(const std::string& dtype) {
  if (dtype == "i8") return 127;
  if (dtype == "u8") return 255;
  if (dtype == "i16") return 32767;
  if (dtype == "u16") return 65535;
  return beyond_all;
}

/// One code at one set of sizes, with arrays as large as the draft says.
class Code {
 public:
  Code(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale, bool reversed)
      : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale, reversed) {}

  /// Whether it stays in bounds as it is.
  bool start() {
    if (!run_.ready()) return false;
    std::int64_t most = 1;
    bytes_.assign(draft_.arguments.size(), 0);
    for (std::size_t i = 0; i < bytes_.size(); ++i) {
      if (draft_.arguments[i].role == "scalar") continue;
      const auto elements = run_.elements_of(draft_.arguments[i].shape);
      if (!elements || *elements > (std::int64_t{2} << 20)) return false;
      bytes_[i] = *elements * run_.element_bytes(i);
      most = std::max(most, *elements);
    }
    const bool launched =
        whose_ == Probed::reference
            ? launch_reference(draft_, run_, most)
            : run_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem);
    if (!launched) return false;
    for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
      if (run_.fits(bytes_, fill)) fills_.push_back(fill);
    }
    return !fills_.empty();
  }

  /// The greatest number that the array may hold, at most `beyond`; nothing where none is too great.
  std::optional<std::int64_t> greatest(std::size_t argument, bool ascending, std::int64_t beyond) {
    std::optional<std::int64_t> greatest;
    if (!run_.takes(argument)) return greatest;
    for (const ProbeFill fill : fills_) {
      const auto good = [&](std::int64_t number) {
        run_.hold(ProbeRun::Held{argument, number, ascending});
        const bool fits = run_.spent() < most_while_indexing && run_.fits(bytes_, fill);
        run_.hold(std::nullopt);
        return fits;
      };
      if (good(beyond) || !good(0)) continue;
      std::int64_t least = 0, most = beyond;  // the one is good, the other is not
      while (least + 1 < most) {
        const std::int64_t middle = least + (most - least) / 2;
        (good(middle) ? least : most) = middle;
      }
      greatest = std::min(greatest.value_or(least), least);
    }
    return greatest;
  }

  /// Whether it stays in bounds where the array holds -1 everywhere: a sentinel, or one that is not read.
  bool takes_less_than_zero(std::size_t argument) {
    if (!run_.takes(argument)) return true;
    run_.hold(ProbeRun::Held{argument, -1, false});
    const bool fits = std::ranges::all_of(fills_, [&](ProbeFill fill) {
      return run_.spent() < most_while_indexing && run_.fits(bytes_, fill);
    });
    run_.hold(std::nullopt);
    return fits;
  }

  /// Whether it stays in bounds with any numbers of the draft's fills.
  bool holds() { return run_.fits(bytes_, ProbeFill::mixed); }
  [[nodiscard]] bool tired() const { return run_.spent() > most_while_indexing; }
  [[nodiscard]] const ProbeRun& run() const { return run_; }

 private:
  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  std::vector<std::int64_t> bytes_;
  std::vector<ProbeFill> fills_;
};

/// Whether no axis is of one size at both, but those that are compiled in.
bool all_differ(const Draft& draft, const ProbeRun& here, const ProbeRun& there) {
  return std::ranges::all_of(draft.axes, [&](const DraftAxis& axis) {
    return axis.compile_time || here.value_of(axis.name) != there.value_of(axis.name);
  });
}

/// The size that has these values at two sets of sizes.
std::optional<std::string> size_of(const std::vector<ShapeCandidate>& candidates, const ProbeRun& other,
                                   std::int64_t here, std::int64_t there) {
  if (here == there) return std::nullopt;
  for (const ShapeCandidate& each : candidates) {
    if (each.elements == here && other.elements_of(each.shape) == there) return product_of(each.shape);
  }
  return std::nullopt;
}

class IndexFinder {
 public:
  IndexFinder(const Draft& draft, const model::Artifact& kernel, const model::Artifact* reference)
      : draft_(draft), base_(draft), kernel_(kernel), reference_(reference) {}

  std::vector<std::optional<std::string>> run() {
    // Offsets first: what lies behind them is read where they ascend.
    std::vector<std::optional<std::string>> fills = look(true);
    for (std::size_t i = 0; i < fills.size(); ++i) {
      if (fills[i]) base_.arguments[i].keys.emplace_back("fill", *fills[i]);
    }
    std::vector<std::optional<std::string>> others = look(false);
    for (std::size_t i = 0; i < fills.size(); ++i) {
      if (!fills[i]) fills[i] = others[i];
    }
    return fills;
  }

 private:
  using Codes = std::vector<std::unique_ptr<Code>>;

  /// Fills of what is offsets by name and shape, or of everything else that has none.
  std::vector<std::optional<std::string>> look(bool only_offsets) {
    std::vector<std::optional<std::string>> fills(draft_.arguments.size());
    here_.clear();
    there_.clear();
    const bool some = std::ranges::any_of(base_.arguments, [&](const DraftArgument& argument) {
      return may_hold_indices(argument, only_offsets);
    });
    if (!some) return fills;  // the launches at larger sizes below are seconds, where there are many axes
    start(here_, 1);
    if (here_.empty()) return fills;
    // With an axis that is a multiple of 96 three times the scale are the same sizes; of 105, seven times.
    bool differ = false;
    for (const std::int64_t factor : {3, 5, 7, 11, 13}) {
      if (differ) break;
      Codes larger;
      start(larger, factor);
      if (larger.empty()) break;
      there_ = std::move(larger);
      differ = all_differ(base_, here_.front()->run(), there_.front()->run());
    }
    if (there_.empty()) return fills;
    const std::vector<ShapeCandidate> candidates = size_candidates(base_, here_.front()->run());
    Draft filled = base_;
    bool any = false;
    for (std::size_t i = 0; i < fills.size(); ++i) {
      const DraftArgument& argument = base_.arguments[i];
      if (!may_hold_indices(argument, only_offsets)) continue;
      const bool offsets = are_offsets(argument);
      const auto here = greatest(here_, i, offsets), there = greatest(there_, i, offsets);
      if (!here || !there || *here < 1 || *there < 1) continue;
      // 0 to n - 1 is said by n; offsets go to n itself, and counts may.
      const auto size = size_of(candidates, there_.front()->run(), *here + 1, *there + 1);
      const auto last = size_of(candidates, there_.front()->run(), *here, *there);
      std::string greatest_one;
      if (offsets && last) {
        fills[i] = fmt::format("{{offsets: {}}}", *last);
      } else if (*here == *there && *here <= 65536) {
        if (differ) greatest_one = std::to_string(*here);
      } else if (size && size->ends_with(" + 1")) {
        greatest_one = size->substr(0, size->size() - 4);
      } else if (size) {
        greatest_one = *size + " - 1";
      } else if (last) {
        greatest_one = *last;
      }
      if (!greatest_one.empty())
        fills[i] = fmt::format("{{integers: [{}, {}]}}", !offsets && has_sentinel(i) ? -1 : 0, greatest_one);
      if (!fills[i]) continue;
      any = true;
      filled.arguments[i].keys.emplace_back("fill", *fills[i]);
    }
    if (any && !stays(filled) && !ascend(filled, fills)) fills.assign(fills.size(), std::nullopt);
    return fills;
  }

  [[nodiscard]] std::optional<std::int64_t> greatest(const Codes& codes, std::size_t argument,
                                                     bool offsets) const {
    std::optional<std::int64_t> least;
    for (const auto& code : codes) {
      const auto one = code->greatest(argument, offsets, greatest_of(draft_.arguments[argument].dtype));
      if (code->tired()) return std::nullopt;
      if (one) least = std::min(least.value_or(*one), *one);
    }
    return least;
  }

  /// The same sizes for both, small ones: each number is a launch.
  void start(Codes& codes, std::int64_t factor) const {
    for (const Probed whose : {Probed::reference, Probed::kernel}) {
      if (whose == Probed::reference && reference_ == nullptr) continue;
      const std::int64_t scale = scales_of(base_, Probed::reference).front() * factor;
      auto code = std::make_unique<Code>(base_, whose == Probed::kernel ? kernel_ : *reference_, whose, scale,
                                         factor != 1);
      if (code->start()) codes.push_back(std::move(code));
    }
  }

  /// Whether the numbers may be -1, too: "if (id[i] < 0) out[i] = 0" has two sides.
  [[nodiscard]] bool has_sentinel(std::size_t argument) const {
    if (!draft_.arguments[argument].dtype.starts_with("i")) return false;
    return std::ranges::all_of(here_,
                               [&](const auto& code) { return code->takes_less_than_zero(argument); }) &&
           std::ranges::all_of(there_,
                               [&](const auto& code) { return code->takes_less_than_zero(argument); });
  }

  /// Numbers of one array that stay in bounds only where they ascend: rows that end where the next begins.
  /// False where that does not help either.
  [[nodiscard]] bool ascend(Draft filled, std::vector<std::optional<std::string>>& fills) const {
    for (std::size_t i = 0; i < fills.size(); ++i) {
      constexpr std::string_view begin = "{integers: [0, ";
      if (!fills[i] || !fills[i]->starts_with(begin) || draft_.arguments[i].shape.size() != 1) continue;
      const std::string last = fills[i]->substr(begin.size(), fills[i]->size() - begin.size() - 2);
      Draft other = filled;
      other.arguments[i].keys.back().second = fmt::format("{{sorted: [0, {}]}}", last);
      if (!stays(other)) continue;
      fills[i] = fmt::format("{{offsets: {}}}", last);
      return true;
    }
    return false;
  }

  /// Whether both stay in bounds with what was found.
  [[nodiscard]] bool stays(const Draft& filled) const {
    const std::int64_t scale = scales_of(draft_, Probed::reference).front();
    Code kernel(filled, kernel_, Probed::kernel, scale, false);
    if (kernel.start() && !kernel.holds()) return false;
    if (reference_ == nullptr) return true;
    Code reference(filled, *reference_, Probed::reference, scale, false);
    return !reference.start() || reference.holds();
  }

  const Draft& draft_;
  Draft base_;  ///< with the offsets that are known
  const model::Artifact& kernel_;
  const model::Artifact* reference_;
  Codes here_, there_;
};

}  // namespace

std::vector<std::optional<std::string>> find_index_fills(const Draft& draft, const model::Artifact& kernel,
                                                         const model::Artifact* reference) {
  return IndexFinder(draft, kernel, reference).run();
}

}  // namespace evo::intake
