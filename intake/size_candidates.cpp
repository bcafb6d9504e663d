#include "intake/size_candidates.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "intake/launch_text.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

/// Numbers that a size may be a multiple of: small ones, those that the user has given scalars, products of
/// two of these (the taps of a filter), and a few times each (queries, keys and values of so many heads).
std::vector<std::int64_t> factors_of(const Draft& draft) {
  constexpr std::int64_t most = 1024;
  std::vector<std::int64_t> factors{1, 2, 3, 4, 6, 8, 9, 16, 32, 64}, told;
  const auto add = [&](std::int64_t value) {
    if (value > 1 && value <= most && std::find(factors.begin(), factors.end(), value) == factors.end())
      factors.push_back(value);
  };
  for (const DraftArgument& argument : draft.arguments) {
    std::int64_t value = 0;
    const std::string& text = argument.value;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool number = argument.role == "scalar" && error == std::errc{} && end == text.data() + text.size();
    if (number && value > 1 && value <= most && std::find(told.begin(), told.end(), value) == told.end())
      told.push_back(value);
  }
  for (const std::int64_t value : told) add(value);
  for (std::size_t i = 0; i < told.size(); ++i) {
    // Two numbers for each tap of a filter, where to read it.
    for (std::size_t j = i; j < told.size(); ++j) {
      add(told[i] * told[j]);
      add(2 * told[i] * told[j]);
    }
    for (const std::int64_t few : {2, 3, 4}) add(few * told[i]);
  }
  return factors;
}

/// A product of axes and of a number that is none of `factors`: 512 * blocks.
bool has_other_factor(const std::string& product, const std::vector<std::int64_t>& factors) {
  for (std::size_t at = 0; at < product.size();) {
    const bool begins = std::isdigit(static_cast<unsigned char>(product[at])) != 0 &&
                        (at == 0 || (std::isalnum(static_cast<unsigned char>(product[at - 1])) == 0 &&
                                     product[at - 1] != '_'));
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(product.data() + at, product.data() + product.size(), number);
    if (begins && error == std::errc{} && std::find(factors.begin(), factors.end(), number) == factors.end())
      return true;
    at += begins && error == std::errc{} ? static_cast<std::size_t>(end - (product.data() + at)) : 1;
  }
  return false;
}

/// Sizes that scalars were given as expressions over axes, and no axis or product of axes is: few of them.
std::vector<std::string> told_sizes(const Draft& draft) {
  constexpr std::size_t most_told = 4;
  const std::vector<std::int64_t> factors = factors_of(draft);
  std::vector<std::string> sizes;
  for (const DraftArgument& argument : draft.arguments) {
    const bool expression =
        argument.value.find_first_of("+-/(") != std::string::npos ||
        (argument.value.find('*') != std::string::npos && has_other_factor(argument.value, factors));
    if (argument.role != "scalar" || !expression || !of_axes(draft, argument.value)) continue;
    if (bytes_of(argument.dtype) == 0 || ElementType{argument.dtype}.floating()) continue;
    if (std::ranges::find(sizes, argument.value) == sizes.end() && sizes.size() < most_told)
      sizes.push_back(argument.value);
  }
  return sizes;
}

/// Groups that an axis was told to be a multiple of, as sizes: k / 32 of 'k=512 multiple_of=32', and of 128,
/// too.
std::vector<std::string> groups_of(const DraftAxis& axis) {
  std::vector<std::string> groups;
  for (const auto& [key, value] : axis.keys) {
    std::int64_t multiple = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), multiple);
    if (key != "multiple_of" || error != std::errc{} || multiple < 2) continue;
    groups.push_back(fmt::format("{} / {}", axis.name, multiple));
    for (std::int64_t part = 8; part <= multiple / 2; part *= 2) {
      if (multiple % part == 0) groups.push_back(fmt::format("{} / {}", axis.name, part));
    }
  }
  return groups;
}

/// X of each "ceil_div(X, ...)" in a launch: how far threads go.
std::vector<std::string> shared_out(const std::vector<std::string>& grid) {
  constexpr std::string_view call = "ceil_div(";
  std::vector<std::string> all;
  for (const std::string& side : grid) {
    for (std::size_t at = side.find(call); at != std::string::npos; at = side.find(call, at + 1)) {
      const std::size_t begin = at + call.size();
      int depth = 0;
      std::size_t end = begin;
      for (; end < side.size() && (depth > 0 || side[end] != ','); ++end)
        depth += side[end] == '(' ? 1 : side[end] == ')' ? -1 : 0;
      all.push_back(side.substr(begin, end - begin));
    }
  }
  return all;
}

