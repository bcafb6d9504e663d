// What a kernel's text shows of its launch: how threads find their place, and which shared memory it
// declares.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diagnose/tokens.hpp"
#include "intake/draft.hpp"

namespace evo::intake {

/// Statements as lists of tokens: what stands between ; { }.
[[nodiscard]] std::vector<std::vector<diagnose::Token>> statements_of(const std::string& body);

[[nodiscard]] bool says(const std::vector<diagnose::Token>& statement, std::string_view word);

/// "blockIdx.x" as its tokens stand.
[[nodiscard]] bool says_member(const std::vector<diagnose::Token>& statement, std::string_view object,
                               std::string_view member);

/// How a kernel finds its place along one side.
struct BlockPlace {
  bool asks = false;        ///< for the block's index
  bool per_thread = false;  ///< and multiplies it: the blocks share out elements, each thread its own
  std::string stride;       ///< the gene that the block's index itself is multiplied by
  std::vector<std::string> factors;  ///< genes that it multiplies by on the way
};

/// `side`: x, y or z. `block`: names in the block's size, which no thread counts elements by.
[[nodiscard]] BlockPlace place_of(const std::vector<std::vector<diagnose::Token>>& statements, char side,
                                  const std::vector<DraftGene>& genes, const std::vector<std::string>& block);

/// Whether the kernel numbers its blocks in a line that the host folds where it is too long for one side of a
/// grid: gridDim.x * blockIdx.y + blockIdx.x.
[[nodiscard]] bool folds_blocks(const std::string& body);

/// The gene that a loop over threadIdx.y + j steps by: a tile of TILE rows is copied by so many rows of
/// threads at a time. "" where there is none.
[[nodiscard]] std::string step_of_rows(const std::string& body, const std::vector<DraftGene>& genes);

/// Whether the kernel finds a row by its warp's number in the whole launch: blockIdx.x * (BLOCK / 32) +
/// threadIdx.x / 32, or (blockIdx.x * blockDim.x + threadIdx.x) / 32.
[[nodiscard]] bool warps_count(const std::vector<std::vector<diagnose::Token>>& statements);

/// A size as a factor of a product: in parentheses where it is a sum, a difference or a quotient.
[[nodiscard]] std::string as_factor(const std::string& size);
/// "m * (n + 1)"; the size itself where there is one.
[[nodiscard]] std::string product_of(const std::vector<std::string>& sizes);

/// The bytes of the kernel's __shared__ arrays as an expression over genes; "" where the text does not tell.
[[nodiscard]] std::string static_smem_of(const std::string& body, const std::vector<DraftGene>& genes);

}  // namespace evo::intake
