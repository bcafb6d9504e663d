#include "intake/launch_text.hpp"

#include <algorithm>
#include <cctype>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "intake/gene_names.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

/// gridDim.x * blockIdx.y, or the other way round.
bool folds(const std::vector<Token>& statement) {
  for (std::size_t i = 0; i + 6 < statement.size(); ++i) {
    const auto is = [&](std::size_t at, const char* object, const char* member) {
      return statement[at].is(object) && statement[at + 2].is(member);
    };
    if (statement[i + 3].is("*") && ((is(i, "gridDim", "x") && is(i + 4, "blockIdx", "y")) ||
                                     (is(i, "blockIdx", "y") && is(i + 4, "gridDim", "x"))))
      return true;
  }
  return false;
}

/// Variables that are the index of the block, or of another object, and no more: int bx = blockIdx.x.
std::set<std::string> aliases_of(const std::vector<std::vector<Token>>& statements, const std::string& member,
                                 std::string_view object = "blockIdx") {
  std::set<std::string> names;
  for (const auto& statement : statements) {
    const std::size_t n = statement.size();
    if (n >= 6 && statement[n - 4].is("=") && statement[n - 3].is(object) && statement[n - 1].is(member))
      names.insert(statement[n - 5].text);
  }
  return names;
}

/// b * blockDim.x + threadIdx.x, blockDim.x * b, b * 256, b << 8, where b is statement[at].
bool shares_out(const std::vector<Token>& statement, std::size_t at) {
  if (!says(statement, "threadIdx")) return false;
  const auto threads = [&](std::size_t i) {
    return i < statement.size() && (statement[i].kind == TokenKind::number || statement[i].is("blockDim"));
  };
  const bool behind = at + 2 < statement.size() &&
                      (statement[at + 1].is("*") || statement[at + 1].is("<<")) && threads(at + 2);
  const bool before = at > 1 && statement[at - 1].is("*") && (threads(at - 2) || (at > 3 && threads(at - 4)));
  return behind || before;
}

/// "float a[T][T], b" as "4 * (T) * (T)" and "4"; nothing where a size or the type is not known.
std::vector<std::string> shared_bytes_of(const std::vector<Token>& statement,
                                         const std::vector<DraftGene>& genes) {
  std::vector<std::string> all;
  std::string type, sizes, current;
  int depth = 0;
  int element = 0;  // bytes
  const auto finish = [&] {
    if (element == 0) {
      const std::size_t blank = type.rfind(' ');
      const ElementType known = element_type(type.substr(0, blank));
      if (blank == std::string::npos || known.dtype.empty()) return false;
      element = bytes_of(known.dtype) * known.lanes;
    }
    all.push_back(sizes.empty() ? std::to_string(element) : fmt::format("{} * {}", element, sizes));
    sizes.clear();
    return true;
  };
  for (const Token& token : statement) {
    if (token.is("__shared__") || token.is("static") || token.is("volatile")) continue;
    if (token.is("[") && depth++ == 0) continue;
    if (token.is("]") && --depth == 0) {
      sizes += (sizes.empty() ? "" : " * ") + std::string("(") + current + ")";
      current.clear();
    } else if (depth > 0) {
      const bool known =
          token.kind != TokenKind::name ||
          std::any_of(genes.begin(), genes.end(), [&](const DraftGene& g) { return token.is(g.name); });
      if (!known) return {};
      current += token.text;
    } else if (token.is(",")) {
      if (!finish()) return {};
    } else if (token.is("(") || token.is("=")) {
      return {};
    } else if (element == 0 && sizes.empty()) {
      type += (type.empty() ? "" : " ") + token.text;
    }
  }
  if (!finish()) return {};
  return all;
}

}  // namespace

std::vector<std::vector<Token>> statements_of(const std::string& body) {
  std::vector<std::vector<Token>> statements(1);
  int depth = 0;
  for (const Token& token : diagnose::tokens_of(body)) {
    if (token.directive) continue;
    if (token.is("(")) ++depth;
    if (token.is(")")) --depth;
    if (token.is("{") || token.is("}") || (token.is(";") && depth <= 0)) {
      statements.emplace_back();
      depth = 0;
    } else {
      statements.back().push_back(token);
    }
  }
  return statements;
}

