#include "model/metric.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <optional>

#include <fmt/format.h>

namespace evo::model {
namespace {

using LookUp = std::function<std::optional<double>(const std::string&)>;

constexpr int deepest_metric = 100;

/// Evaluates while it parses; after the first error everything is 0.
class MetricParser {
 public:
  MetricParser(std::string_view text, LookUp look_up) : text_(text), look_up_(std::move(look_up)) {}

  tl::expected<double, std::string> parse() {
    const double value = sum(0);
    blanks();
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}'", text_[at_]));
    if (!error_.empty()) return tl::make_unexpected(error_);
    return value;
  }

 private:
  double fail(const std::string& message) {
    if (error_.empty()) error_ = fmt::format("'{}': {} (character {})", text_, message, at_ + 1);
    at_ = text_.size();
    return 0;
  }
  void blanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }
  bool take(std::string_view sign) {
    blanks();
    if (!text_.substr(at_).starts_with(sign)) return false;
    at_ += sign.size();
    return true;
  }

  double sum(int depth) {
    if (depth > deepest_metric) return fail("nested too deeply");
    double value = product(depth + 1);
    while (error_.empty()) {
      if (take("+")) {
        value += product(depth + 1);
      } else if (take("-")) {
        value -= product(depth + 1);
      } else {
        break;
      }
    }
    return value;
  }
  double product(int depth) {
    double value = sign(depth + 1);
    while (error_.empty()) {
      if (take("//")) {
        value = std::floor(value / sign(depth + 1));
      } else if (take("*")) {
        value *= sign(depth + 1);
      } else if (take("/")) {
        value /= sign(depth + 1);
      } else if (take("%")) {
        value = std::fmod(value, sign(depth + 1));
      } else {
        break;
      }
    }
    return value;
  }
  double sign(int depth) {
    if (depth > deepest_metric) return fail("nested too deeply");
    if (take("-")) return -sign(depth + 1);
    const double base = primary(depth + 1);
    return take("**") ? std::pow(base, sign(depth + 1)) : base;
  }
  double primary(int depth) {
    blanks();
    if (at_ >= text_.size()) return fail("it ends where a value was expected");
    if (take("(")) {
      const double value = sum(depth + 1);
      return take(")") ? value : fail("expected ')'");
    }
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) != 0 || c == '.') return number();
    if (std::isalpha(c) != 0 || c == '_') return name(depth);
    return fail(fmt::format("unexpected '{}'", text_[at_]));
  }
  double number() {
    double value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) return fail("no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  double name(int depth) {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (take("(")) return call(word, depth);
    const auto value = look_up_(word);
    return value ? *value : fail(fmt::format("unknown name '{}'", word));
  }
  double call(const std::string& function, int depth) {
    const double a = sum(depth + 1);
    const bool two = function == "min" || function == "max";
    if (!two && function != "sqrt" && function != "log2")
      return fail(fmt::format("unknown function '{}'; known: min, max, sqrt, log2", function));
    if (two && !take(",")) return fail(function + " takes two values");
    const double b = two ? sum(depth + 1) : 0;
    if (!take(")")) return fail("expected ')'");
    if (function == "min") return std::min(a, b);
    if (function == "max") return std::max(a, b);
    return function == "sqrt" ? std::sqrt(a) : std::log2(a);
  }

  std::string_view text_;
  LookUp look_up_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace

tl::expected<double, std::string> evaluate_metric(std::string_view text, const MetricValues& values) {
  return MetricParser(text,
                      [&](const std::string& name) -> std::optional<double> {
                        const auto found = values.find(name);
                        return found == values.end() ? std::nullopt : std::optional(found->second);
                      })
      .parse();
}

tl::expected<std::set<std::string>, std::string> metric_names(std::string_view text) {
  std::set<std::string> names;
  const auto parsed = MetricParser(text, [&](const std::string& name) -> std::optional<double> {
                        names.insert(name);
                        return 1;
                      }).parse();
  if (!parsed) return tl::make_unexpected(parsed.error());
  return names;
}

}  // namespace evo::model
