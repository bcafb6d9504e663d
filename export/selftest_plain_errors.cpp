#include "export/selftest_plain_errors.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace evo::exporting {
namespace {

bool is_array(const model::Argument& argument) {
  return argument.role != model::ArgumentRole::scalar;
}

std::string element_type(const model::Argument& argument) {
  return argument.dtype == model::DType::boolean && is_array(argument) ? "unsigned char"
                                                                       : cpp_type(argument.dtype);
}

/// The least and the largest that the argument's own fill draws, as C++; "" and "": anything. nullopt: it
/// means something else when it changes a little (an index), or is no floating-point number.
model::Expected<std::optional<std::string>> limits_of(const model::Argument& argument, const Names& names) {
  if (!model::is_given(argument.role) || !model::is_floating(argument.dtype))
    return std::optional<std::string>{};
  if (!argument.fill) return std::optional<std::string>{""};
  const bool normal = argument.fill->form == model::FillForm::normal;
  if (!normal && argument.fill->form != model::FillForm::uniform) return std::optional<std::string>{};
  std::vector<std::string> numbers;
  for (const model::Fill::Number& each : argument.fill->numbers) {
    auto text = each.number ? model::Expected<std::string>(fmt::format("{:.17g}", *each.number))
                            : names.cpp(each.expression);
    if (!text) return tl::make_unexpected(text.error());
    numbers.push_back(fmt::format("static_cast<double>({})", *text));
  }
  if (normal)
    return std::optional{fmt::format(", {0} - 4 * {1}, {0} + 4 * {1}", numbers.at(0), numbers.at(1))};
  return std::optional{fmt::format(", {}, {}", numbers.at(0), numbers.at(1))};
}

/// Which numbers the reference gets in one launch.
struct Form {
  std::string prefix;  ///< of its variables
  std::string type;    ///< of floating-point arrays and scalars
  std::string address;
  bool moved = false;  ///< inputs are moved by a relative change
};

/// A block that launches the reference in another form and widens `target`NAME by how far its outputs are
/// off.
model::Expected<std::string> launched(const ExportRequest& request, const Names& names, const Form& form,
                                      const std::string& launch, const std::string& target) {
  std::string text, taken, behind;
  const auto takes = [&](const std::string& address) { taken += (taken.empty() ? "" : ", ") + address; };
  unsigned number = 0;
  for (const auto& argument : request.problem.arguments) {
    const bool floating = model::is_floating(argument.dtype);
    const std::string own = element_type(argument), type = floating ? form.type : own;
    const std::string array = "array_" + argument.name, other = form.prefix + argument.name;
    if (!is_array(argument)) {
      if (floating && form.type != "double") {
        text += fmt::format("    {0} {1} = static_cast<{0}>(scalar_{2});\n", form.type, other, argument.name);
        takes("&" + other);
      } else {
        takes("&scalar_" + argument.name);
      }
      continue;
    }
    const auto declare = [&] {
      // Where slices are reduced, the reference has one of them.
      const std::string like = model::is_judged(argument.role) ? "expected_" + argument.name : array;
      text += fmt::format("    Array<{0}> {1}({2}.shape, {2}.strides);\n", type, other, like);
    };
    ++number;
    if (model::is_judged(argument.role) || model::is_given(argument.role)) {
      auto limits = limits_of(argument, names);
      if (!limits) return tl::make_unexpected(limits.error());
      const bool moves = form.moved && *limits;
      if (!model::is_judged(argument.role) && !moves && type == own) {
        takes("&" + array + ".device");  // as it is
        continue;
      }
      declare();
      if (moves) {
        text += fmt::format("    {}.move({}, seed + {} + 50 * draw, relative{});\n", other, array, number,
                            **limits);
      } else if (model::is_given(argument.role)) {
        text += fmt::format("    {}.take({});\n", other, array);
      }
      if (argument.zeroed) text += fmt::format("    {}.clear();\n", other);
      if (model::is_judged(argument.role) && floating)
        behind += fmt::format("    {0}{1}.widen(errors_of<{2}>({3}, expected_{1}));\n", target, argument.name,
                              form.moved ? "double" : own, other);
      takes("&" + other + ".device");
      continue;
    }
    takes("&" + array + ".device");  // a workspace
  }
  std::string line =
      fmt::format(fmt::runtime(launch), fmt::arg("address", form.address), fmt::arg("taken", taken));
  return text + line + behind;
}

}  // namespace

bool measures_plain_errors(const ExportRequest& request) {
  const auto* tolerance = request.problem.find_tolerance(request.accuracy_class);
  if (tolerance == nullptr || !tolerance->automatic || !request.problem.oracle_kernel) return false;
  return std::ranges::none_of(request.problem.arguments, [](const model::Argument& argument) {
    return argument.texture && argument.texture->filter == model::TextureFilter::linear;
  });
}

bool has_plain_reference(const ExportRequest& request) {
  return measures_plain_errors(request) &&
         std::ranges::none_of(request.problem.arguments, [](const model::Argument& argument) {
           return is_array(argument) && argument.dtype == model::DType::f64;
         });
}

