// What is there at two looks in a row, and not in passing.
#pragma once

#include <set>
#include <string>
#include <utility>

namespace evo::farm {

class SeenTwice {
 public:
  /// Those of `now` that were there the last time too. They count as new from here on.
  [[nodiscard]] std::set<std::string> twice(std::set<std::string> now) {
    std::set<std::string> again;
    for (const std::string& name : now) {
      if (before_.contains(name)) again.insert(name);
    }
    for (const std::string& name : again) now.erase(name);
    before_ = std::move(now);
    return again;
  }

 private:
  std::set<std::string> before_;
};

}  // namespace evo::farm
