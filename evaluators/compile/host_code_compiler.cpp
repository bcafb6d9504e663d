#include "evaluators/compile/host_code_compiler.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include <fmt/format.h>

#include "evaluators/compile/compound_literals.hpp"
#include "evaluators/compile/host_code.hpp"
#include "model/entry_name.hpp"

namespace evo::evaluators::compile {
namespace {

constexpr int most_rounds = 24;

bool any_host_code(const CompileRequest& request) {
  return has_host_code(request.source) ||
         std::any_of(request.headers.begin(), request.headers.end(),
                     [](const auto& header) { return has_host_code(header.second); });
}

/// Lines in front of the file's own: the genes and "#line 1".
int lines_before(const CompileRequest& request) {
  const std::string mark = fmt::format("#line 1 \"{}\"\n", request.source_file);
  const auto at = request.source.find(mark);
  if (at == std::string::npos) return 0;
  return 1 + static_cast<int>(std::count(request.source.begin(),
                                         request.source.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

/// X of `cannot open source file "X"`; empty where it is something else.
std::string missing_header(const std::string& message) {
  constexpr std::string_view words = "cannot open source file \"";
  const auto at = message.find(words);
  if (at == std::string::npos) return {};
  const auto from = at + words.size();
  return message.substr(from, message.find('"', from) - from);
}

bool is_launched(const CompileRequest& request, const std::string& kernel) {
  return model::plain_kernel_name(request.entry) == kernel ||
         std::any_of(request.other_entries.begin(), request.other_entries.end(),
                     [&](const std::string& entry) { return model::plain_kernel_name(entry) == kernel; });
}

/// As C++ has it, where nvcc takes C.
CompileRequest without_c(CompileRequest request) {
  request.source = without_compound_literals(std::move(request.source));
  for (auto& [name, text] : request.headers) text = without_compound_literals(std::move(text));
  return request;
}

void drop(std::string& text, const std::set<std::string>& wholes) {
  for (const Declaration& each : declarations_of(text)) {
    if (wholes.contains(text.substr(each.begin, each.end - each.begin))) blank(text, each.begin, each.end);
  }
}

}  // namespace

CompileRequest HostCodeCompiler::without(const CompileRequest& request, const Omissions& omissions) {
  CompileRequest less = request;
  for (const auto& [file, wholes] : omissions.texts) {
    if (file == request.source_file) {
      drop(less.source, wholes);
    } else if (const auto header = less.headers.find(file); header != less.headers.end()) {
      drop(header->second, wholes);
    }
  }
  for (const std::string& name : omissions.headers) less.headers.try_emplace(name, "#pragma once\n");
  return less;
}

bool HostCodeCompiler::extend(Omissions& omissions, const CompileRequest& request,
                              const model::Failure& failure) {
  bool more = false;
  // Once a file: of a large header a hundred lines fail at a time.
  std::map<std::string, std::vector<Declaration>, std::less<>> declared;
  for (const model::Evidence& evidence : failure.evidence) {
    if (const std::string header = missing_header(evidence.message); !header.empty()) {
      more = omissions.headers.insert(header).second || more;
      continue;
    }
    const bool own = evidence.file == request.source_file;
    const auto header = request.headers.find(evidence.file);
    if (!own && header == request.headers.end()) {
      // A header of the toolkit that is for the host: cuBLAS, cuRAND.
      if (evidence.file.empty()) continue;
      constexpr std::string_view folder = "/include/";
      const auto at = evidence.file.rfind(folder);
      const std::string name =
          at == std::string::npos ? evidence.file : evidence.file.substr(at + folder.size());
      more = omissions.headers.insert(name).second || more;
      continue;
    }
    const std::string& text = own ? request.source : header->second;
    const int line = evidence.line + (own ? lines_before(request) : 0);
    auto known = declared.find(evidence.file);
    if (known == declared.end()) known = declared.emplace(evidence.file, declarations_of(text)).first;
    for (const Declaration& each : known->second) {
      if (line < each.first_line || line > each.last_line) continue;
      // Another kernel of the file, which nobody launches, may take what is the host's alone.
      if (each.device && !(each.kernel && !is_launched(request, each.name))) continue;
      more = omissions.texts[evidence.file].insert(text.substr(each.begin, each.end - each.begin)).second ||
             more;
    }
  }
  return more;
}

tl::expected<model::Artifact, model::Failure> HostCodeCompiler::compile(const CompileRequest& request) {
  auto made = compile_with_host_code(request);
  if (made || made.error().status != model::Status::compile_error) return made;
  CompileRequest plain = without_c(request);
  if (plain.source == request.source && plain.headers == request.headers) return made;
  auto again = compile_with_host_code(plain);
  // What still fails is told of the text as it was written.
  return again ? std::move(again) : std::move(made);
}

tl::expected<model::Artifact, model::Failure> HostCodeCompiler::compile_with_host_code(
    const CompileRequest& request) {
  Omissions omissions;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto known = known_.find(request.source_file); known != known_.end()) omissions = known->second;
  }
  if (!omissions.empty()) {
    if (auto made = inner_.compile(without(request, omissions))) return made;
  }
  auto first = inner_.compile(request);
  if (first || first.error().status != model::Status::compile_error || !any_host_code(request)) return first;
  omissions = {};
  model::Failure last = first.error();
  for (int round = 0; round < most_rounds && extend(omissions, request, last); ++round) {
    auto made = inner_.compile(without(request, omissions));
    if (made) {
      const std::scoped_lock lock(mutex_);
      known_[request.source_file] = omissions;
      return made;
    }
    last = made.error();
    if (last.status != model::Status::compile_error) break;
  }
  // A kernel that is gone was taken for host code.
  if (omissions.empty() || last.reason == "no_entry") return first;
  return tl::unexpected(std::move(last));
}

}  // namespace evo::evaluators::compile
