#include "intake/files.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <fmt/format.h>

#include "config/nearest.hpp"
#include "intake/host_code.hpp"
#include "model/error.hpp"

namespace evo::intake {

namespace {

/// Names those of the files that it includes which do have kernels.
[[noreturn]] void refuse_without_kernels(const std::string& file, const std::string& source) {
  namespace fs = std::filesystem;
  std::string others;
  for (const std::string& header : includes_of(source)) {
    const fs::path beside = fs::path(file).parent_path() / header;
    std::ifstream stream(beside, std::ios::binary);
    if (!stream) continue;
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    for (const KernelText& kernel : kernels_of(text))
      others += fmt::format("\n  {}:{}: {}", beside.string(), kernel.line, kernel.name);
  }
  if (!others.empty()) others = "; files that it includes have, give one of them:" + others;
  throw model::Exception(model::ExitCode::usage,
                         fmt::format("{} has no __global__ function with a body{}", file, others));
}

}  // namespace

std::string read_user_file(const std::string& file) {
  std::error_code ignored;
  std::ifstream stream(file, std::ios::binary);
  if (!stream || std::filesystem::is_directory(file, ignored)) {
    throw model::Exception(model::ExitCode::usage, fmt::format("{} cannot be read: {}", file,
                                                               std::strerror(stream ? EISDIR : errno)));
  }
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<KernelText> choose_kernel(const std::string& file, const std::string& source,
                                      const std::string& entry, const std::string& option) {
  const std::vector<KernelText> all = kernels_of(source);
  if (all.empty()) refuse_without_kernels(file, source);
  const std::string name = read_entry(entry).name;
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
  return chosen;
}

}  // namespace evo::intake
