#include "intake/launch_guess.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "intake/gene_names.hpp"
#include "intake/launch_text.hpp"
#include "intake/macros.hpp"
#include "intake/told_scalars.hpp"

namespace evo::intake {
namespace {

using diagnose::Token;

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

/// Whether the kernel gets all axes of the argument's shape; one that only the reference gets is none.
bool told_of(const Draft& draft, const DraftArgument& argument) {
  for (const std::string& size : argument.shape) {
    for (const std::string& name : names_of(size)) {
      for (const DraftArgument& other : draft.arguments) {
        if (other.name == name && other.reference_only) return false;
      }
    }
  }
  return true;
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
    if (size->find_first_of("+-") != std::string::npos) continue;  // 4 * n + 4: not all of it is divided
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
  // Threads cannot count what the kernel is not told: one that adds to a table goes over what it adds.
  if (output != nullptr && !told_of(draft, *output)) {
    const DraftArgument* input = largest_growing_input(draft, output);
    if (told_of(draft, *input)) output = input;
  }
  std::vector<std::string> shape = output == nullptr ? std::vector<std::string>{} : counted_shape(*output);
  std::vector<std::string> extents;
  for (int side = 0; side < sides; ++side) {
    const bool last = side + 1 == sides;
    if (shape.empty()) {
      const std::size_t at = std::min(static_cast<std::size_t>(side), draft.axes.size() - 1);
      extents.push_back(draft.axes.empty() ? "1" : draft.axes[at].name);
    } else if (last) {
      extents.push_back(product_of(shape));
      shape = {"1"};
    } else {
      extents.push_back(shape.back());
      shape.pop_back();
      if (shape.empty()) shape = {"1"};
    }
  }
  return extents;
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
  return factors.empty() ? "1" : product_of(factors);
}

DraftLaunch guess_launch(const Draft& draft, const Request& request, const KernelText& kernel,
                         const std::string& body, const KernelUse& use) {
  DraftLaunch launch;
  std::vector<std::string> gene_names, names;
  for (const DraftGene& gene : draft.genes) gene_names.push_back(gene.name);
  names = gene_names;
  for (const DraftAxis& axis : draft.axes) names.push_back(axis.name);
  int sides = use.z ? 3 : use.y ? 2 : 1;
  if (!request.block.empty())
    launch.block = read_expressions("--block", with_told_sizes(draft, "--block", request.block), names);
  if (!request.grid.empty())
    launch.grid = read_expressions("--grid", with_told_sizes(draft, "--grid", request.grid), names);
  sides = std::max(sides, static_cast<int>(launch.block.size()));

  // Blocks may count along a side that threads do not: a row for each blockIdx.y.
  const int of_threads = use.thread_z ? 3 : use.thread_y ? 2 : 1;
  std::vector<std::string> chosen = block_genes(draft.genes, of_threads);
  const std::string steps = of_threads == 2 ? step_of_rows(body, draft.genes) : "";
  if (!steps.empty() && chosen.front() == chosen.back() && chosen.back() != steps) chosen.back() = steps;
  std::vector<std::string> fixed{"256"};
  if (of_threads == 2) fixed = {"16", "16"};
  if (of_threads == 3) fixed = {"8", "8", "4"};
  if (launch.block.empty()) {
    bool none = true;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      none = none && chosen[i].empty();
      launch.block.push_back(chosen[i].empty() ? fixed[i] : chosen[i]);
    }
    if (none && of_threads == 1 && !kernel.launch_bounds.empty()) launch.block = {kernel.launch_bounds};
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
      const BlockPlace place =
          place_of(statements, static_cast<char>('x' + side), draft.genes, names_of(threads));
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
        if (side == 0 && sides == 1 && shape.size() > 1) rows = product_of({shape.begin(), shape.end() - 1});
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
      if (side == 0 && sides == 1 && share == std::vector{threads} && warps_count(statements)) {
        // A warp for each row: the rows are all sizes of the output but its last, or its elements.
        const DraftArgument* output = largest_output(draft);
        const auto shape = output == nullptr ? std::vector<std::string>{} : counted_shape(*output);
        const std::string rows =
            shape.size() > 1 ? product_of({shape.begin(), shape.end() - 1}) : extents[at];
        launch.grid.push_back(fmt::format("ceil_div(32 * {}, {})", as_factor(rows), threads));
        continue;
      }
      const std::string taken = product_of(share);
      launch.grid.push_back(taken == "1" ? extents[at] : fmt::format("ceil_div({}, {})", extents[at], taken));
    }
    while (launch.grid.size() > 1 && launch.grid.back() == "1") launch.grid.pop_back();
  }
  if (!request.dynamic_smem.empty())
    launch.dynamic_smem =
        read_expressions("--smem", with_told_sizes(draft, "--smem", request.dynamic_smem), names).front();
  for (const auto& statement : statements) {
    if (says(statement, "extern") && says(statement, "__shared__") && launch.dynamic_smem.empty())
      launch.todo = "dynamic_smem: bytes of the extern __shared__ array, as an expression (--smem)";
  }
  return launch;
}

}  // namespace evo::intake