/// Of a single axis: sizes at which a told count of groups, ceil_div(n, 2048), is some, and not one of all.
std::int64_t scale_beyond_groups(const Draft& draft) {
  constexpr std::int64_t usual = 32, greatest = 2048, least_of_axis = 5;
  std::int64_t scale = usual;
  for (const std::string& told : told_sizes(draft)) {
    const auto expression = model::Expression::parse(told);
    const auto groups = [&] {
      return expression->evaluate_integer({{draft.axes.front().name, least_of_axis * scale}}).value_or(3);
    };
    while (expression && told.find("ceil_div(") != std::string::npos && scale < greatest && groups() < 3)
      scale *= 2;
  }
  return scale;
}

}  // namespace

bool of_axes(const Draft& draft, const std::string& text) {
  const auto expression = model::Expression::parse(text);
  if (!expression) return false;
  return std::ranges::all_of(expression->names(), [&](const std::string& name) {
    return std::ranges::any_of(draft.axes, [&](const DraftAxis& axis) { return axis.name == name; });
  });
}

std::vector<ShapeCandidate> size_candidates(const Draft& draft, const ProbeRun& run) {
  std::vector<ShapeCandidate> all;
  const std::size_t count = draft.axes.size();
  const auto size_of = [&](const DraftAxis& axis) { return run.value_of(axis.name).value_or(1); };
  std::vector<ShapeCandidate> products, squares;
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
  // A scale for each group of a row: [m, k / 32].
  std::vector<ShapeCandidate> grouped;
  for (std::size_t i = 0; i < count; ++i) {
    for (const std::string& group : groups_of(draft.axes[i])) {
      const std::int64_t groups = run.value_of(group).value_or(0);
      if (groups < 2) continue;
      grouped.push_back({{group}, groups});
      for (std::size_t set = 1; set < (std::size_t{1} << count); ++set) {
        if ((set >> i & 1) != 0) continue;
        ShapeCandidate rows = products[set - 1];
        rows.shape.push_back(group);
        rows.elements *= groups;
        grouped.push_back(std::move(rows));
      }
    }
  }
  // Pairs of one axis in each of others: who attends to whom, for each word.
  for (std::size_t i = 0; count > 1 && i < count; ++i) {
    for (std::size_t set = 1; set < (std::size_t{1} << count); ++set) {
      if ((set >> i & 1) != 0) continue;
      ShapeCandidate pairs = products[set - 1];
      pairs.shape.insert(pairs.shape.end(), 2, draft.axes[i].name);
      pairs.elements *= size_of(draft.axes[i]) * size_of(draft.axes[i]);
      squares.push_back(std::move(pairs));
    }
  }
  // What a scalar was told to be, alone and with axes: rows of C = D + 2 * D * deg.
  const std::vector<ShapeCandidate> plain = products;
  const std::vector<std::string> sizes_told = told_sizes(draft);
  for (std::size_t set = 1; set < (std::size_t{1} << sizes_told.size()); ++set) {
    ShapeCandidate sides{{}, 1};
    for (std::size_t i = 0; i < sizes_told.size(); ++i) {
      if ((set >> i & 1) == 0) continue;
      sides.shape.push_back(sizes_told[i]);
      sides.elements *= std::max<std::int64_t>(run.value_of(sizes_told[i]).value_or(0), 0);
    }
    if (sides.elements < 2) continue;
    products.push_back(sides);
    // The rows and columns of an output for each of few channels.
    if (sides.shape.size() > 1 && count > 4) continue;
    for (const ShapeCandidate& product : plain) {
      ShapeCandidate rows = product;
      rows.shape.insert(rows.shape.end(), sides.shape.begin(), sides.shape.end());
      rows.elements *= sides.elements;
      products.push_back(std::move(rows));
    }
  }
  // A sum, a few, a block of 8 x 8 or the taps of a filter: sizes of axes are larger where they are not many.
  std::vector<std::int64_t> counts{1, 2, 3, 4};
  if (count <= 3) counts.insert(counts.end(), {6, 8, 9, 16, 25, 27, 32, 49, 64});
  for (const std::int64_t few : counts) all.push_back({{std::to_string(few)}, few});
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
  for (const DraftArgument& argument : draft.arguments) {
    // 256 of float2 for each n: its shape counts 512 floats.
    for (const std::int64_t number : draft.numbers) {
      const std::int64_t floats = number * argument.lanes;
      const bool known = std::find(factors.begin(), factors.end(), floats) != factors.end();
      if (argument.role != "scalar" && argument.lanes > 1 && !known) factors.push_back(floats);
    }
  }
  for (const std::int64_t factor : factors) {
    for (ShapeCandidate product : products) {
      product.elements *= factor;
      if (factor > 1 && product.shape.size() > 1) product.shape.push_back(std::to_string(factor));
      if (factor > 1 && product.shape.size() == 1)
        product.shape[0] = std::to_string(factor) + " * " + as_factor(product.shape[0]);
      all.push_back(std::move(product));
    }
  }
  for (const DraftAxis& axis : draft.axes) all.push_back({{axis.name + " + 1"}, size_of(axis) + 1});
  all.insert(all.end(), squares.begin(), squares.end());
  all.insert(all.end(), grouped.begin(), grouped.end());
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
  std::int64_t whole = draft.axes.size() > 4 ? 4 : 8;
  for (const DraftAxis& axis : draft.axes) whole = std::min(most_probed, whole * size_of(axis));
  std::int64_t room = std::int64_t{1} << 16;
  for (const std::int64_t number : draft.numbers)
    room = std::max(room, std::min(number * 16, most_probed / 8));
  for (const std::string& told : told_sizes(draft))
    room = std::max(room, std::min(run.value_of(told).value_or(0), most_probed / 8));
  const std::int64_t most = std::max<std::int64_t>(whole, room);
  std::erase_if(all, [&](const ShapeCandidate& each) { return each.elements > most; });
  std::stable_sort(all.begin(), all.end(),
                   [](const ShapeCandidate& a, const ShapeCandidate& b) { return a.elements < b.elements; });
  return all;
}