double terms_of(const model::Case& bound) {
  double elements = 1;
  for (const model::BoundArgument& argument : bound.arguments) {
    if (!model::is_judged(argument.role)) continue;
    double own = 1;
    for (const std::int64_t size : argument.shape) own *= static_cast<double>(size);
    elements = std::max(elements, own);
  }
  return std::max(1.0, bound.flops / elements / 2);
}

model::Expected<std::string> plain_error_statements(const ExportRequest& request, const Names& names,
                                                    const std::string& launch) {
  const bool plain = has_plain_reference(request);
  double relative = 0;  // a change of the inputs that survives their rounding
  for (const auto& argument : request.problem.arguments) {
    if (!model::is_given(argument.role)) continue;
    if (argument.dtype == model::DType::bf16) relative = std::max(relative, 0x1p-6);
    if (argument.dtype == model::DType::f16) relative = std::max(relative, 0x1p-9);
    if (argument.dtype == model::DType::f32) relative = std::max(relative, 0x1p-20);
    if (argument.dtype == model::DType::f64) relative = std::max(relative, 0x1p-40);
  }
  std::string text = fmt::format(
      "  // How far off a correct kernel may be on these data.\n  const double growth = {} * std::fmax(1.0, "
      "std::sqrt(each.terms) / 2);\n",
      plain ? "std::ldexp(1.0, -24)" : "64 * std::ldexp(1.0, -53)");
  std::string integers;
  std::vector<const model::Argument*> outputs;
  for (const auto& argument : request.problem.arguments) {
    if (!model::is_judged(argument.role)) continue;
    if (model::is_floating(argument.dtype)) {
      outputs.push_back(&argument);
    } else {
      integers += fmt::format("  const Errors plain_errors_{};  // integers must be equal\n", argument.name);
    }
  }
  if (outputs.empty()) return integers;
  for (const auto* output : outputs)
    text += fmt::format("  Errors moved_{0}, plain_{0};\n  expected_{0}.download();\n", output->name);
  if (relative > 0) {
    const auto moved = launched(request, names, {"with_moved_", "double", "evo_selftest_reference()", true},
                                launch, "moved_");
    if (!moved) return moved;
    text += fmt::format(
        "  const double relative = {:.17g};\n  for (unsigned draw = 0; draw < 2; ++draw) {{\n{}  }}\n",
        relative, *moved);
  } else {
    text += "  const double relative = 1;\n";
  }
  if (plain) {
    const auto in_float =
        launched(request, names, {"in_float_", "float", "evo_selftest_plain()", false}, launch, "plain_");
    if (!in_float) return in_float;
    text += "  {\n" + *in_float + "  }\n";
  }
  for (const auto* output : outputs)
    text += fmt::format(
        "  const Errors plain_errors_{0} = errors_allowed<{1}>(expected_{0}, moved_{0}, plain_{0}, "
        "growth, relative, {2}, {3});\n",
        output->name, element_type(*output),
        output->slices ? fmt::format("std::sqrt(static_cast<double>(array_{}.shape[0]))", output->name) : "1",
        output->dtype == model::DType::f64 ? "0" : "each.cut_off");
  return text + integers;
}

const char* plain_errors_harness() {
  return R"(
/// Of `other`, rounded to T, against `expected`; what is not finite measures nothing. The larger of this and what
/// was measured before counts (widen).
template <class T, class A>
Errors errors_of(Array<A>& other, const Array<double>& expected) {
  other.download();
  double squares = 0, largest = 0;
  long long count = 0;
  expected.for_each([&](std::size_t at) {
    ++count;
    const double error = std::fabs(rounded<T>(to_number(other.host[at])) - expected.host[at]);
    if (!std::isfinite(error)) return;
    squares += error * error;
    largest = std::fmax(largest, error);
  });
  return {std::sqrt(squares / static_cast<double>(std::max(count, 1LL))), largest};
}

/// The error of the reference in float, and no less than the rounding of the answer's own size, and of what it
/// moves by when the inputs move by `relative`, grown over the terms. Each of several slices is rounded
/// by itself. Of tensor cores, what they cut off besides: a share of the answer's size.
template <class T>
Errors errors_allowed(const Array<double>& expected, const Errors& moved, const Errors& plain, double growth,
                    double relative, double roundings, double cut_off) {
  double squares = 0, largest = 0, storage2 = 0, storage = 0;
  long long count = 0;
  expected.for_each([&](std::size_t at) {
    const double value = expected.host[at], off = std::fabs(rounded<T>(value) - value);
    ++count;
    if (!std::isfinite(off)) return;
    squares += value * value;
    largest = std::fmax(largest, std::fabs(value));
    storage2 += off * off;
    storage = std::fmax(storage, off);
  });
  const double elements = static_cast<double>(std::max(count, 1LL));
  const double share = growth * std::sqrt(squares / elements);
  Errors result{std::fmax(moved.rms * growth / relative, share) + roundings * std::sqrt(storage2 / elements),
                std::fmax(moved.largest * growth / relative, 2 * share) + roundings * storage};
  result.widen(plain);
  return {result.rms + cut_off * std::sqrt(squares / elements), result.largest + cut_off * largest};
}
)";
}

}  // namespace evo::exporting
