#include "intake/extents.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "intake/types.hpp"

namespace evo::intake {
namespace {

constexpr std::uint64_t most_instructions = 1'500'000'000;
constexpr std::int64_t most_probed = std::int64_t{2} << 20;

struct ShapeCandidate {
  std::vector<std::string> shape;
  std::int64_t elements = 0;
};

/// Numbers that a size may be a multiple of: small ones, and those that the user has given a scalar.
std::vector<std::int64_t> factors_of(const Draft& draft) {
  std::vector<std::int64_t> factors{1, 2, 3, 4, 6, 8, 9, 16, 32, 64};
  for (const DraftArgument& argument : draft.arguments) {
    std::int64_t value = 0;
    const std::string& text = argument.value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = argument.role == "scalar" && error == std::errc{} && end == text.data() + text.size();
    if (number && value > 1 && value <= 1024 &&
        std::find(factors.begin(), factors.end(), value) == factors.end())
      factors.push_back(value);
  }
  return factors;
}

/// Whether the expression has no names but axes'.
bool of_axes(const Draft& draft, const std::string& text) {
  const auto expression = model::Expression::parse(text);
  if (!expression) return false;
  return std::ranges::all_of(expression->names(), [&](const std::string& name) {
    return std::ranges::any_of(draft.axes, [&](const DraftAxis& axis) { return axis.name == name; });
  });
}

/// Products of the axes, with small factors, the smallest first; of equal ones the plainest.
std::vector<ShapeCandidate> candidates_of(const Draft& draft, const ProbeRun& run) {
  std::vector<ShapeCandidate> all;
  const std::size_t count = draft.axes.size();
  const auto size_of = [&](const DraftAxis& axis) { return run.value_of(axis.name).value_or(1); };
  std::vector<ShapeCandidate> products;
  for (std::size_t set = 1; set < (std::size_t{1} << count); ++set) {
    ShapeCandidate product{{}, 1};
    for (std::size_t i = 0; i < count; ++i) {
      if ((set >> i & 1) == 0) continue;
      product.shape.push_back(draft.axes[i].name);
      product.elements *= size_of(draft.axes[i]);
    }
    products.push_back(product);
  }
  for (const DraftAxis& axis : draft.axes) {
    products.push_back({{axis.name, axis.name}, size_of(axis) * size_of(axis)});
  }
  // A sum, or a few: sizes of axes are larger here.
  for (const std::int64_t few : {1, 2, 3, 4}) all.push_back({{std::to_string(few)}, few});
  for (const std::int64_t number : draft.numbers) {
    // A fixed count, of structs or vectors, too.
    all.push_back({{std::to_string(number)}, number});
    for (const std::int64_t lanes : {2, 3, 4})
      all.push_back({{fmt::format("{} * {}", lanes, number)}, lanes * number});
  }
  std::vector<std::int64_t> factors = factors_of(draft);
  for (const std::int64_t number : draft.numbers) {
    if (std::find(factors.begin(), factors.end(), number) == factors.end()) factors.push_back(number);
  }
  for (const std::int64_t factor : factors) {
    for (ShapeCandidate product : products) {
      product.elements *= factor;
      if (factor > 1 && product.shape.size() > 1) product.shape.push_back(std::to_string(factor));
      if (factor > 1 && product.shape.size() == 1)
        product.shape[0] = std::to_string(factor) + " * " + product.shape[0];
      all.push_back(std::move(product));
    }
  }
  for (const DraftAxis& axis : draft.axes) all.push_back({{axis.name + " + 1"}, size_of(axis) + 1});
  // One element a block.
  std::vector<std::string> blocks;
  std::int64_t product = 1;
  for (const std::string& side : draft.launch.grid) {
    const auto value = run.value_of(side);
    if (!value || *value < 1 || !of_axes(draft, side)) continue;
    if (side != "1") blocks.insert(blocks.begin(), side);
    product *= *value;
    if (*value > 1 && side.find("ceil_div") != std::string::npos) all.push_back({{side}, *value});
  }
  if (blocks.size() > 1) all.push_back({blocks, product});
  // Arrays of the size of all candidates are filled for every launch.
  std::int64_t whole = 8;
  for (const DraftAxis& axis : draft.axes) whole = std::min(most_probed, whole * size_of(axis));
  std::int64_t room = std::int64_t{1} << 16;
  for (const std::int64_t number : draft.numbers)
    room = std::max(room, std::min(number * 16, most_probed / 8));
  const std::int64_t most = std::max<std::int64_t>(whole, room);
  std::erase_if(all, [&](const ShapeCandidate& each) { return each.elements > most; });
  std::stable_sort(all.begin(), all.end(),
                   [](const ShapeCandidate& a, const ShapeCandidate& b) { return a.elements < b.elements; });
  return all;
}

/// A reference's launch: threads enough for any of the candidates, sides enough where it asks for y.
bool launch_reference(const Draft& draft, ProbeRun& run, std::int64_t most) {
  if (!draft.reference_grid.empty() && draft.reference_grid.front().find("max(") == std::string::npos)
    return run.set_launch(draft.reference_grid, draft.reference_block, "");
  if (draft.reference_grid.empty()) {
    const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>((most + 255) / 256, 1, 4096));
    run.set_launch({blocks, 1, 1}, {256, 1, 1});
    return true;
  }
  std::int64_t side = 1;
  for (const DraftAxis& axis : draft.axes) side = std::max(side, run.value_of(axis.name).value_or(1));
  const auto blocks = static_cast<std::uint32_t>(std::clamp<std::int64_t>((2 * side + 15) / 16, 1, 64));
  run.set_launch({blocks, blocks, 1}, {16, 16, 1});
  return true;
}

class ShapeFinder {
 public:
  ShapeFinder(const Draft& draft, const model::Artifact& artifact, Probed whose, std::int64_t scale)
      : draft_(draft), whose_(whose), run_(draft, artifact, whose, scale) {
    ranges_told_ = std::ranges::any_of(draft.arguments, [](const DraftArgument& argument) {
      return std::ranges::any_of(argument.keys, [](const auto& key) { return key.first == "fill"; });
    });
  }

