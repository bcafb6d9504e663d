// A small regression model over coded genomes: boosted trees, as cost models of compilers use them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/random.hpp"
#include "mutators/coded_space.hpp"

namespace evo::engine {

using mutators::Code;
using mutators::CodedSpace;

/// A genome and what became of it.
struct Observation {
  Code code;
  double target = 0;  ///< ln(latency), or any other number of which less is better
};

/// Shallow regression trees, each fitted to what those before it left over (gradient boosting with squared
/// loss), on a bootstrap sample of the observations: models from different streams agree where there are many
/// observations and differ where there are few. Trees split ordered values by a threshold, symbols one
/// against the rest.
class BoostedTrees {
 public:
  /// `observations` is not empty. A pure function of the arguments.
  BoostedTrees(const CodedSpace& space, std::span<const Observation> observations,
               model::RandomStream& random);

  [[nodiscard]] double predict(const Code& code) const;

 private:
  struct Node {
    std::uint16_t gene = 0, value = 0;
    bool equal = false;                  ///< go left if == value; otherwise if <= value
    std::int32_t left = -1, right = -1;  ///< -1: a leaf
    double leaf = 0;
  };
  class Grower;
  [[nodiscard]] double follow(std::int32_t root, const Code& code) const;

  double mean_ = 0;
  std::vector<Node> nodes_;
  std::vector<std::int32_t> roots_;
};

}  // namespace evo::engine
