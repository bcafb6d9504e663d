// Prober: headers that a text misses, or that are left out of it.
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "intake/macros.hpp"
#include "intake/probe_text.hpp"
#include "intake/prober.hpp"
#include "intake/standard_names.hpp"
#include "intake/user_headers.hpp"

namespace evo::intake {
namespace {

/// Of a library that kernels use, too: not of the system, nor one that evo knows as the host's.
bool of_a_library(const std::string& header) {
  const bool below = header.find('/') != std::string::npos;
  const bool device = header.ends_with(".cuh") || header.ends_with(".hpp");
  return (below || device) && (!is_host_header(header) || header.starts_with("boost/preprocessor"));
}

/// Folders of the toolkit.
bool has_toolkit_folder(const std::string& header) {
  constexpr std::array<std::string_view, 5> folders{"cuda/", "cub/", "thrust/", "nv/", "cooperative_groups/"};
  return std::ranges::any_of(folders, [&](std::string_view folder) { return header.starts_with(folder); });
}

/// Whether a header is not there either, where `missing` is not: both are C++'s for the host, or of one
/// library.
bool goes_with(const std::string& header, const std::string& missing) {
  const std::size_t folder = missing.find('/');
  if (folder == std::string::npos)
    return missing.find('.') == std::string::npos && header.find_first_of("/.") == std::string::npos &&
           is_host_header(header);
  return header.starts_with(missing.substr(0, folder + 1)) && !has_toolkit_folder(header);
}

}  // namespace

bool Prober::add_include(const model::Evidence& evidence, const std::string& included) {
  std::string* text = text_of(evidence);
  if (text == nullptr || included_.contains({text, included})) return false;
  std::string more = with_line(*text, "#include " + included);
  // A file without a blank line in front of its code gets one line more. Where host code is cut out, its
  // place is known by lines.
  const bool in_front = more == *text && text == &answer_.source && answer_.cuts.empty();
  if (in_front) more = "#include " + included + "\n" + *text;
  if (more == *text) return false;
  *text = std::move(more);
  included_.insert({text, included});
  answer_.notes.push_back("#include " + included + " is added to the copy: it has " +
                          last_quoted(evidence.message) +
                          (in_front ? "; its lines are one further than the file's" : ""));
  return true;
}

bool Prober::add_standard_headers(const model::Failure& failure) {
  bool changed = false;
  for (const model::Evidence& evidence : failure.evidence) {
    const std::string header = standard_header_for(evidence.message);
    if (!header.empty()) changed = add_include(evidence, "<" + header + ">") || changed;
  }
  return changed;
}

bool Prober::add_own_header(const model::Failure& failure, bool (*is_missing)(const std::string&),
                            const char* header, std::string (*text)()) {
  bool changed = false;
  for (const model::Evidence& evidence : failure.evidence) {
    if (!is_missing(evidence.message)) continue;
    answer_.headers.emplace(header, text());
    changed = add_include(evidence, fmt::format("\"{}\"", header)) || changed;
  }
  return changed;
}

bool Prober::add_headers_beside(const model::Failure& failure) {
  bool changed = false;
  for (const model::Evidence& evidence : failure.evidence) {
    if (!evidence.message.starts_with("identifier ") || !evidence.message.ends_with("is undefined")) continue;
    const auto place = header_declaring(folder(), quoted(evidence.message));
    if (!place) continue;
    const std::string header = place->filename().string();
    if (answer_.headers.contains(header)) continue;
    std::ifstream stream(*place, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    if (!add_include(evidence, '"' + header + '"')) continue;
    for (const auto& [macro, value] : question_.macros) {
      for (std::string without; (without = without_definition(text, macro)) != text;) text = without;
    }
    answer_.headers[header] = std::move(text);
    changed = true;
  }
  return changed;
}

std::filesystem::path Prober::folder() const {
  const std::filesystem::path parent = std::filesystem::path(question_.file).parent_path();
  return parent.empty() ? "." : parent;
}

bool Prober::mend_foreign(const model::Failure& failure) {
  const bool not_ours = std::ranges::any_of(
      failure.evidence, [&](const model::Evidence& evidence) { return text_of(evidence) == nullptr; });
  if (!not_ours) return false;
  bool changed = without_host_headers(answer_.source, answer_.headers, answer_.cuts);
  std::vector<std::string> names;
  for (const auto& [name, text] : answer_.headers) names.push_back(name);
  for (const std::string& name : names) {
    std::vector<Cut> in_header;
    changed = without_host_headers(answer_.headers[name], answer_.headers, in_header) || changed;
  }
  return changed;
}

bool Prober::leave_out_line(const model::Evidence& evidence) {
  std::string* text = text_of(evidence);
  if (text == nullptr) return false;
  int line = 1;
  for (std::size_t begin = 0; begin < text->size(); ++line) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    if (line == evidence.line && text->find_first_not_of(" \t\r", begin) < end) {
      std::fill(text->begin() + static_cast<std::ptrdiff_t>(begin),
                text->begin() + static_cast<std::ptrdiff_t>(end), ' ');
      return true;
    }
    begin = end + 1;
  }
  return false;
}

void Prober::leave_out_others_of(const std::string& missing) {
  const auto leave_out = [&](std::string& text, std::vector<Cut>& cuts) {
    for (const std::string& header : includes_of(text)) {
      if (header == missing || answer_.headers.contains(header) || !goes_with(header, missing)) continue;
      if (of_a_library(header)) left_out_.insert(header);
      text = without_include(text, header, cuts);
    }
  };
  leave_out(answer_.source, answer_.cuts);
  for (auto& [name, text] : answer_.headers) {
    std::vector<Cut> in_header;
    leave_out(text, in_header);
  }
}

bool Prober::mend_include(const model::Evidence& evidence) {
  if (evidence.message.find("not through a macro") != std::string::npos) return leave_out_line(evidence);
  const bool missing = evidence.message.find("could not open source file") != std::string::npos ||
                       evidence.message.find("cannot open source file") != std::string::npos ||
                       evidence.kind == "forbidden_include" ||
                       evidence.message.find("include") != std::string::npos;
  const std::string header = quoted(evidence.message);
  if (!missing || header.empty()) return false;
  const auto beside = std::filesystem::path(question_.file).parent_path() / header;
  std::ifstream stream(beside, std::ios::binary);
  // The problem file names headers without folders.
  if (stream && header.find('/') == std::string::npos && !answer_.headers.contains(header)) {
    answer_.headers[header] = {std::istreambuf_iterator<char>(stream), {}};
    return true;
  }
  if (of_a_library(header)) left_out_.insert(header);
  leave_out_others_of(header);
  std::string cut = without_include(answer_.source, header, answer_.cuts);
  // <name> is the system's, which NVRTC has not.
  if (cut != answer_.source && !is_host_header(header) &&
      answer_.source.find('"' + header + '"') != std::string::npos)
    not_found_.emplace_back(header, answer_.cuts.back().first);
  bool changed = cut != answer_.source;
  answer_.source = std::move(cut);
  // It may stand in headers that were found beside the source. A path is missing in all of them, though one
  // may stand in front of another's guard here and not in the next compile: the same header under two names.
  for (auto& [name, text] : answer_.headers) {
    const bool path = header.find('/') != std::string::npos;
    if (changed && !path) break;
    std::vector<Cut> in_header;
    std::string bare = without_include(text, header, in_header);
    changed = changed || bare != text;
    text = std::move(bare);
  }
  return changed;
}

void Prober::cut_copies_alike() {
  const auto left = [](const std::string& text) {
    return std::ranges::count_if(text, [](char c) { return c != ' ' && c != '\n'; });
  };
  for (auto& [name, text] : answer_.headers) {
    const auto original = originals_.find(name);
    for (const auto& [other, cut] : answer_.headers) {
      const auto same = originals_.find(other);
      const bool copies = other != name && original != originals_.end() && same != originals_.end() &&
                          same->second == original->second;
      if (copies && left(cut) < left(text)) text = cut;
    }
  }
}

}  // namespace evo::intake
