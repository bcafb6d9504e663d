#include "export/selftest_body.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "export/selftest_plain_errors.hpp"
#include "export/texture_writer.hpp"

namespace evo::exporting {
namespace {

std::string list(const std::vector<std::string>& items) {
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

model::Expected<std::vector<std::string>> all_cpp(const Names& names,
                                                  const std::vector<model::Expression>& expressions) {
  std::vector<std::string> texts;
  for (const auto& expression : expressions) {
    auto text = names.cpp(expression);
    if (!text) return tl::make_unexpected(text.error());
    texts.push_back(std::move(*text));
  }
  return texts;
}

/// Fills the array as the problem says, on the host. Error: a number that cannot be spelt.
model::Expected<std::string> fill_of(const model::Argument& argument, const std::vector<model::Argument>& all,
                                     const std::string& array, const Names& names, unsigned number) {
  const std::string seed = fmt::format("seed + {}", number);
  if (!argument.fill) return fmt::format("  {}.randomise({});\n", array, seed);
  const model::Fill& fill = *argument.fill;
  std::string numbers;
  for (const model::Fill::Number& each : fill.numbers) {
    auto text = each.number ? model::Expected<std::string>(fmt::format("{:.17g}", *each.number))
                            : names.cpp(each.expression);
    if (!text) return text;
    numbers += fmt::format(", static_cast<double>({})", *text);
  }
  if (fill.form == model::FillForm::column) {
    return fmt::format("  {}.take_column(array_{}{});\n", array, all.at(fill.argument).name, numbers);
  }
  if (model::follows_another(fill.form)) {
    return fmt::format("  {}.fill_{}({}, array_{}{});\n", array,
                       model::fill_form_names()[static_cast<std::size_t>(fill.form)], seed,
                       all.at(fill.argument).name, numbers);
  }
  return fmt::format("  {}.fill_{}({}{});\n", array,
                     model::fill_form_names()[static_cast<std::size_t>(fill.form)], seed, numbers);
}

}  // namespace

model::Expected<SelftestBody> selftest_body(const ExportRequest& request, const Names& names,
                                            Against against) {
  const bool wide = against == Against::oracle_kernel, recorded = against == Against::recording;
  SelftestBody body;
  unsigned number = 0, judged = 0;
  std::string late;  // of a recording, behind the inputs
  const auto* tolerance = request.problem.find_tolerance(request.accuracy_class);
  const auto factor = tolerance->reference_factor.value_or(model::ReferenceFactor{1, 0});
  std::string given;
  const auto takes = [&](const std::string& address) {
    body.reference += (body.reference.empty() ? "" : ", ") + address;
  };
  for (const auto& argument : request.problem.arguments) {
    // A std::vector<bool> has no elements to copy.
    const bool flags =
        argument.dtype == model::DType::boolean && argument.role != model::ArgumentRole::scalar;
    const std::string type = flags ? "unsigned char" : cpp_type(argument.dtype);
    const std::string reference_type = wide && model::is_floating(argument.dtype) ? "double" : type;
    if (argument.role == model::ArgumentRole::scalar) {
      auto value = model::Expected<std::string>(fmt::format("value_of_{}(axes)", argument.name));
      if (is_given(argument)) {
        value = fmt::format("static_cast<{}>({})", type, *value);
        given += ", " + *value;
      } else if (names.names_loop(argument.scalar.expression)) {
        value = "0";  // it has a value in each launch; the reference has no use for any
      } else {
        value = names.cpp(argument.scalar.expression);
        if (!value) return tl::make_unexpected(value.error());
      }
      body.values +=
          fmt::format("  {0} scalar_{1} = static_cast<{0}>({2});\n", reference_type, argument.name, *value);
      takes("&scalar_" + argument.name);
      continue;
    }
    const auto shape = all_cpp(names, argument.shape), strides = all_cpp(names, argument.strides);
    if (!shape) return tl::make_unexpected(shape.error());
    if (!strides) return tl::make_unexpected(strides.error());
    const std::string array = "array_" + argument.name;
    const auto add = [&](const std::string& element, const std::string& called) {
      body.arrays += fmt::format("  Array<{}> {}({}, {});\n", element, called, list(*shape), list(*strides));
    };
    std::string judged_array = array;  // what is compared of it
    std::string reduction;
    if (argument.reduce == model::Reduction::none) {
      add(type, array);
    } else {
      const auto count = argument.slices ? names.cpp(*argument.slices) : model::Expected<std::string>("1");
      if (!count) return tl::make_unexpected(count.error());
      judged_array = "reduced_" + argument.name;
      add(type, judged_array);
      body.arrays += fmt::format("  Array<{}> {}({}.in_slices({}), {}.slice_strides());\n", type, array,
                                 judged_array, *count, judged_array);
      reduction = fmt::format("  {}.reduce(Reduction::{}, {});\n", judged_array,
                              model::name_of(argument.reduce), array);
    }
    const std::string object = "object_" + argument.name;
    body.launch_arguments += argument.texture ? fmt::format(", {}.object", object)
                             : flags          ? fmt::format(", reinterpret_cast<bool*>({}.device)", array)
                                              : fmt::format(", {}.device", array);
    std::string other = array;
    if (model::is_given(argument.role) && recorded) {
      body.arrays += fmt::format("  {}.read(recording);\n", array);
    } else if (model::is_given(argument.role)) {
      const auto fill = fill_of(argument, request.problem.arguments, array, names, ++number);
      if (!fill) return tl::make_unexpected(fill.error());
      body.arrays += *fill;
    }
    if (argument.texture) {
      body.arrays +=
          fmt::format("  {0} {1};\n  CHECK({1}.make(axes));\n  CHECK({1}.fill(axes, {2}.device));\n",
                      texture_type(argument.name, *argument.texture), object, array);
    }
    if (argument.texture && model::is_judged(argument.role))
      body.comparisons += fmt::format("  CHECK({}.bring_back(axes, {}.device));\n", object, array);
    if (model::is_judged(argument.role)) {
      other = "expected_" + argument.name;
      add(recorded ? "double" : wide ? reference_type : "float", other);
      if (recorded) late += fmt::format("  read_answer({}, recording);\n", other);
      // What was there before: the reference goes on from it, and may leave some of it.
      if (model::is_given(argument.role) && !recorded)
        body.arrays += fmt::format("  {}.take({});\n", other, array);
      if (argument.zeroed && !recorded) body.arrays += fmt::format("  {}.clear();\n", other);
      const std::string allowed =
          recorded ? fmt::format("each.allowed[{}]", judged++)
          : measures_plain_errors(request)
              ? fmt::format("plain_errors_{}.scaled({}, {})", argument.name, factor.factor, factor.absolute)
              : "no_bound()";
      body.comparisons += reduction;
      if (argument.reduce == model::Reduction::sort) body.comparisons += fmt::format("  {}.sort();\n", other);
      body.comparisons += fmt::format("  good = agree(\"{}\", {}, {}, {}) && good;\n", argument.name,
                                      judged_array, other, allowed);
    } else if (model::is_given(argument.role) && reference_type != type) {
      other = "wide_" + argument.name;
      add(reference_type, other);
      body.arrays += fmt::format("  {}.take({});\n", other, array);
    }
    takes("&" + other + ".device");
  }
  body.launch_arguments += given;
  body.arrays += late;
  return body;
}

}  // namespace evo::exporting