bool says(const std::vector<Token>& statement, std::string_view word) {
  return std::any_of(statement.begin(), statement.end(), [&](const Token& t) { return t.is(word); });
}

bool says_member(const std::vector<Token>& statement, std::string_view object, std::string_view member) {
  for (std::size_t i = 0; i + 2 < statement.size(); ++i) {
    if (statement[i].is(object) && statement[i + 2].is(member)) return true;
  }
  return false;
}

BlockPlace place_of(const std::vector<std::vector<Token>>& statements, char side,
                    const std::vector<DraftGene>& genes, const std::vector<std::string>& block) {
  const std::string member(1, side);
  BlockPlace place;
  std::set<std::string> derived;  // variables that come from the index
  std::set<std::string> factors;
  const std::set<std::string> aliases = aliases_of(statements, member);
  std::set<std::string> others;  // those of other sides
  for (const char* other : {"x", "y", "z"}) {
    if (other != member) others.merge(aliases_of(statements, other));
  }
  for (const auto& statement : statements) {
    for (std::size_t i = 0; i < statement.size(); ++i) {
      // int by = blockIdx.y; ... by * TILE
      if (!aliases.contains(statement[i].text)) continue;
      place.per_thread = place.per_thread || shares_out(statement, i);
      for (const DraftGene& gene : genes) {
        const bool behind =
            i + 2 < statement.size() && statement[i + 1].is("*") && statement[i + 2].is(gene.name);
        const bool before = i > 1 && statement[i - 1].is("*") && statement[i - 2].is(gene.name);
        if (!behind && !before) continue;
        place.per_thread = true;
        place.stride = gene.name;
      }
    }
    const bool index = says_member(statement, "blockIdx", member);
    bool uses = index;
    for (const Token& token : statement) uses = uses || derived.contains(token.text);
    if (!uses) continue;
    place.asks = place.asks || index;
    place.per_thread = place.per_thread || (index && folds(statement) && says(statement, "blockDim"));
    for (std::size_t i = 0; i < statement.size(); ++i) {
      const bool product =
          (i > 0 && statement[i - 1].is("*")) || (i + 1 < statement.size() && statement[i + 1].is("*"));
      for (const DraftGene& gene : genes) {
        // Those that are sides of the block, or belong to another side, are none of this one's.
        const char own = side_of(gene.name);
        const bool other = (own != 0 && own != side) || (i > 1 && others.contains(statement[i - 2].text)) ||
                           (i + 2 < statement.size() && others.contains(statement[i + 2].text));
        if (product && statement[i].is(gene.name) && !other &&
            std::find(block.begin(), block.end(), gene.name) == block.end())
          factors.insert(gene.name);
      }
    }
    if (index) {
      // blockIdx.x * anything shares elements out; blockIdx.x alone is a row.
      for (std::size_t i = 0; i + 2 < statement.size(); ++i) {
        if (!statement[i].is("blockIdx") || !statement[i + 2].is(member)) continue;
        place.per_thread =
            place.per_thread || (i > 0 && statement[i - 1].is("*")) ||
            (i + 3 < statement.size() && (statement[i + 3].is("*") || statement[i + 3].is("<<")));
        const bool times = i + 3 < statement.size() && statement[i + 3].is("*");
        for (const DraftGene& gene : genes) {
          const bool behind = times && i + 4 < statement.size() && statement[i + 4].is(gene.name);
          const bool before = i > 1 && statement[i - 1].is("*") && statement[i - 2].is(gene.name);
          if (behind || before) place.stride = gene.name;
        }
      }
    }
    for (std::size_t i = 1; i + 1 < statement.size(); ++i) {
      if (statement[i].is("=") && statement[i - 1].kind == TokenKind::name) {
        derived.insert(statement[i - 1].text);
        break;
      }
    }
  }
  for (const DraftGene& gene : genes) {
    if (factors.contains(gene.name)) place.factors.push_back(gene.name);
  }
  return place;
}

std::string as_factor(const std::string& size) {
  int depth = 0;
  for (const char c : size) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                       std::string_view("_ *()").find(c) != std::string::npos;
    if (depth == 0 && !plain) return "(" + size + ")";
  }
  return size;
}

std::string product_of(const std::vector<std::string>& sizes) {
  if (sizes.size() == 1) return sizes.front();
  std::vector<std::string> factors;
  for (const std::string& size : sizes) factors.push_back(as_factor(size));
  return fmt::format("{}", fmt::join(factors, " * "));
}

