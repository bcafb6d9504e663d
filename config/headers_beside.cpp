#include "config/headers_beside.hpp"

#include <fstream>
#include <iterator>
#include <regex>

namespace evo::config {

void add_headers_beside(const std::filesystem::path& folder, const std::string& text,
                        std::map<std::string, std::string>& headers) {
  namespace fs = std::filesystem;
  static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re", std::regex::multiline);
  for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator();
       ++it) {
    const std::string name = (*it)[1];
    const fs::path relative(name);
    bool climbs = relative.is_absolute();
    for (const fs::path& part : relative) climbs = climbs || part == "..";
    std::error_code ignored;
    if (climbs || headers.contains(name) || !fs::is_regular_file(folder / relative, ignored)) continue;
    std::ifstream stream(folder / relative, std::ios::binary);
    const std::string contents{std::istreambuf_iterator<char>(stream), {}};
    if (!stream && contents.empty()) continue;
    headers[name] = contents;
    add_headers_beside(folder, contents, headers);
  }
}

}  // namespace evo::config