  /// Adds to `found` what is asked and not there yet.
  void look(const std::vector<bool>& asked, std::vector<std::optional<FoundShape>>& found) {
    if (!run_.ready()) return;
    const std::vector<ShapeCandidate> all = candidates_of(draft_, run_);
    const bool launched =
        whose_ == Probed::reference
            ? launch_reference(draft_, run_, all.back().elements)
            : run_.set_launch(draft_.launch.grid, draft_.launch.block, draft_.launch.dynamic_smem);
    if (!launched) return;
    // Room for any of them: what fails then, fails for another reason.
    room_.assign(draft_.arguments.size(), 0);
    for (std::int64_t& bytes : room_) bytes = all.back().elements * 8;
    for (const ProbeFill fill : {ProbeFill::zeros, ProbeFill::ones}) {
      if (!run_.fits(room_, fill)) continue;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (!asked[i] || !run_.takes(i) || draft_.arguments[i].role == "scalar") continue;
        if (run_.spent() > most_instructions) return;
        const std::int64_t size = run_.element_bytes(i);
        // What other contents reach, too, is a size; else it hangs on the data, and the most counts if their
        // range was told.
        const bool known = found[i] && found[i]->exact;
        if (known) {
          const auto elements = run_.elements_of(found[i]->shape);
          if (!elements || fits(i, *elements * size, fill)) continue;
        }
        const auto first = std::partition_point(all.begin(), all.end(), [&](const ShapeCandidate& each) {
          return !fits(i, each.elements * size, fill);
        });
        if (first == all.end()) continue;
        // One that is never touched fits anywhere.
        if (first == all.begin() && fits(i, 0, fill)) continue;
        FoundShape shape{first->shape, !fits(i, (first->elements - 1) * size, fill)};
        if (known && !ranges_told_) shape.exact = false;
        if (!found[i] || shape.exact || known) found[i] = std::move(shape);
      }
    }
  }

 private:
  bool fits(std::size_t index, std::int64_t bytes, ProbeFill fill) {
    std::vector<std::int64_t> all = room_;
    all[index] = bytes;
    return run_.fits(all, fill);
  }

  const Draft& draft_;
  Probed whose_;
  ProbeRun run_;
  bool ranges_told_ = false;  ///< somebody has said what an array holds
  std::vector<std::int64_t> room_;
};

/// Small sizes first; tiles of a kernel fit larger ones.
std::vector<std::int64_t> scales_of(const Draft& draft, Probed whose) {
  const std::size_t axes = draft.axes.size();
  if (whose == Probed::reference) return {axes == 1 ? 32 : axes == 2 ? 4 : axes == 3 ? 2 : 1};
  if (axes <= 2) return {32};
  return axes == 3 ? std::vector<std::int64_t>{4, 16} : std::vector<std::int64_t>{2, 8};
}

}  // namespace

std::vector<std::optional<FoundShape>> find_shapes(const Draft& draft, const model::Artifact& artifact,
                                                   Probed whose, const std::vector<bool>& asked) {
  std::vector<std::optional<FoundShape>> found(draft.arguments.size());
  for (const std::int64_t scale : scales_of(draft, whose))
    ShapeFinder(draft, artifact, whose, scale).look(asked, found);
  // A fixed count of threads, each with all of the axis: too much work at that size.
  const auto missing = [&] {
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (asked[i] && !found[i] && draft.arguments[i].role != "scalar") return true;
    }
    return false;
  };
  if (!draft.numbers.empty() && draft.axes.size() == 1 && missing()) {
    std::vector<bool> rest(asked);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] = rest[i] && !found[i];
    ShapeFinder(draft, artifact, whose, 2).look(rest, found);
  }
  // "One element" may be one block's: at a size of several blocks it is one or it is not.
  std::vector<bool> single(found.size(), false);
  bool any = false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    single[i] = found[i] && found[i]->shape == std::vector<std::string>{"1"} && found[i]->exact;
    any = any || single[i];
  }
  if (!any || draft.axes.size() > 2) return found;
  std::vector<std::optional<FoundShape>> larger(found.size());
  ShapeFinder(draft, artifact, whose, draft.axes.size() == 1 ? 2048 : 128).look(single, larger);
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (single[i] && larger[i] && larger[i]->exact) found[i] = larger[i];
  }
  return found;
}

std::vector<bool> find_untouched_parts(const Draft& draft, const model::Artifact& reference) {
  ProbeRun run(draft, reference, Probed::reference, scales_of(draft, Probed::reference).front());
  if (!run.ready()) return {};
  std::vector<std::int64_t> bytes(draft.arguments.size(), 0);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (draft.arguments[i].role == "scalar") continue;
    const auto elements = run.elements_of(draft.arguments[i].shape);
    if (!elements || *elements > most_probed) return {};
    bytes[i] = *elements * run.element_bytes(i);
    most = std::max(most, *elements);
  }
  if (!launch_reference(draft, run, most)) return {};
  const auto alone = run.left_alone(bytes);
  if (!alone) return {};
  std::vector<bool> parts(bytes.size(), false);
  for (std::size_t i = 0; i < parts.size(); ++i)
    parts[i] = std::ranges::count(alone->at(i), 1) > 0 && std::ranges::count(alone->at(i), 0) > 0;
  return parts;
}

}  // namespace evo::intake
