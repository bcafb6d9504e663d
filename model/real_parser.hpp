// Reads expressions in floating point, and hands what it reads to an algebra: numbers, or the text of another
// language.
#pragma once

#include <array>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <tl/expected.hpp>

namespace evo::model {

struct RealFunction {
  std::string_view name;
  int values = 1;
};
inline constexpr std::array<RealFunction, 11> real_functions{{{"min", 2},
                                                              {"max", 2},
                                                              {"sqrt"},
                                                              {"log2"},
                                                              {"log"},
                                                              {"exp"},
                                                              {"abs"},
                                                              {"floor"},
                                                              {"ceil"},
                                                              {"inverse_sqrt"},
                                                              {"ceil_div", 2}}};

/// Algebra: a type Value, number(double, text), name(text) -> optional, negated(v), binary(operation, a, b)
/// of
/// + - * / % "//" "**", call(function, a, b). After the first error the values mean nothing.
template <class Algebra>
class RealParser {
 public:
  using Value = typename Algebra::Value;
  RealParser(std::string_view text, Algebra& algebra) : text_(text), algebra_(algebra) {}

  tl::expected<Value, std::string> parse() {
    Value value = sum(0);
    blanks();
    if (at_ < text_.size()) fail(fmt::format("unexpected '{}'", text_[at_]));
    if (!error_.empty()) return tl::make_unexpected(error_);
    return value;
  }

 private:
  static constexpr int deepest = 100;

  Value fail(const std::string& message) {
    if (error_.empty()) error_ = fmt::format("'{}': {} (character {})", text_, message, at_ + 1);
    at_ = text_.size();
    return {};
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

  Value sum(int depth) {
    if (depth > deepest) return fail("nested too deeply");
    Value value = product(depth + 1);
    while (error_.empty()) {
      if (take("+")) {
        value = algebra_.binary("+", value, product(depth + 1));
      } else if (take("-")) {
        value = algebra_.binary("-", value, product(depth + 1));
      } else {
        break;
      }
    }
    return value;
  }
  Value product(int depth) {
    Value value = sign(depth + 1);
    while (error_.empty()) {
      std::string_view operation;
      for (const std::string_view each : {"//", "*", "/", "%"}) {
        if (operation.empty() && take(each)) operation = each;
      }
      if (operation.empty()) break;
      value = algebra_.binary(operation, value, sign(depth + 1));
    }
    return value;
  }
  Value sign(int depth) {
    if (depth > deepest) return fail("nested too deeply");
    if (take("-")) return algebra_.negated(sign(depth + 1));
    Value base = primary(depth + 1);
    return take("**") ? algebra_.binary("**", base, sign(depth + 1)) : base;
  }
  Value primary(int depth) {
    blanks();
    if (at_ >= text_.size()) return fail("it ends where a value was expected");
    if (take("(")) {
      Value value = sum(depth + 1);
      return take(")") ? value : fail("expected ')'");
    }
    const auto c = static_cast<unsigned char>(text_[at_]);
    if (std::isdigit(c) != 0 || c == '.') return number();
    if (std::isalpha(c) != 0 || c == '_') return name(depth);
    return fail(fmt::format("unexpected '{}'", text_[at_]));
  }
  Value number() {
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc{}) return fail("no number");
    at_ = static_cast<std::size_t>(end - text_.data());
    return algebra_.number(value, std::string_view(begin, static_cast<std::size_t>(end - begin)));
  }
  Value name(int depth) {
    const std::size_t start = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    const std::string word(text_.substr(start, at_ - start));
    if (take("(")) return call(word, depth);
    std::optional<Value> value = algebra_.name(word);
    return value ? *value : fail(fmt::format("unknown name '{}'", word));
  }
  Value call(const std::string& word, int depth) {
    const RealFunction* function = nullptr;
    std::string known;
    for (const RealFunction& each : real_functions) {
      if (each.name == word) function = &each;
      known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
    }
    if (function == nullptr) return fail(fmt::format("unknown function '{}'; known: {}", word, known));
    Value a = sum(depth + 1), b{};
    if (function->values == 2) {
      if (!take(",")) return fail(word + " takes two values");
      b = sum(depth + 1);
    }
    return take(")") ? algebra_.call(word, a, b) : fail("expected ')'");
  }

  std::string_view text_;
  Algebra& algebra_;
  std::size_t at_ = 0;
  std::string error_;
};

}  // namespace evo::model