std::int64_t room_for(const std::vector<ShapeCandidate>& candidates) {
  constexpr std::int64_t widest = 8;  // bytes of an element, as the reference has it
  return candidates.back().elements * widest;
}

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

std::optional<std::vector<std::int64_t>> launch_reference(const Draft& draft, ProbeRun& run) {
  std::vector<std::int64_t> bytes(draft.arguments.size(), 0);
  std::int64_t most = 1;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (draft.arguments[i].role == "scalar") continue;
    const auto elements = run.elements_of(draft.arguments[i].shape);
    if (!elements || *elements > most_probed) return std::nullopt;
    bytes[i] = *elements * run.element_bytes(i);
    most = std::max(most, *elements);
  }
  if (!launch_reference(draft, run, most)) return std::nullopt;
  return bytes;
}

std::vector<std::int64_t> scales_of(const Draft& draft, Probed whose) {
  const std::size_t axes = draft.axes.size();
  if (whose == Probed::reference)
    return {axes == 1 ? scale_beyond_groups(draft) : axes == 2 ? 4 : axes == 3 ? 2 : 1};
  if (axes <= 2) return {32};
  return axes == 3 ? std::vector<std::int64_t>{4, 16} : std::vector<std::int64_t>{2, 8};
}

std::vector<std::string> between_axes(const Draft& draft) {
  std::vector<std::string> plain;
  for (const std::string& text : shared_out(draft.launch.grid)) {
    if (of_axes(draft, text)) plain.push_back(text);
  }
  for (std::size_t i = 0; i < draft.axes.size(); ++i) {
    for (std::size_t j = 0; j < draft.axes.size(); ++j) {
      if (i == j) continue;
      const std::string &a = draft.axes[i].name, &b = draft.axes[j].name;
      if (i < j) {
        for (const char* form : {"min({0}, {1})", "max({0}, {1})", "{0} + {1}", "{0} + {1} - 1"})
          plain.push_back(fmt::format(fmt::runtime(form), a, b));
      }
      for (const char* form : {"ceil_div({0}, {1})", "{0} / {1}", "{0} - {1} + 1", "{0} - {1}"})
        plain.push_back(fmt::format(fmt::runtime(form), a, b));
    }
  }
  return plain;
}

}  // namespace evo::intake
