#include "evaluators/reference/powers.hpp"

#include <cstddef>
#include <vector>

#include "source/tokens.hpp"

namespace evo::evaluators::reference {
namespace {

constexpr const char* definition = R"(
template <class X, class Y> static __device__ auto evo_power(X x, Y y) { return pow(x, y); }
static __device__ float evo_power(float x, float y) {
  if (!(x > 0)) return powf(x, y);
  const float exponent = y * log2f(x);
  // A share of it between -1 and 1, another for each exponent.
  const float share = (int)(__float_as_uint(exponent) * 2654435761u) * 0x1p-31f;
  return exp2f(exponent) * (1 + share * (0x1p-22f + fabsf(exponent) * 0x1p-24f));
}
)";

bool is_power(const source::Token& token) {
  return token.is("pow") || token.is("powf");
}

/// Of `std` or `::` in front of the token at `i`; `i` itself without any. `math.pow` is another function.
std::size_t begin_of_name(const std::vector<source::Token>& tokens, std::size_t i) {
  if (i == 0 || !tokens[i - 1].is("::")) return i;
  return i > 1 && tokens[i - 2].is("std") ? i - 2 : i - 1;
}

bool is_call(const std::vector<source::Token>& tokens, std::size_t i) {
  if (!is_power(tokens[i]) || tokens[i].directive || i + 1 >= tokens.size() || !tokens[i + 1].is("("))
    return false;
  const std::size_t begin = begin_of_name(tokens, i);
  if (begin == 0) return true;
  const source::Token& before = tokens[begin - 1];
  const bool member = before.is(".") || before.is("->");
  // A type or another namespace in front: the file declares its own, which stays.
  const bool named = before.kind == source::TokenKind::name && !before.is("return") && !before.is("else");
  return !member && !named;
}

}  // namespace

const char* definition_of_powers() {
  return definition;
}

std::string with_powers_by_exp2(const std::string& source) {
  const std::vector<source::Token> tokens = source::tokens_of(source);
  std::string text;
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!is_call(tokens, i)) continue;
    const std::size_t begin = tokens[begin_of_name(tokens, i)].begin;
    text += source.substr(done, begin - done) + "evo_power";
    done = tokens[i].end();
  }
  return text + source.substr(done);
}

}  // namespace evo::evaluators::reference
