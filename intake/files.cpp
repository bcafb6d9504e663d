#include "intake/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/host_code.hpp"
#include "intake/macro_kernels.hpp"
#include "intake/overloads.hpp"
#include "model/error.hpp"

namespace evo::intake {

namespace {

bool has_kernel(const std::string& text, const std::string& name) {
  return std::ranges::any_of(kernels_of(text), [&](const KernelText& kernel) {
    return name.empty() || kernel.name == name || kernel.plain == name || "::" + kernel.name == name;
  });
}

/// " (did you mean 'add.cu'?)" of what stands in the same folder; "" where nothing is near.
std::string file_of_like_name(const std::string& file) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::path(file).parent_path();
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
    const std::string extension = entry.path().extension().string();
    if (extension == ".cu" || extension == ".cuh") names.push_back(entry.path().filename().string());
  }
  const auto near = config::nearest(fs::path(file).filename().string(), names);
  return near ? fmt::format(" (did you mean '{}'?)", (folder / *near).string()) : std::string();
}

}  // namespace

std::string read_user_file(const std::string& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, ignored)) {
    const std::string why = std::strerror(stream ? EISDIR : errno);
    throw model::Exception(model::ExitCode::usage,
                           fmt::format("{} cannot be read: {}{}", file, why, file_of_like_name(file)));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> files_including(const std::string& file) {
  namespace fs = std::filesystem;
  constexpr int most_above = 2;
  fs::path folder = fs::path(file).parent_path();
  std::string name = fs::path(file).filename().string();
  std::vector<std::string> files;
  std::error_code ignored;
  // Beside it, or as "cuda/k.cu" in a folder above.
  for (int above = 0; above <= most_above && files.empty(); ++above) {
    for (const auto& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored)) {
      if (entry.path().extension() != ".cu" || entry.path().filename() == name) continue;
      std::ifstream stream(entry.path(), std::ios::binary);
      const std::vector<std::string> included =
          includes_of({std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()});
      if (std::ranges::find(included, name) != included.end())
        files.push_back((folder / entry.path().filename()).string());
    }
    if (folder.filename().empty()) break;
    name = folder.filename().string() + "/" + name;
    folder = folder.parent_path();
  }
  std::ranges::sort(files);
  return files;
}

std::string with_included_kernels(const std::string& file, std::string source, const std::string& entry,
                                  std::vector<std::string>& put) {
  namespace fs = std::filesystem;
  const std::string name = read_entry(entry).name;
  if (has_kernel(source, name)) return source;
  source = with_macro_kernels(source);
  if (has_kernel(source, name)) return source;
  for (const std::string& header : includes_of(source)) {
    const fs::path beside = fs::path(file).parent_path() / header;
    std::ifstream stream(beside, std::ios::binary);
    const std::string line = "\"" + header + "\"";
    const std::size_t at = source.find(line);
    if (!stream || at == std::string::npos) continue;
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!has_kernel(text, name)) continue;
    const std::size_t newline = at == 0 ? std::string::npos : source.rfind('\n', at);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    source.replace(begin, at + line.size() - begin, text);
    put.push_back(beside.string());
  }
  return source;
}

std::vector<KernelText> choose_kernel(const std::string& file, const std::string& source,
                                      const std::string& entry, const std::string& option) {
  const std::vector<KernelText> all = kernels_of(source);
  if (all.empty())
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{} has no __global__ function with a body: name the file that has the "
                    "kernel",
                    file));
  const EntryName wanted = read_entry(entry);
  const std::string& name = wanted.name;
  std::vector<KernelText> chosen;
  std::vector<std::string> names;
  std::string list;
  for (const KernelText& kernel : all) {
    if (std::find(names.begin(), names.end(), kernel.name) == names.end()) {
      names.push_back(kernel.name);
      list += fmt::format("\n  {}:{}: {}", file, kernel.line, kernel.name);
    }
    const bool meant = kernel.name == name || kernel.plain == name || "::" + kernel.name == name;
    if (meant || (name.empty() && kernel.name == all.front().name)) chosen.push_back(kernel);
  }
  if (name.empty() && names.size() > 1)
    throw model::Exception(model::ExitCode::usage, fmt::format("{} has {} kernels; name one with {}:{}", file,
                                                               names.size(), option, list));
  if (chosen.empty())
    throw model::Exception(
        model::ExitCode::usage,
        fmt::format("{} has no kernel '{}'{}; it has:{}", file, name,
                    config::nearest(name, names) ? config::suggestion(name, names) : "", list));
  chosen = for_todays_cards(source, std::move(chosen));
  const std::vector<KernelText> overloads = overloads_in(source, chosen);
  std::vector<KernelText> same = wanted.overload ? with_parameters(chosen, wanted.parameters) : chosen;
  if (!same.empty() && (wanted.overload || overloads.size() < 2)) return same;
  std::string which;
  for (const KernelText& kernel : overloads)
    which +=
        fmt::format("\n  {}:{}: {} '{}'", file, kernel.line, option, with_types(kernel, wanted.arguments));
  throw model::Exception(
      model::ExitCode::usage,
      fmt::format("{}; say which is meant:{}",
                  same.empty() ? fmt::format("{} has no kernel '{}'", file, entry)
                               : fmt::format("{} has {} kernels called {}", file, overloads.size(), name),
                  which));
}

}  // namespace evo::intake
