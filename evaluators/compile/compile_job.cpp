#include "evaluators/compile/compile_job.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iterator>

#include "evaluators/code/reached_code.hpp"
#include "evaluators/compile/code_hash.hpp"
#include "evaluators/compile/diagnostics.hpp"
#include "evaluators/compile/entry_in.hpp"
#include "evaluators/compile/macro_clash.hpp"
#include "evaluators/compile/resources.hpp"
#include "evaluators/compile/text.hpp"
#include "evaluators/compile/virtual_headers.hpp"
#include "model/entry_name.hpp"
#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::evaluators::compile {
namespace {

model::Failure failed(std::string reason, std::vector<model::Evidence> evidence) {
  return {model::Status::compile_error, std::move(reason), std::move(evidence)};
}

/// NVRTC adds the folder of the program's name to the places where it looks for headers: give it no folder.
std::string program_name(const std::string& source_file) {
  std::string name = source_file.substr(source_file.find_last_of("/\\") + 1);
  std::erase_if(name, [](unsigned char c) { return c < 0x20 || c == '"'; });
  return name.empty() ? "candidate.cu" : name;
}

/// Replaces `from` by `to` wherever it is a whole file name in quotes on a .file line, and takes `folder`
/// away.
std::string with_own_file_names(const std::string& ptx, const std::string& folder, const std::string& from,
                                const std::string& to) {
  std::string result;
  result.reserve(ptx.size());
  std::size_t begin = 0;
  while (begin < ptx.size()) {
    std::size_t end = std::min(ptx.find('\n', begin), ptx.size() - 1) + 1;
    std::string_view line(ptx.data() + begin, end - begin);
    begin = end;
    const auto open = line.find('"'), close = line.rfind('"');
    if (!trimmed(line).starts_with(".file") || close == std::string_view::npos || close <= open) {
      result += line;
      continue;
    }
    std::string_view name = line.substr(open + 1, close - open - 1);
    if (name.starts_with(folder + "/")) name.remove_prefix(folder.size() + 1);
    if (name == from) name = to;
    result.append(line.substr(0, open + 1)).append(name).append(line.substr(close));
  }
  return result;
}

bool names_standard(const std::string& option) {
  return option.starts_with("--std") || option.starts_with("-std");
}

/// "add", as opposed to "add<float>" and "ns::add".
bool is_plain_name(std::string_view entry) {
  return std::all_of(entry.begin(), entry.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

/// "k(float const*, int)": a kernel as C++ has it; its name in the module where that is none of C++.
std::string as_cpp(const std::string& mangled) {
  int status = 0;
  char* const text = abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status);
  // Of a short name that is none of C++ it makes a type.
  std::string name = status == 0 && text != nullptr && mangled.starts_with("_Z") ? text : mangled;
  std::free(text);  // as that function has it
  return name;
}

/// What to say where `name` is no kernel of the module, or one of several.
std::string no_entry_text(std::string_view ptx, const std::string& name) {
  constexpr std::string_view directive = ".entry ";
  std::vector<std::string> same, all;
  for (std::size_t at = ptx.find(directive); at != std::string_view::npos; at = ptx.find(directive, at)) {
    at += directive.size();
    const std::string_view rest = ptx.substr(at);
    all.push_back(as_cpp(std::string(rest.substr(0, rest.find_first_of("( \n\t")))));
    if (all.back().starts_with(name + "(")) same.push_back(all.back());
  }
  if (same.size() > 1)
    return fmt::format(
        "several kernels are called {}: {}; say which is meant by its parameters, as in entry: '{}'", name,
        fmt::join(same, ", "), same.front());
  if (all.empty())
    return fmt::format("the source defines no kernel __global__ void {}(...), nor any other", name);
  return fmt::format("the source defines no kernel __global__ void {}(...); it has {}", name,
                     fmt::join(all, ", "));
}

/// One kernel's own, or that of all in their order.
std::string of_all(std::vector<std::string> hashes) {
  if (hashes.size() == 1) return std::move(hashes.front());
  model::Hasher hasher;
  for (const std::string& hash : hashes) hasher.add(hash);
  return hasher.finish();
}

}  // namespace

std::vector<std::string> fixed_options(const CompileRequest& request) {
  std::vector<std::string> options{"--gpu-architecture=" + request.arch, "--generate-line-info",
                                   "--ptxas-options=-v", fmt::format("--pre-include={}", prelude_name),
                                   "--device-int128"};  // as nvcc has it
  if (std::none_of(request.options.begin(), request.options.end(), names_standard)) {
    options.emplace_back("--std=c++17");
  }
  return options;
}

CompileResult run_compile(const Nvrtc& nvrtc, const CompileRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::string> options = fixed_options(request);
  for (const auto& folder : nvrtc.include_folders()) options.push_back("--include-path=" + folder);
  options.insert(options.end(), request.options.begin(), request.options.end());

  auto in_memory = virtual_headers();
  for (const auto& [name, text] : request.headers) in_memory.insert_or_assign(name, text);
  const std::vector<std::pair<std::string, std::string>> headers(in_memory.begin(), in_memory.end());
  const std::string name = program_name(request.source_file);

  std::vector<std::string> entries{request.entry};
  entries.insert(entries.end(), request.other_entries.begin(), request.other_entries.end());
  std::vector<std::string> expressions;
  for (const std::string& entry : entries) {
    if (!is_plain_name(entry)) expressions.push_back(model::address_expression(entry));
  }
  const Nvrtc::Output output = nvrtc.compile(request.source, name, headers, options, expressions);
  if (output.result == NvrtcResult::out_of_memory) {
    return tl::unexpected(model::Failure{model::Status::compile_timeout, "memory", {}});
  }
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  std::string ptx = with_own_file_names(output.ptx, folder, name, request.source_file);

  if (output.result != NvrtcResult::success) {
    if (output.log.find("--gpu-architecture") != std::string::npos) {
      throw model::Exception(model::ExitCode::environment,
                             fmt::format("{} cannot compile for {}", nvrtc.version(), request.arch));
    }
    auto evidence = parse_errors(output.log, ptx);
    for (auto& item : evidence) {
      if (item.file == name) item.file = request.source_file;
    }
    name_clashes(evidence, request.source_file, macros_ahead(request.source, request.options));
    if (evidence.empty()) {
      evidence.push_back({"error", output.error + ": " + stable_log(output.log), request.source_file, 0, {}});
    }
    const bool option = output.result == NvrtcResult::invalid_option;
    return tl::unexpected(failed(option ? "invalid_option" : reason_of(output.log), std::move(evidence)));
  }

  model::Artifact artifact;
  std::vector<std::string> hashes;
  std::vector<model::FurtherKernel> kernels;
  for (const std::string& entry : entries) {
    const auto lowered = std::find(expressions.begin(), expressions.end(), model::address_expression(entry)) -
                         expressions.begin();
    const std::string in_module =
        is_plain_name(entry) ? entry_in(ptx, entry) : output.lowered_names[static_cast<std::size_t>(lowered)];
    const auto resources = parse_resources(output.log, in_module);
    auto hash = code_hash(output.cubin, in_module);
    if (!resources || !hash) {
      return tl::unexpected(
          failed("no_entry", {{"error", no_entry_text(ptx, entry), request.source_file, 0, {}}}));
    }
    kernels.push_back({in_module, *resources});
    hashes.push_back(std::move(*hash));
  }
  std::vector<std::string> launched;
  for (const model::FurtherKernel& kernel : kernels) launched.push_back(kernel.entry);
  artifact.entry = kernels.front().entry;
  artifact.arch = request.arch;
  artifact.ptx = code::reached_code(ptx, launched);
  artifact.cubin = output.cubin;
  artifact.resources = kernels.front().resources;
  artifact.others.assign(kernels.begin() + 1, kernels.end());
  artifact.compiler_log = stable_log(output.log);
  artifact.source_file = request.source_file;
  artifact.code_hash = of_all(std::move(hashes));
  artifact.compiler = nvrtc.version();
  artifact.compile_ms =
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  return artifact;
}

}  // namespace evo::evaluators::compile
