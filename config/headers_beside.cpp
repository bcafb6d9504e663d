#include "config/headers_beside.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <vector>

namespace evo::config {
namespace {

namespace fs = std::filesystem;

bool climbs(const fs::path& name) {
  return std::ranges::find(name, fs::path("..")) != name.end();
}

bool is_below(const fs::path& root, const fs::path& file) {
  std::error_code ignored;
  const fs::path base = fs::weakly_canonical(root, ignored), place = fs::weakly_canonical(file, ignored);
  return std::mismatch(base.begin(), base.end(), place.begin(), place.end()).first == base.end();
}

std::vector<std::string> quoted_includes(const std::string& text) {
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re", std::regex::multiline);
  std::vector<std::string> names;
  for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator(); ++it)
    names.push_back((*it)[1]);
  return names;
}

void replace_name(std::string& text, const std::string& name, const std::string& by) {
  const std::string old = '"' + name + '"', fresh = '"' + by + '"';
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + fresh.size()))
    text.replace(at, old.size(), fresh);
}

class Collector {
 public:
  Collector(const fs::path& root, std::map<std::string, std::string>& headers)
      : root_(root), headers_(headers) {}

  /// `folder`: where names are looked for that are not beside the text itself; `own`: its folder.
  void add(const fs::path& folder, const fs::path& own, std::string& text) {
    for (const std::string& name : quoted_includes(text)) {
      const fs::path relative(name);
      if (relative.is_absolute()) continue;
      std::error_code ignored;
      // As a compiler looks: first beside the file that includes it. The name is then that of another place.
      const bool up = climbs(relative) || (own != folder && fs::is_regular_file(own / relative, ignored));
      const fs::path place = up ? own / relative : folder / relative;
      if (!fs::is_regular_file(place, ignored) || (up && !is_below(root_, place))) continue;
      std::string key = name;
      if (up) {
        key = name_for(place, folder);
        replace_name(text, name, key);
      }
      if (headers_.contains(key)) continue;
      std::ifstream stream(place, std::ios::binary);
      std::string contents{std::istreambuf_iterator<char>(stream), {}};
      if (!stream && contents.empty()) continue;
      headers_[key];  // a header that leads back to itself ends there
      add(folder, place.parent_path(), contents);
      headers_[key] = std::move(contents);
    }
  }

 private:
  /// The file's own name; with its folder's in front where another file has that, or one in `folder`, which a
  /// name without ".." would mean.
  std::string name_for(const fs::path& place, const fs::path& folder) {
    std::error_code ignored;
    const fs::path whole = fs::weakly_canonical(place, ignored);
    const auto known = names_.find(whole);
    if (known != names_.end()) return known->second;
    std::string name = whole.filename().string();
    const fs::path beside = fs::weakly_canonical(folder / name, ignored);
    if (headers_.contains(name) || (beside != whole && fs::exists(beside, ignored)))
      name = whole.parent_path().filename().string() + "_" + name;
    while (headers_.contains(name)) name = "above_" + name;
    names_.emplace(whole, name);
    return name;
  }

  const fs::path& root_;
  std::map<std::string, std::string>& headers_;
  std::map<fs::path, std::string> names_;  ///< of headers above the text that includes them
};

}  // namespace

void add_headers_beside(const fs::path& folder, const fs::path& root, std::string& text,
                        std::map<std::string, std::string>& headers) {
  Collector(root, headers).add(folder, folder, text);
}

}  // namespace evo::config
