#include "source/conditionals.hpp"

#include "source/condition_value.hpp"

namespace evo::source {
namespace {

std::vector<Token> between(const std::vector<Token>& tokens, std::size_t begin, std::size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
          tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// What NVRTC defines.
Macros predefined() {
  Macros macros;
  for (const auto& [name, value] :
       {std::pair{"__CUDACC__", "1"}, std::pair{"__CUDACC_RTC__", "1"}, std::pair{"__CUDA_ARCH__", "900"},
        std::pair{"__cplusplus", "201703"}, std::pair{"__CUDACC_VER_MAJOR__", "12"}}) {
    macros[name] = Macro{std::nullopt, tokens_of(value)};
  }
  return macros;
}

class ConditionalReader {
 public:
  explicit ConditionalReader(const std::vector<Token>& tokens)
      : tokens_(tokens), live_(tokens.size(), false) {}

  std::vector<bool> run() {
    for (std::size_t i = 0; i < tokens_.size();) {
      if (!tokens_[i].directive) {
        live_[i] = on();
        ++i;
        continue;
      }
      std::size_t end = i + 1;
      while (end < tokens_.size() && tokens_[end].directive && !tokens_[end].first) ++end;
      directive(i + 1, end);
      i = end;
    }
    return std::move(live_);
  }

 private:
  /// An #if: is this arm on, was one of its arms, is all around it.
  struct Level {
    bool on, taken, around;
  };

  [[nodiscard]] bool on() const { return levels_.empty() || levels_.back().on; }

  bool truth(std::size_t begin, std::size_t end) const {
    return condition_value(between(tokens_, begin, end), macros_).value_or(0) != 0;
  }

  void directive(std::size_t begin, std::size_t end) {
    if (begin >= end) return;
    const Token& word = tokens_[begin];
    const bool named = begin + 1 < end;
    const bool known = named && macros_.contains(tokens_[begin + 1].text);
    if (word.is("if")) {
      enter(on() && truth(begin + 1, end));
    } else if (word.is("ifdef")) {
      enter(on() && known);
    } else if (word.is("ifndef")) {
      enter(on() && named && !known);
    } else if (word.is("elif") && !levels_.empty()) {
      Level& level = levels_.back();
      level.on = level.around && !level.taken && truth(begin + 1, end);
      level.taken = level.taken || level.on;
    } else if (word.is("else") && !levels_.empty()) {
      Level& level = levels_.back();
      level.on = level.around && !level.taken;
      level.taken = true;
    } else if (word.is("endif") && !levels_.empty()) {
      levels_.pop_back();
    } else if (word.is("define") && named && on()) {
      define(begin + 1, end);
    } else if (word.is("undef") && named && on()) {
      if (const auto found = macros_.find(tokens_[begin + 1].text); found != macros_.end())
        macros_.erase(found);
    }
  }

  void enter(bool taken) {
    const bool around = on();
    levels_.push_back({taken, taken, around});
  }

  void define(std::size_t name, std::size_t end) {
    Macro macro;
    std::size_t begin = name + 1;
    if (begin < end && tokens_[begin].is("(") && tokens_[begin].begin == tokens_[name].end()) {
      macro.parameters.emplace();
      for (++begin; begin < end && !tokens_[begin].is(")"); ++begin) {
        if (tokens_[begin].kind == TokenKind::name) macro.parameters->push_back(tokens_[begin].text);
      }
      ++begin;
    }
    if (begin < end) macro.replacement = between(tokens_, begin, end);
    macros_.insert_or_assign(tokens_[name].text, std::move(macro));
  }

  const std::vector<Token>& tokens_;
  std::vector<bool> live_;
  std::vector<Level> levels_;
  Macros macros_ = predefined();
};

}  // namespace

std::vector<bool> live_tokens(const std::vector<Token>& tokens) {
  return ConditionalReader(tokens).run();
}

}  // namespace evo::source
