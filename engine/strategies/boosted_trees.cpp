#include "engine/strategies/boosted_trees.hpp"

#include <algorithm>

namespace evo::engine {
namespace {

constexpr int trees = 40;
constexpr int depth = 4;
constexpr double learning_rate = 0.2;
/// Share of the genes that a tree may ask for.
constexpr double genes_of_tree = 0.8;
/// Observations of the mean that every leaf is mixed with: one observation alone says little.
constexpr double shrinkage = 0.5;

}  // namespace

/// Grows one tree after the other.
class BoostedTrees::Grower {
 public:
  Grower(BoostedTrees& model, const CodedSpace& space, std::span<const Observation> rows,
         model::RandomStream& random)
      : model_(model), space_(space), rows_(rows), random_(random), left_over_(rows.size()) {
    for (std::size_t i = 0; i < rows.size(); ++i) left_over_[i] = rows[i].target - model.mean_;
    for (std::size_t i = 0; i < rows.size(); ++i) sample_.push_back(random.below(rows.size()));
    columns_.reserve(space.genes() * rows.size());
    for (std::size_t gene = 0; gene < space.genes(); ++gene) {
      most_values_ = std::max(most_values_, space.values(gene));
      for (const Observation& row : rows) columns_.push_back(row.code[gene]);
    }
  }

  std::int32_t tree() {
    genes_.clear();
    for (std::size_t gene = 0; gene < space_.genes(); ++gene) {
      if (space_.values(gene) > 1 && random_.chance(genes_of_tree)) genes_.push_back(gene);
    }
    const std::int32_t root = grow(sample_, depth);
    for (std::size_t i = 0; i < rows_.size(); ++i) left_over_[i] -= model_.follow(root, rows_[i].code);
    return root;
  }

 private:
  struct Split {
    double gain = 0;
    Node node;
  };

  std::int32_t grow(std::span<std::size_t> rows, int levels) {
    double sum = 0;
    for (const std::size_t row : rows) sum += left_over_[row];
    const auto count = static_cast<double>(rows.size());
    const auto at = static_cast<std::int32_t>(model_.nodes_.size());
    model_.nodes_.emplace_back();
    model_.nodes_.back().leaf = learning_rate * sum / (count + shrinkage);
    if (levels == 0 || rows.size() < 4) return at;
    const Split best = best_split(rows, sum);
    if (best.gain <= 1e-12) return at;
    Node node = best.node;
    const auto middle = std::partition(rows.begin(), rows.end(), [&](std::size_t row) {
      const auto value = rows_[row].code[node.gene];
      return node.equal ? value == node.value : value <= node.value;
    });
    const auto left = static_cast<std::size_t>(middle - rows.begin());
    node.left = grow(rows.first(left), levels - 1);
    node.right = grow(rows.subspan(left), levels - 1);
    model_.nodes_[static_cast<std::size_t>(at)] = node;
    return at;
  }

  Split best_split(std::span<const std::size_t> rows, double sum) {
    Split best;
    const auto count = static_cast<double>(rows.size());
    const double whole = sum * sum / count;
    std::vector<double> sums(most_values_), counts(most_values_);
    for (const std::size_t gene : genes_) {
      const std::size_t values = space_.values(gene);
      std::fill_n(sums.begin(), values, 0);
      std::fill_n(counts.begin(), values, 0);
      const std::uint16_t* column = columns_.data() + gene * rows_.size();
      for (const std::size_t row : rows) {
        const auto value = column[row];
        sums[value] += left_over_[row];
        counts[value] += 1;
      }
      const bool equal = space_.space().genes()[gene].symbolic();
      double left_sum = 0, left_count = 0;
      for (std::size_t value = 0; value < values; ++value) {
        left_sum = sums[value] + (equal ? 0 : left_sum);
        left_count = counts[value] + (equal ? 0 : left_count);
        const double correct_count = count - left_count;
        if (left_count < 1 || correct_count < 1) continue;
        const double correct_sum = sum - left_sum;
        const double gain =
            left_sum * left_sum / left_count + correct_sum * correct_sum / correct_count - whole;
        if (gain <= best.gain) continue;
        best.gain = gain;
        best.node.gene = static_cast<std::uint16_t>(gene);
        best.node.value = static_cast<std::uint16_t>(value);
        best.node.equal = equal;
      }
    }
    return best;
  }

  BoostedTrees& model_;
  const CodedSpace& space_;
  std::span<const Observation> rows_;
  model::RandomStream& random_;
  std::vector<double> left_over_;
  std::vector<std::size_t> sample_, genes_;
  std::vector<std::uint16_t> columns_;  ///< gene by gene the values of all rows
  std::size_t most_values_ = 1;
};

BoostedTrees::BoostedTrees(const CodedSpace& space, std::span<const Observation> observations,
                           model::RandomStream& random) {
  for (const Observation& row : observations) mean_ += row.target / static_cast<double>(observations.size());
  Grower grower(*this, space, observations, random);
  for (int tree = 0; tree < trees; ++tree) roots_.push_back(grower.tree());
}

double BoostedTrees::predict(const Code& code) const {
  double value = mean_;
  for (const std::int32_t root : roots_) value += follow(root, code);
  return value;
}

double BoostedTrees::follow(std::int32_t root, const Code& code) const {
  const Node* node = &nodes_[static_cast<std::size_t>(root)];
  while (node->left >= 0) {
    const auto value = code[node->gene];
    const bool left = node->equal ? value == node->value : value <= node->value;
    node = &nodes_[static_cast<std::size_t>(left ? node->left : node->right)];
  }
  return node->leaf;
}

}  // namespace evo::engine
