#include "intake/user_headers.hpp"

#include <fstream>
#include <iterator>
#include <optional>
#include <regex>

#include "evaluators/compile/virtual_headers.hpp"
#include "intake/other_platforms.hpp"
#include "intake/repository_headers.hpp"
#include "intake/standard_names.hpp"

namespace evo::intake {
namespace {

namespace fs = std::filesystem;

constexpr int most_folders_up = 3;

bool climbs(const fs::path& path) {
  for (const fs::path& part : path) {
    if (part == "..") return true;
  }
  return path.is_absolute();
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

class Collector {
 public:
  Collector(const fs::path& file, bool wide) {
    std::error_code ignored;
    fs::path full = fs::absolute(file, ignored);
    root_ = (ignored ? file : full).lexically_normal().parent_path();
    if (wide) repository_.emplace(root_);
  }

  UserHeaders run(std::string source) {
    replace_includes(source, root_, &found_.cuts);
    found_.source = std::move(source);
    return std::move(found_);
  }

 private:
  /// Where the header lies; nothing where it is none of the user's.
  [[nodiscard]] std::optional<fs::path> place_of(const fs::path& name, const fs::path& folder) const {
    for (const fs::path& base : {folder, root_}) {
      if (is_file(base / name)) return (base / name).lexically_normal();
    }
    if (climbs(name) || is_host_header(name.string())) return std::nullopt;
    fs::path above = root_;
    for (int up = 0; up <= most_folders_up && above != above.root_path(); ++up, above = above.parent_path()) {
      for (const char* sub : {"", "include", "inc", "includes", "common", "Common", "src"}) {
        if (is_file(above / sub / name)) return (above / sub / name).lexically_normal();
      }
      if (fs::exists(above / ".git")) break;  // the repository ends here
    }
    if (repository_) return repository_->header(name);
    return std::nullopt;
  }

  /// A name without folders above for a header that has one; another header of that name keeps it.
  std::string name_for(const fs::path& name, const fs::path& place) {
    if (!climbs(name)) return name.string();
    std::string plain = place.filename().string();
    const auto same = places_.find(plain);
    if (same != places_.end() && same->second != place)
      plain = place.parent_path().filename().string() + "_" + plain;
    return plain;
  }

  /// What NVRTC has itself, or the host's compiler: never a repository's own copy of it.
  static bool of_toolkit(const std::string& name) {
    for (const char* start :
         {"cuda", "cub/", "thrust/", "nv/", "cooperative_groups", "curand", "cublas", "cusparse", "cufft",
          "cudnn", "mma", "math_constants", "vector_types", "device_launch", "sm_", "hip/"}) {
      if (name.starts_with(start)) return true;
    }
    return is_host_header(name) || evaluators::compile::virtual_headers().contains(name);
  }

  /// <polybench.h> and <library/types.h>, which a build's -I finds: a file beside this one or in a folder of
  /// headers above, and none of the toolkit's.
  void quote_own(std::string& text, const fs::path& folder) const {
    static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*<([^>\n]+)>)re", std::regex::multiline);
    std::string quoted = text;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator();
         ++it) {
      const std::string name = (*it)[1];
      const bool beside = is_file(folder / name) || is_file(root_ / name);
      if (is_host_header(name) || !(beside || (!of_toolkit(name) && place_of(name, folder)))) continue;
      quoted[static_cast<std::size_t>(it->position(1)) - 1] = '"';
      quoted[static_cast<std::size_t>(it->position(1)) + name.size()] = '"';
    }
    text = std::move(quoted);
  }

  void replace_includes(std::string& text, const fs::path& folder, std::vector<Cut>* cuts) {
    quote_own(text, folder);
    static const std::regex include(R"re(^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)")re", std::regex::multiline);
    std::vector<std::string> names;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), include); it != std::sregex_iterator();
         ++it)
      names.push_back((*it)[1]);
    for (const std::string& name : names) {
      const std::optional<fs::path> place = place_of(name, folder);
      if (!place) {
        std::vector<Cut> dropped;
        if (climbs(name)) text = without_include(text, name, cuts != nullptr ? *cuts : dropped);
        continue;
      }
      const std::string key = name_for(name, *place);
      if (key != name) {
        const std::string old = '"' + name + '"';
        for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + 1)) {
          std::string padded = '"' + key + '"';
          if (padded.size() < old.size()) padded.resize(old.size(), ' ');
          text.replace(at, old.size(), padded);
        }
      }
      if (!places_.emplace(key, *place).second) continue;
      if (place->parent_path() != root_) found_.fetched.emplace_back(key, place->string());
      std::string contents = as_for_nvcc(without_other_platforms(text_of(*place)));
      replace_includes(contents, place->parent_path(), nullptr);
      found_.headers[key] = std::move(contents);
    }
  }

  fs::path root_;
  std::optional<RepositoryHeaders> repository_;  ///< the whole of it is searched
  std::map<std::string, fs::path> places_;       ///< of each header that is found
  UserHeaders found_;
};

}  // namespace

UserHeaders user_headers(const fs::path& file, const std::string& source, bool wide) {
  return Collector(file, wide).run(source);
}

std::optional<fs::path> header_declaring(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  std::vector<fs::path> having;
  // Some have their types in a .c file that all include: others repeat there what a header has.
  for (const bool headers : {true, false}) {
    if (!having.empty()) break;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      const std::string extension = entry.path().extension().string();
      const bool header = extension == ".h" || extension == ".hpp" || extension == ".cuh";
      if (headers ? !header : extension != ".c") continue;
      if (declares_type(text_of(entry.path()), name)) having.push_back(entry.path());
    }
  }
  if (having.size() != 1) return std::nullopt;
  return having.front();
}

}  // namespace evo::intake
