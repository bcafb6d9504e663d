#include "source/condition_value.hpp"

#include <algorithm>
#include <cstdlib>

namespace evo::source {
namespace {

constexpr int deepest = 24;
constexpr std::size_t longest = 4096;

Token number_token(std::int64_t value) {
  Token token;
  token.kind = TokenKind::number;
  token.text = std::to_string(value);
  return token;
}

class Expander {
 public:
  explicit Expander(const Macros& macros) : macros_(macros) {}

  /// False: it does not end, or a call is not whole.
  bool expand(const std::vector<Token>& tokens, int depth, std::vector<Token>& out) {
    if (depth > deepest) return false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (out.size() > longest) return false;
      const Token& token = tokens[i];
      if (token.is("defined")) {
        const bool bracket = i + 1 < tokens.size() && tokens[i + 1].is("(");
        const std::size_t name = i + (bracket ? 2 : 1);
        if (name >= tokens.size()) return false;
        out.push_back(number_token(macros_.contains(tokens[name].text) ? 1 : 0));
        i = name + (bracket ? 1 : 0);
        continue;
      }
      const auto found = token.kind == TokenKind::name ? macros_.find(token.text) : macros_.end();
      if (found == macros_.end()) {
        out.push_back(token);
        continue;
      }
      if (!found->second.parameters) {
        if (!expand(found->second.replacement, depth + 1, out)) return false;
        continue;
      }
      if (i + 1 >= tokens.size() || !tokens[i + 1].is("(")) return false;
      const std::size_t close = closing(tokens, i + 1);
      if (close == tokens.size()) return false;
      std::vector<Token> replaced;
      if (!substitute(found->second, tokens, i + 2, close, replaced)) return false;
      if (!expand(replaced, depth + 1, out)) return false;
      i = close;
    }
    return true;
  }

 private:
  static bool substitute(const Macro& macro, const std::vector<Token>& tokens, std::size_t begin,
                         std::size_t end, std::vector<Token>& out) {
    std::vector<std::vector<Token>> arguments(1);
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (tokens[i].is("(")) ++depth;
      if (tokens[i].is(")")) --depth;
      if (depth == 0 && tokens[i].is(",")) {
        arguments.emplace_back();
      } else {
        arguments.back().push_back(tokens[i]);
      }
    }
    for (const Token& token : macro.replacement) {
      if (token.is("#")) return false;
      const auto parameter = std::find(macro.parameters->begin(), macro.parameters->end(), token.text);
      if (parameter == macro.parameters->end()) {
        out.push_back(token);
        continue;
      }
      const auto index = static_cast<std::size_t>(parameter - macro.parameters->begin());
      if (index >= arguments.size()) return false;
      out.insert(out.end(), arguments[index].begin(), arguments[index].end());
    }
    return true;
  }

  const Macros& macros_;
};

struct Failed {};

class Evaluator {
 public:
  explicit Evaluator(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::int64_t run() {
    const std::int64_t value = conditional();
    if (at_ != tokens_.size()) throw Failed{};
    return value;
  }

 private:
  bool take(std::string_view text) {
    if (at_ >= tokens_.size() || !tokens_[at_].is(text)) return false;
    ++at_;
    return true;
  }

  std::int64_t conditional() {
    const std::int64_t condition = binary(0);
    if (!take("?")) return condition;
    const std::int64_t yes = conditional();
    if (!take(":")) throw Failed{};
    const std::int64_t no = conditional();
    return condition != 0 ? yes : no;
  }

  static int level(const Token& token) {
    static const std::map<std::string, int, std::less<>> levels{
        {"||", 1}, {"&&", 2}, {"|", 3},  {"^", 4},  {"&", 5}, {"==", 6}, {"!=", 6}, {"<", 7},  {">", 7},
        {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
    const auto found = levels.find(token.text);
    return found == levels.end() ? 0 : found->second;
  }

  std::int64_t binary(int least) {
    std::int64_t left = unary();
    while (at_ < tokens_.size()) {
      const int here = level(tokens_[at_]);
      if (here == 0 || here <= least) break;
      const std::string sign = tokens_[at_++].text;
      left = apply(sign, left, binary(here));
    }
    return left;
  }

  // As unsigned numbers where an overflow would be undefined.
  static std::int64_t apply(const std::string& sign, std::int64_t a, std::int64_t b) {
    const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
    if (sign == "||") return a != 0 || b != 0;
    if (sign == "&&") return a != 0 && b != 0;
    if (sign == "|") return a | b;
    if (sign == "^") return a ^ b;
    if (sign == "&") return a & b;
    if (sign == "==") return a == b;
    if (sign == "!=") return a != b;
    if (sign == "<") return a < b;
    if (sign == ">") return a > b;
    if (sign == "<=") return a <= b;
    if (sign == ">=") return a >= b;
    if (sign == "<<") return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(x << y);
    if (sign == ">>") return b < 0 || b > 63 ? 0 : a >> b;
    if (sign == "+") return static_cast<std::int64_t>(x + y);
    if (sign == "-") return static_cast<std::int64_t>(x - y);
    if (sign == "*") return static_cast<std::int64_t>(x * y);
    // Both arms of && and || are evaluated here, so what C would not reach may divide by 0.
    if (b == 0 || b == -1) return b == 0 || sign == "%" ? 0 : static_cast<std::int64_t>(0 - x);
    return sign == "/" ? a / b : a % b;
  }

  std::int64_t unary() {
    if (++nested_ > 200) throw Failed{};
    if (take("!")) return unary() == 0;
    if (take("-")) return static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(unary()));
    if (take("+")) return unary();
    if (take("~")) return ~unary();
    if (take("(")) {
      const std::int64_t value = conditional();
      if (!take(")")) throw Failed{};
      return value;
    }
    if (at_ >= tokens_.size()) throw Failed{};
    const Token& token = tokens_[at_++];
    if (token.kind == TokenKind::number) {
      std::string digits = token.text;
      std::erase(digits, '\'');
      return static_cast<std::int64_t>(std::strtoull(digits.c_str(), nullptr, 0));
    }
    if (token.kind == TokenKind::text && token.text.size() == 3) return token.text[1];
    if (token.kind != TokenKind::name) throw Failed{};
    // __has_include(<x>) and the like: no.
    if (at_ < tokens_.size() && tokens_[at_].is("(")) {
      at_ = std::min(closing(tokens_, at_) + 1, tokens_.size());
      return 0;
    }
    return token.is("true") ? 1 : 0;
  }

  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
  int nested_ = 0;
};

}  // namespace

std::optional<std::int64_t> condition_value(const std::vector<Token>& condition, const Macros& macros) {
  std::vector<Token> expanded;
  if (!Expander(macros).expand(condition, 0, expanded)) return std::nullopt;
  try {
    return Evaluator(expanded).run();
  } catch (const Failed&) {
    return std::nullopt;
  }
}

}  // namespace evo::source
