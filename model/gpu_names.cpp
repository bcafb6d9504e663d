#include "model/gpu_names.hpp"

#include <algorithm>
#include <charconv>

namespace evo::model {

std::optional<std::vector<int>> gpus_named(std::string_view text) {
  constexpr std::string_view prefix = "cuda:";
  constexpr std::size_t most_digits = 4;
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  std::vector<int> gpus;
  if (text == "all") return gpus;
  while (true) {
    const std::string_view word = text.substr(0, text.find(','));
    const bool digits = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    if (word.empty() || word.size() > most_digits || !digits) return std::nullopt;
    int ordinal = 0;
    std::from_chars(word.data(), word.data() + word.size(), ordinal);
    if (std::ranges::find(gpus, ordinal) != gpus.end()) return std::nullopt;
    gpus.push_back(ordinal);
    if (word.size() == text.size()) return gpus;
    text.remove_prefix(word.size() + 1);
  }
}

}  // namespace evo::model
