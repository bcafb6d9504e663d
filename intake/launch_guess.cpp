#include "intake/launch_guess.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "diagnose/tokens.hpp"
#include "intake/gene_names.hpp"
#include "intake/macros.hpp"
#include "intake/types.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;
using diagnose::TokenKind;

/// Statements as lists of tokens: what stands between ; { }.
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

/// "blockIdx.x" as its tokens stand.
bool says_member(const std::vector<Token>& statement, std::string_view object, std::string_view member) {
  for (std::size_t i = 0; i + 2 < statement.size(); ++i) {
    if (statement[i].is(object) && statement[i + 2].is(member)) return true;
  }
  return false;
}

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

/// How a kernel finds its place along one side.
struct Place {
  bool asks = false;        ///< for the block's index
  bool per_thread = false;  ///< and multiplies it: the blocks share out elements, each thread its own
  std::string stride;       ///< the gene that the block's index itself is multiplied by
  std::vector<std::string> factors;  ///< genes that it multiplies by on the way
};

/// Variables that are the block's index and no more: int bx = blockIdx.x.
std::set<std::string> aliases_of(const std::vector<std::vector<Token>>& statements,
                                 const std::string& member) {
  std::set<std::string> names;
  for (const auto& statement : statements) {
    const std::size_t n = statement.size();
    if (n >= 6 && statement[n - 4].is("=") && statement[n - 3].is("blockIdx") && statement[n - 1].is(member))
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

Place place_of(const std::vector<std::vector<Token>>& statements, char side,
               const std::vector<DraftGene>& genes, const std::vector<std::string>& block) {
  const std::string member(1, side);
  Place place;
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

/// The genes that are the block's sides, "" where none is; `sides` of them.
std::vector<std::string> block_genes(const std::vector<DraftGene>& genes, int sides) {
  std::vector<std::string> block(static_cast<std::size_t>(sides));
  for (const GeneMeaning meaning : {GeneMeaning::threads, GeneMeaning::tile}) {
    for (const DraftGene& gene : genes) {
      if (meaning_of(gene.name) != meaning) continue;
      const char side = side_of(gene.name);
      if (side == 0) continue;
      const auto at = static_cast<std::size_t>(side - 'x');
      if (at < block.size() && block[at].empty()) block[at] = gene.name;
    }
    if (std::any_of(block.begin(), block.end(), [](const std::string& s) { return !s.empty(); }))
      return block;
    // One gene for every side; of tiles only where there are several.
    for (const DraftGene& gene : genes) {
      if (meaning_of(gene.name) != meaning || side_of(gene.name) != 0) continue;
      if (meaning == GeneMeaning::tile && sides == 1) continue;
      std::fill(block.begin(), block.end(), gene.name);
      return block;
    }
  }
  return block;
}

std::string product(const std::vector<std::string>& factors) {
  return fmt::format("{}", fmt::join(factors, " * "));
}

/// Whether an argument is larger where an axis is.
bool grows(const Draft& draft, const DraftArgument& argument) {
  for (const std::string& size : argument.shape) {
    for (const std::string& name : names_of(size)) {
      for (const DraftAxis& axis : draft.axes) {
        if (axis.name == name) return true;
      }
    }
  }
  return false;
}

/// The input with the most dimensions among those that grow with an axis, or `otherwise`.
const DraftArgument* largest_growing_input(const Draft& draft, const DraftArgument* otherwise) {
  const DraftArgument* largest = nullptr;
  for (const DraftArgument& argument : draft.arguments) {
    if (argument.role != "input" || !grows(draft, argument)) continue;
    if (largest == nullptr || argument.shape.size() > largest->shape.size()) largest = &argument;
  }
  return largest == nullptr ? otherwise : largest;
}

/// The shape in the kernel's elements, which threads count: n of float4[n], whose shape is 4 * n floats. As
/// it is where the vectors do not show in it.
std::vector<std::string> counted_shape(const DraftArgument& argument) {
  std::vector<std::string> shape = argument.shape;
  if (argument.lanes < 2) return shape;
  for (auto size = shape.rbegin(); size != shape.rend(); ++size) {
    int number = 0;
    const auto [end, error] = std::from_chars(size->data(), size->data() + size->size(), number);
    if (error != std::errc{} || number % argument.lanes != 0) continue;
    const std::string rest = size->substr(static_cast<std::size_t>(end - size->data()));
    if (!rest.empty() && !rest.starts_with(" * ")) continue;
    const int vectors = number / argument.lanes;
    if (rest.empty() && (vectors > 1 || shape.size() == 1)) {
      *size = std::to_string(vectors);
    } else if (rest.empty()) {
      shape.erase(std::next(size).base());
    } else {
      *size = vectors == 1 ? rest.substr(3) : fmt::format("{}{}", vectors, rest);
    }
    break;
  }
  return shape;
}

/// What the sides of the grid count: the sizes of the largest output, the fastest first.
std::vector<std::string> extents_of(const Draft& draft, int sides) {
  const DraftArgument* output = largest_output(draft);
  // A sum has one element, however many threads add to it: what is shared out is then what it is a sum of.
  if (output != nullptr && !grows(draft, *output)) output = largest_growing_input(draft, output);
  std::vector<std::string> shape = output == nullptr ? std::vector<std::string>{} : counted_shape(*output);
  std::vector<std::string> extents;
  for (int side = 0; side < sides; ++side) {
    const bool last = side + 1 == sides;
    if (shape.empty()) {
      const std::size_t at = std::min(static_cast<std::size_t>(side), draft.axes.size() - 1);
      extents.push_back(draft.axes.empty() ? "1" : draft.axes[at].name);
    } else if (last) {
      extents.push_back(product(shape));
      shape = {"1"};
    } else {
      extents.push_back(shape.back());
      shape.pop_back();
      if (shape.empty()) shape = {"1"};
    }
  }
  return extents;
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

const DraftArgument* largest_output(const Draft& draft) {
  const DraftArgument* largest = nullptr;
  for (const DraftArgument& argument : draft.arguments) {
    if (argument.role != "output" && argument.role != "inout") continue;
    if (largest == nullptr || argument.shape.size() > largest->shape.size()) largest = &argument;
  }
  return largest;
}

std::string elements_of(const DraftArgument& argument) {
  std::vector<std::string> factors;
  for (const std::string& size : argument.shape)
    factors.push_back(size.find(' ') == std::string::npos ? size : "(" + size + ")");
  return factors.empty() ? "1" : product(factors);
}

DraftLaunch guess_launch(const Draft& draft, const Request& request, const KernelText& kernel,
                         const std::string& body, const KernelUse& use) {
  DraftLaunch launch;
  std::vector<std::string> gene_names, names;
  for (const DraftGene& gene : draft.genes) gene_names.push_back(gene.name);
  names = gene_names;
  for (const DraftAxis& axis : draft.axes) names.push_back(axis.name);
  int sides = use.z ? 3 : use.y ? 2 : 1;
  if (!request.block.empty()) launch.block = read_expressions("--block", request.block, names);
  if (!request.grid.empty()) launch.grid = read_expressions("--grid", request.grid, names);
  sides = std::max(sides, static_cast<int>(launch.block.size()));

  std::vector<std::string> chosen = block_genes(draft.genes, sides);
  std::vector<std::string> fixed{"256"};
  if (sides == 2) fixed = {"16", "16"};
  if (sides == 3) fixed = {"8", "8", "4"};
  if (launch.block.empty()) {
    bool none = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      none = none && chosen[i].empty();
      launch.block.push_back(chosen[i].empty() ? fixed[i] : chosen[i]);
    }
    if (none && sides == 1 && !kernel.launch_bounds.empty()) launch.block = {kernel.launch_bounds};
    // A side without a gene beside one with: a line of threads, unless the kernel asks for it.
    launch.why = none ? "block: no gene names the threads of a block" : "";
  }
  chosen = launch.block;
  const auto statements = statements_of(body);
  std::vector<std::string> extents = extents_of(draft, sides);
  if (launch.grid.empty()) {
    for (int side = 0; side < sides; ++side) {
      const auto at = static_cast<std::size_t>(side);
      const std::string threads = at < chosen.size() ? chosen[at] : "1";
      const Place place = place_of(statements, static_cast<char>('x' + side), draft.genes, names_of(threads));
      if (!place.asks) {
        const bool loops =
            says_member(statements.empty() ? std::vector<Token>{} : statements.front(), "gridDim", "x");
        launch.grid.push_back(side == 0 && loops ? extents[at] : "1");
        continue;
      }
      if (!place.per_thread) {
        // A block for each row: the rows are all sizes of the output but its last.
        const DraftArgument* output = largest_output(draft);
        std::string rows = extents[at];
        const std::vector<std::string> shape =
            output == nullptr ? std::vector<std::string>{} : counted_shape(*output);
        if (side == 0 && sides == 1 && shape.size() > 1) rows = product({shape.begin(), shape.end() - 1});
        launch.grid.push_back(rows);
        launch.why += (launch.why.empty() ? "" : "; ") +
                      fmt::format("grid: blockIdx.{} is taken as it is", static_cast<char>('x' + side));
        continue;
      }
      // blockIdx.y * TILE + threadIdx.y: a block takes TILE, however many threads it has.
      std::vector<std::string> share{place.stride.empty() ? threads : place.stride};
      for (const std::string& factor : place.factors) {
        const std::vector<std::string> taken = names_of(share.front());
        if (std::find(taken.begin(), taken.end(), factor) == taken.end()) share.push_back(factor);
      }
      launch.grid.push_back(fmt::format("ceil_div({}, {})", extents[at], product(share)));
    }
    while (launch.grid.size() > 1 && launch.grid.back() == "1") launch.grid.pop_back();
  }
  if (!request.dynamic_smem.empty())
    launch.dynamic_smem = read_expressions("--smem", request.dynamic_smem, names).front();
  for (const auto& statement : statements) {
    if (says(statement, "extern") && says(statement, "__shared__") && launch.dynamic_smem.empty())
      launch.todo = "dynamic_smem: bytes of the extern __shared__ array, as an expression (--smem)";
  }
  return launch;
}

bool folds_blocks(const std::string& body) {
  bool found = false;
  for (const auto& statement : statements_of(body)) {
    found = found || folds(statement);
    if (says_member(statement, "threadIdx", "y")) return false;
  }
  return found;
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
