#include "config/compile_options.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "config/nearest.hpp"

namespace evo::config {
namespace {

namespace fs = std::filesystem;

struct Allowed {
  std::string_view name;    ///< with two dashes
  std::string_view values;  ///< "a|b", "N" a number, "" none
};
constexpr std::array<Allowed, 9> allowed{{
    {"--use_fast_math", ""},
    {"--extra-device-vectorization", ""},
    {"--fmad", "true|false"},
    {"--ftz", "true|false"},
    {"--prec-div", "true|false"},
    {"--prec-sqrt", "true|false"},
    {"--maxrregcount", "N"},
    {"--std", "c++11|c++14|c++17|c++20"},
    {"--restrict", ""},
}};

struct Refused {
  std::string_view name, why;
};
constexpr std::array<Refused, 14> refused{{
    {"--gpu-architecture", "the experiment's target says for which architecture code is made"},
    {"-arch", "the experiment's target says for which architecture code is made"},
    {"-gencode", "the experiment's target says for which architecture code is made"},
    {"-O0", "device code is always optimised"},
    {"-O1", "device code is always optimised"},
    {"-O2", "device code is always optimised; leave it out"},
    {"-O3", "that is what the compiler does by itself; leave it out"},
    {"-G", "code for a debugger is another program"},
    {"--device-debug", "code for a debugger is another program"},
    {"-lineinfo", "evo asks for it by itself; leave it out"},
    {"--generate-line-info", "evo asks for it by itself; leave it out"},
    {"--pre-include", "name the file in headers, and include it in the source"},
    {"-include", "name the file in headers, and include it in the source"},
    {"--relocatable-device-code", "a kernel is one module"},
}};

bool identifier(std::string_view name) {
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

/// -DNAME, -DNAME=VALUE; nothing that a compile would answer otherwise tomorrow, and no file's name.
std::string macro_option(const Reader& reader, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(2, equals == std::string::npos ? std::string::npos : equals - 2);
  if (!identifier(name)) reader.fail(fmt::format("'{}' is no name of a macro, as in -DNAME=VALUE", name));
  if (equals == std::string::npos) return text;
  const std::string value = text.substr(equals + 1);
  const bool plain = std::all_of(value.begin(), value.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_.+-*/()<>:, ").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (!plain) reader.fail(fmt::format("-D{}: a value is made of letters, digits and _.+-*/()<>:, ", name));
  for (const char* stamp : {"__DATE__", "__TIME__", "__TIMESTAMP__"}) {
    if (value.find(stamp) != std::string::npos)
      reader.fail(fmt::format("-D{}: {} makes each compile another program", name, stamp));
  }
  return text;
}

std::vector<std::string> values_of(std::string_view list) {
  std::vector<std::string> values;
  std::istringstream words{std::string(list)};
  for (std::string word; std::getline(words, word, '|');) values.push_back(word);
  return values;
}

/// The folder of "-Iinclude" or "--include-path=include".
std::optional<std::string> include_folder(const std::string& text) {
  for (const std::string_view prefix : {"--include-path=", "-I"}) {
    if (text.starts_with(prefix)) {
      const std::size_t begin = text.find_first_not_of(' ', prefix.size());
      return begin == std::string::npos ? std::string() : text.substr(begin);
    }
  }
  return std::nullopt;
}

constexpr std::size_t most_headers = 500;
constexpr std::uintmax_t most_bytes = std::uintmax_t{8} << 20;

void add_headers(const Reader& reader, const fs::path& problem, const std::string& name,
                 model::Template& kernel) {
  const fs::path given(name);
  const bool climbs =
      std::any_of(given.begin(), given.end(), [](const fs::path& part) { return part == ".."; });
  if (name.empty() || given.is_absolute() || climbs)
    reader.fail(fmt::format(
        "-I takes a folder beside problem.yaml, not '{}': what is compiled belongs to the problem", name));
  const fs::path folder = problem / given;
  std::error_code error;
  if (!fs::is_directory(folder, error)) reader.fail(fmt::format("there is no folder {}", folder.string()));
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string extension = at->path().extension().string();
    for (const char* header : {".h", ".hpp", ".cuh", ".hxx", ".inl", ".inc", ".cu"}) {
      if (extension == header && at->is_regular_file(error)) files.push_back(at->path());
    }
  }
  std::sort(files.begin(), files.end());
  std::uintmax_t bytes = 0;
  for (const fs::path& file : files) bytes += fs::file_size(file, error);
  if (files.size() > most_headers || bytes > most_bytes)
    reader.fail(fmt::format("{} holds {} headers of {} bytes; {} of {} bytes are taken at most",
                            folder.string(), files.size(), bytes, most_headers, most_bytes));
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    // A header that `headers` names stays: it was found first.
    kernel.headers.emplace(file.lexically_relative(folder).generic_string(), text.str());
  }
}

}  // namespace

std::string read_option(const Reader& reader) {
  std::string text = reader.text();
  if (text.starts_with("--define-macro=")) text.replace(0, 15, "-D");
  if (text.starts_with("--undefine-macro=")) text.replace(0, 17, "-U");
  if (text.starts_with("-D")) return macro_option(reader, text);
  if (text.starts_with("-U") && identifier(text.substr(2))) return text;
  if (include_folder(text)) reader.fail("-I belongs to the options of the template, not to those of a gene");
  if (text.find_first_of(" \t\n") != std::string::npos)
    reader.fail(fmt::format("'{}': one option an item, without blanks, as in [--fmad=false, -DX=1]", text));
  const std::size_t equals = text.find('=');
  std::string name = text.substr(0, equals);
  for (const Refused& entry : refused) {
    if (name == entry.name || "-" + std::string(name) == entry.name)
      reader.fail(fmt::format("{} is not for a template: {}", name, entry.why));
  }
  if (name.size() > 1 && name[0] == '-' && name[1] != '-') name.insert(0, 1, '-');
  std::vector<std::string> known{"-DNAME=VALUE", "-IFOLDER"};
  for (const Allowed& entry : allowed) {
    known.emplace_back(entry.name);
    if (name != entry.name) continue;
    const std::string value = equals == std::string::npos ? std::string() : text.substr(equals + 1);
    if (entry.values.empty()) {
      if (equals != std::string::npos) reader.fail(fmt::format("{} takes no value", name));
      return name;
    }
    if (entry.values == "N") {
      const bool digits =
          !value.empty() && value.size() < 4 &&
          std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c); });
      if (!digits) reader.fail(fmt::format("{}= needs a number of registers, not '{}'", name, value));
    } else {
      const std::vector<std::string> values = values_of(entry.values);
      if (std::find(values.begin(), values.end(), value) == values.end())
        reader.fail(fmt::format("{}: unknown value '{}'{}", name, value, suggestion(value, values)));
    }
    return name + "=" + value;
  }
  reader.fail(fmt::format("'{}' is no option that a template may set{}", text, suggestion(name, known)));
}

void read_options(const Reader& reader, const std::string& folder, model::Template& kernel) {
  for (const Reader& item : reader.items()) {
    if (const auto include = include_folder(item.text())) {
      add_headers(item, folder, *include, kernel);
    } else {
      kernel.options.push_back(read_option(item));
    }
  }
}

}  // namespace evo::config
