#include "config/keys.hpp"

#include <algorithm>
#include <stdexcept>

namespace evo::config {

std::vector<std::string> key_names(std::span<const Key> keys) {
  std::vector<std::string> names;
  for (const Key& entry : keys) names.emplace_back(entry.name);
  return names;
}

const Key& key(std::span<const Key> keys, std::string_view name) {
  const auto found =
      std::find_if(keys.begin(), keys.end(), [&](const Key& entry) { return entry.name == name; });
  if (found == keys.end()) throw std::logic_error("no such key in the settings table: " + std::string(name));
  return *found;
}

}  // namespace evo::config
