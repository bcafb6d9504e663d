#include "evaluators/gates/covering_array.hpp"

#include <algorithm>
#include <optional>
#include <set>

namespace evo::evaluators::gates {
namespace {

constexpr int most_refusals = 3;  ///< of rows that have a pair, before it is given up

/// Two levels of two factors, the lower factor first; where there is one factor, one of its levels twice.
struct Pair {
  std::size_t factor = 0, level = 0, other_factor = 0, other_level = 0;
  auto operator<=>(const Pair&) const = default;
};

class Coverer {
 public:
  Coverer(std::span<const std::size_t> levels, model::RandomStream& stream)
      : levels_(levels), stream_(stream) {
    for (std::size_t a = 0; a < levels.size(); ++a) {
      for (std::size_t b = levels.size() == 1 ? a : a + 1; b < levels.size(); ++b) {
        for (std::size_t i = 0; i < levels[a]; ++i) {
          for (std::size_t j = a == b ? i : 0; j < (a == b ? i + 1 : levels[b]); ++j)
            left_.insert({a, i, b, j});
        }
      }
    }
  }

  std::vector<LevelRow> run(std::size_t most_rows, const std::function<bool(const LevelRow&)>& accept) {
    std::vector<LevelRow> rows;
    while (!left_.empty() && rows.size() < most_rows) {
      const Pair seed = *std::next(left_.begin(), static_cast<std::ptrdiff_t>(stream_.below(left_.size())));
      std::optional<LevelRow> taken;
      for (int i = 0; i < most_refusals && !taken; ++i) {
        // The first time as many new pairs as there are, later any: some levels go with few others.
        LevelRow row = row_with(seed, i == 0);
        if (accept(row)) taken = std::move(row);
      }
      left_.erase(seed);
      if (!taken) continue;
      std::erase_if(left_, [&](const Pair& pair) { return has(*taken, pair); });
      rows.push_back(std::move(*taken));
    }
    return rows;
  }

 private:
  static bool has(const LevelRow& row, const Pair& pair) {
    return row[pair.factor] == pair.level && row[pair.other_factor] == pair.other_level;
  }

  LevelRow row_with(const Pair& seed, bool greedy) {
    LevelRow row(levels_.size());
    std::vector<bool> chosen(levels_.size(), false);
    const auto choose = [&](std::size_t factor, std::size_t level) {
      row[factor] = level;
      chosen[factor] = true;
    };
    choose(seed.factor, seed.level);
    choose(seed.other_factor, seed.other_level);
    const auto begin = static_cast<std::size_t>(stream_.below(levels_.size()));
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const std::size_t factor = (begin + i) % levels_.size();
      if (chosen[factor]) continue;
      const auto any = static_cast<std::size_t>(stream_.below(levels_[factor]));
      std::size_t best = any, most = 0;
      for (std::size_t j = 0; greedy && j < levels_[factor]; ++j) {
        const std::size_t level = (any + j) % levels_[factor];
        const std::size_t gained = gain(row, chosen, factor, level);
        if (gained > most) {
          most = gained;
          best = level;
        }
      }
      choose(factor, best);
    }
    return row;
  }

  [[nodiscard]] std::size_t gain(const LevelRow& row, const std::vector<bool>& chosen, std::size_t factor,
                                 std::size_t level) const {
    std::size_t gained = 0;
    for (std::size_t other = 0; other < row.size(); ++other) {
      if (!chosen[other]) continue;
      const Pair pair =
          other < factor ? Pair{other, row[other], factor, level} : Pair{factor, level, other, row[other]};
      gained += left_.contains(pair) ? 1 : 0;
    }
    return gained;
  }

  std::span<const std::size_t> levels_;
  model::RandomStream& stream_;
  std::set<Pair> left_;
};

}  // namespace

std::vector<LevelRow> cover_pairs(std::span<const std::size_t> levels, std::size_t most_rows,
                                  model::RandomStream& stream,
                                  const std::function<bool(const LevelRow&)>& accept) {
  if (levels.empty() || std::ranges::any_of(levels, [](std::size_t count) { return count == 0; })) return {};
  return Coverer(levels, stream).run(most_rows, accept);
}

}  // namespace evo::evaluators::gates