bool folds_blocks(const std::string& body) {
  bool found = false;
  for (const auto& statement : statements_of(body)) {
    found = found || folds(statement);
    if (says_member(statement, "threadIdx", "y")) return false;
  }
  return found;
}

bool warps_count(const std::vector<std::vector<Token>>& statements) {
  // Numbers of a thread in the launch, of one in its block, and of a warp in its block.
  std::set<std::string> threads, lanes, warps;
  const auto by_warp = [&](const std::vector<Token>& statement) {
    for (std::size_t i = 1; i + 1 < statement.size(); ++i) {
      // Groups of 32 of something else are none: scale[row * (k / 32) + j / 32].
      const std::string& of = statement[i - 1].text;
      if (of != ")" && of != "x" && !threads.contains(of) && !lanes.contains(of)) continue;
      const Token& next = statement[i + 1];
      if (statement[i].is(">>") && next.is("5")) return true;
      if (!statement[i].is("/")) continue;
      if (next.is("32") || next.is("warpSize") || next.is("WARP_SIZE") || next.is("WARPSIZE")) return true;
    }
    return false;
  };
  for (const auto& statement : statements) {
    const auto equals = std::ranges::find_if(statement, [](const Token& token) { return token.is("="); });
    if (equals == statement.begin() || equals == statement.end()) continue;
    const std::string& name = std::prev(equals)->text;
    const bool whole = says(statement, "blockIdx") ||
                       std::ranges::any_of(equals, statement.end(),
                                           [&](const Token& token) { return threads.contains(token.text); });
    bool warp = by_warp(statement);
    for (auto token = equals; token != statement.end(); ++token) {
      const auto after = std::next(token);
      const bool times = after != statement.end() && after->is("*");
      warp = warp || (warps.contains(token->text) && !times);  // warp * 16 is a row of a tile
    }
    if (whole && warp) return true;
    if (whole) threads.insert(name);
    if (!whole && says(statement, "threadIdx")) lanes.insert(name);
    if (warp && says(statement, "threadIdx")) warps.insert(name);
  }
  return false;
}

std::string step_of_rows(const std::string& body, const std::vector<DraftGene>& genes) {
  const auto statements = statements_of(body);
  const std::set<std::string> rows = aliases_of(statements, "y", "threadIdx");
  for (const auto& loop : statements) {
    for (std::size_t i = 1; i + 2 < loop.size(); ++i) {
      // for (int j = 0; j < TILE; j += ROWS)
      const bool steps = loop[i].is("+=") && loop[i + 2].is(")") && says(loop, "for");
      const auto gene =
          std::ranges::find_if(genes, [&](const DraftGene& g) { return loop[i + 1].is(g.name); });
      if (!steps || gene == genes.end()) continue;
      const std::string& counter = loop[i - 1].text;
      // Up to an axis it is another loop: of the depth of a product, say.
      bool of_a_tile = false;
      for (std::size_t k = 0; k + 2 < i; ++k) {
        const auto is_bound = [&](const DraftGene& g) { return loop[k + 2].is(g.name); };
        of_a_tile =
            of_a_tile || (loop[k].is(counter) && loop[k + 1].is("<") && std::ranges::any_of(genes, is_bound));
      }
      if (!of_a_tile) continue;
      for (const auto& statement : statements) {
        for (std::size_t at = 0; at < statement.size(); ++at) {
          // threadIdx.y + j
          const bool row = (statement[at].is("y") && at > 1 && statement[at - 2].is("threadIdx")) ||
                           rows.contains(statement[at].text);
          if (row && at + 2 < statement.size() && statement[at + 1].is("+") && statement[at + 2].is(counter))
            return gene->name;
        }
      }
    }
  }
  return "";
}

std::string static_smem_of(const std::string& body, const std::vector<DraftGene>& genes) {
  std::vector<std::string> sum;
  for (const auto& statement : statements_of(body)) {
    if (!says(statement, "__shared__") || says(statement, "extern")) continue;
    const auto bytes = shared_bytes_of(statement, genes);
    if (bytes.empty()) return {};
    sum.insert(sum.end(), bytes.begin(), bytes.end());
  }
  return fmt::format("{}", fmt::join(sum, " + "));
}

}  // namespace evo::intake
