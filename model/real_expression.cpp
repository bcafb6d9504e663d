#include "model/real_expression.hpp"

#include <algorithm>
#include <cmath>

#include "model/real_parser.hpp"

namespace evo::model {
namespace {

struct RealNumbers {
  using Value = double;
  const RealValues& values;

  [[nodiscard]] static double number(double value, std::string_view) { return value; }
  [[nodiscard]] std::optional<double> name(const std::string& word) const {
    const auto found = values.find(word);
    return found == values.end() ? std::nullopt : std::optional(found->second);
  }
  [[nodiscard]] static double negated(double value) { return -value; }
  [[nodiscard]] static double binary(std::string_view operation, double a, double b) {
    if (operation == "+") return a + b;
    if (operation == "-") return a - b;
    if (operation == "*") return a * b;
    if (operation == "/") return a / b;
    if (operation == "%") return std::fmod(a, b);
    return operation == "//" ? std::floor(a / b) : std::pow(a, b);
  }
  [[nodiscard]] static double call(const std::string& function, double a, double b) {
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    if (function == "sqrt") return std::sqrt(a);
    if (function == "inverse_sqrt") return 1 / std::sqrt(a);
    if (function == "exp") return std::exp(a);
    if (function == "log") return std::log(a);
    if (function == "log2") return std::log2(a);
    if (function == "abs") return std::abs(a);
    if (function == "floor") return std::floor(a);
    return function == "ceil" ? std::ceil(a) : std::ceil(a / b);
  }
};

/// What stands in it; the values are of no interest.
struct RealLook {
  using Value = bool;
  RealUse use{};

  bool number(double, std::string_view text) {
    use.real = use.real || text.find_first_of(".eE") != std::string_view::npos;
    return true;
  }
  std::optional<bool> name(const std::string& word) {
    use.names.insert(word);
    return true;
  }
  [[nodiscard]] static bool negated(bool) { return true; }
  [[nodiscard]] static bool binary(std::string_view, bool, bool) { return true; }
  bool call(const std::string& function, bool, bool) {
    use.real = use.real || (function != "min" && function != "max" && function != "ceil_div");
    return true;
  }
};

struct RealCpp {
  using Value = std::string;
  const std::function<std::string(const std::string&)>& names;

  [[nodiscard]] static std::string number(double value, std::string_view) {
    const std::string text = fmt::format("{:.17g}", value);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
  }
  [[nodiscard]] std::optional<std::string> name(const std::string& word) const { return names(word); }
  [[nodiscard]] static std::string negated(const std::string& value) { return "(-" + value + ")"; }
  [[nodiscard]] static std::string binary(std::string_view operation, const std::string& a,
                                          const std::string& b) {
    if (operation == "%") return fmt::format("std::fmod({}, {})", a, b);
    if (operation == "//") return fmt::format("std::floor({} / {})", a, b);
    if (operation == "**") return fmt::format("std::pow({}, {})", a, b);
    return fmt::format("({} {} {})", a, operation, b);
  }
  [[nodiscard]] static std::string call(const std::string& function, const std::string& a,
                                        const std::string& b) {
    if (function == "min" || function == "max") return fmt::format("std::{}<double>({}, {})", function, a, b);
    if (function == "inverse_sqrt") return fmt::format("(1.0 / std::sqrt({}))", a);
    if (function == "ceil_div") return fmt::format("std::ceil({} / {})", a, b);
    return fmt::format("std::{}({})", function, a);
  }
};

}  // namespace

tl::expected<double, std::string> evaluate_real(std::string_view text, const RealValues& values) {
  RealNumbers numbers{values};
  return RealParser<RealNumbers>(text, numbers).parse();
}

tl::expected<RealUse, std::string> use_of_real(std::string_view text) {
  RealLook look;
  const auto parsed = RealParser<RealLook>(text, look).parse();
  if (!parsed) return tl::make_unexpected(parsed.error());
  return look.use;
}

tl::expected<std::string, std::string> real_in_cpp(
    std::string_view text, const std::function<std::string(const std::string&)>& name) {
  RealCpp cpp{name};
  return RealParser<RealCpp>(text, cpp).parse();
}

}  // namespace evo::model
