#include "evaluators/sanitizer/findings.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <regex>
#include <tuple>

#include <fmt/format.h>

namespace evo::evaluators::sanitizer {
namespace {

using model::Evidence;

constexpr std::string_view mark = "=========";
constexpr std::size_t most_message_lines = 6;

std::vector<std::string> marked_lines(std::string_view output) {
  std::vector<std::string> lines;
  while (!output.empty()) {
    const std::size_t end = std::min(output.find('\n'), output.size());
    std::string_view line = output.substr(0, end);
    output.remove_prefix(std::min(end + 1, output.size()));
    if (!line.starts_with(mark)) continue;
    line.remove_prefix(mark.size());
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.front())) != 0)
      line.remove_prefix(1);
    while (!line.empty() && std::isspace(static_cast<unsigned char>(line.back())) != 0) line.remove_suffix(1);
    lines.emplace_back(line);
  }
  return lines;
}

bool has(std::string_view text, std::string_view words) {
  return text.find(words) != std::string_view::npos;
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

/// How a report begins; kind "" if the line begins none.
struct Header {
  std::string kind, severity = "error";
};
Header header_of(const std::string& line) {
  static const std::regex access(R"(^Invalid __(\w+)__ )");
  static const std::regex graded(R"(^(error|warning|warn|info)\b)", std::regex::icase);
  if (std::regex_search(line, access)) return {"out_of_bounds"};
  if (line.starts_with("Uninitialized ")) return {"uninitialized"};
  if (line.starts_with("Barrier error detected")) return {"barrier_divergence"};
  if (line.starts_with("Warpgroup MMA sequence error")) return {"warpgroup_sequence"};
  if (line.starts_with("Malloc/Free error")) return {"device_heap"};
  if (line.starts_with("Deadlock detected")) return {"hang"};
  if (line.starts_with("Potential invalid __shared__")) return {"race_shared"};
  if (!has(line, "Race reported between") && !has(line, "hazard detected at")) return {};
  std::smatch match;
  std::string severity = std::regex_search(line, match, graded) ? lower(match[1].str()) : "error";
  if (severity == "warn") severity = "warning";
  return {"race_shared", severity};
}

struct Place {
  std::string file;
  int line = 0;
};
/// "FILE:LINE", whatever comes before the file's name and behind the line ("at f()+0x10 in k.cu:7",
/// "at 0x10 in /tmp/k.cu:7:f()").
std::optional<Place> place_in(const std::string& text) {
  static const std::regex place(R"(([A-Za-z0-9_.+-]+\.(?:cu|cuh|h|hpp|cc|cpp|py)):([0-9]+))");
  std::smatch match;
  if (!std::regex_search(text, match, place)) return std::nullopt;
  return Place{match[1].str(), std::atoi(match[2].str().c_str())};
}

bool is_kernel_source(const std::string& file) {
  return file.ends_with(".cu") || file.ends_with(".cuh");
}

std::string thread_in(const std::string& text) {
  static const std::regex by(R"(by thread (\([0-9, ]+\)) in block (\([0-9, ]+\)))");
  std::smatch match;
  return std::regex_search(text, match, by)
             ? fmt::format("block {} thread {}", match[2].str(), match[1].str())
             : std::string();
}

class Reports {
 public:
  explicit Reports(std::string tool) : tool_(std::move(tool)) {}

  void line(const std::string& text) {
    if (text.empty()) {
      close();
      return;
    }
    if (Header header = header_of(text); !header.kind.empty()) {
      close();
      open(std::move(header), text);
      return;
    }
    if (open_) continue_with(text);
  }

  [[nodiscard]] std::vector<Evidence> take() {
    close();
    for (std::size_t i = 0; i < found_.size(); ++i)
      found_[i].details.emplace_back("count", std::to_string(counts_[i]));
    return std::move(found_);
  }

 private:
  void set(const std::string& name, const std::string& value) {
    if (!value.empty() && detail_of(*open_, name).empty()) open_->details.emplace_back(name, value);
  }

  void open(Header header, const std::string& text) {
    static const std::regex access(R"(__(\w+)__ (?:memory )?(\w+) of size ([0-9]+))");
    static const std::regex hazard(R"(Potential (\w+) hazard)");
    static const std::regex first(R"(between (Read|Write) access)");
    static const std::regex block(R"(at __shared__ (0x[0-9a-f]+) in block (\([0-9, ]+\)))");
    open_ = Evidence{std::move(header.kind), text, {}, 0, {{"tool", tool_}, {"severity", header.severity}}};
    lines_ = 1;
    std::smatch match;
    if (std::regex_search(text, match, access))
      set("access", fmt::format("{} of {} bytes {} __{}__ memory", match[2].str(), match[3].str(),
                                match[2].str() == "write" ? "to" : "from", match[1].str()));
    if (std::regex_search(text, match, first)) set("access", lower(match[1].str()));
    if (std::regex_search(text, match, hazard)) set("hazard", match[1].str());
    if (std::regex_search(text, match, block)) {
      set("address", match[1].str());
      block_ = match[2].str();
    }
    if (has(text, "Missing wait") || has(text, "cuda::barrier") || has(text, "Cuda::barrier"))
      set("barrier", "mbarrier");
    take_place(text);
  }

  void continue_with(const std::string& text) {
    static const std::regex address(R"(Address (0x[0-9a-f]+))");
    static const std::regex other(R"(^and (Read|Write) access)");
    static const std::regex hazards(R"(\[([0-9]+) hazards?\])");
    static const std::regex racer(R"(^(Read|Write) Thread (\([0-9, ]+\)))");
    if (has(text, "Saved host backtrace") || has(text, "Host Frame")) return;
    std::smatch match;
    if (open_->kind == "out_of_bounds" && has(text, "is misaligned")) open_->kind = "misaligned";
    if (std::regex_search(text, match, address)) set("address", match[1].str());
    if (has(text, "Barrier is located at")) set("barrier", "mbarrier");
    set("thread", thread_in(text));
    if (std::regex_search(text, match, hazards)) set("hazards", match[1].str());
    if (std::regex_search(text, match, other)) {
      set("other_access", lower(match[1].str()));
      take_other_place(text);
    } else if (std::regex_search(text, match, racer)) {
      const std::string thread = fmt::format("block {} thread {}", block_, match[2].str());
      const bool second = !detail_of(*open_, "thread").empty();
      set(second ? "other_access" : "access", lower(match[1].str()));
      set(second ? "other_thread" : "thread", thread);
      second ? take_other_place(text) : take_place(text);
    } else {
      take_place(text);
    }
    if (lines_ < most_message_lines) {
      open_->message += "; " + text;
      ++lines_;
    }
  }

  /// A frame in the kernel's source says more than the toolkit's header that it was inlined from.
  void take_place(const std::string& text) {
    const auto place = place_in(text);
    if (!place) return;
    if (open_->line != 0 && (is_kernel_source(open_->file) || !is_kernel_source(place->file))) return;
    open_->file = place->file;
    open_->line = place->line;
  }
  void take_other_place(const std::string& text) {
    if (const auto place = place_in(text)) {
      set("other_file", place->file);
      set("other_line", std::to_string(place->line));
    }
  }

  void close() {
    if (!open_) return;
    const auto key = [](const Evidence& e) {
      return std::tuple(e.kind, e.file, e.line, detail_of(e, "other_file"), detail_of(e, "other_line"),
                        detail_of(e, "severity"));
    };
    const auto known = std::find_if(found_.begin(), found_.end(),
                                    [&](const Evidence& other) { return key(other) == key(*open_); });
    if (known != found_.end()) {
      ++counts_[static_cast<std::size_t>(known - found_.begin())];
    } else {
      found_.push_back(std::move(*open_));
      counts_.push_back(1);
    }
    open_.reset();
  }

  std::string tool_, block_;
  std::optional<Evidence> open_;
  std::size_t lines_ = 0;
  std::vector<Evidence> found_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

std::string detail_of(const Evidence& evidence, std::string_view name) {
  for (const auto& [key, value] : evidence.details) {
    if (key == name) return value;
  }
  return {};
}

std::vector<Evidence> parse_findings(std::string_view output, const std::string& tool) {
  Reports reports(tool);
  for (const std::string& line : marked_lines(output)) reports.line(line);
  return reports.take();
}

std::optional<Summary> parse_summary(std::string_view output) {
  static const std::regex errors(R"(^ERROR SUMMARY: ([0-9]+) errors?$)");
  static const std::regex hazards(
      R"(^RACECHECK SUMMARY: [0-9]+ hazards? displayed \(([0-9]+) errors?, ([0-9]+) warnings?\))");
  std::optional<Summary> summary;
  for (const std::string& line : marked_lines(output)) {
    std::smatch match;
    if (std::regex_search(line, match, hazards)) {
      summary = Summary{std::atoll(match[1].str().c_str()), std::atoll(match[2].str().c_str())};
    } else if (std::regex_search(line, match, errors) && !summary) {
      summary = Summary{std::atoll(match[1].str().c_str()), 0};
    }
  }
  return summary;
}

std::string parse_complaint(std::string_view output) {
  for (const std::string& line : marked_lines(output)) {
    for (const std::string_view words :
         {"Device not supported", "Internal Sanitizer Error", "Internal Memcheck Error", "Unable to launch",
          "Target application terminated before", "process didn't terminate successfully", "No CUDA-capable",
          "Unable to find", "Failed to", "Timed out"}) {
      if (has(line, words)) return line;
    }
  }
  return {};
}

}  // namespace evo::evaluators::sanitizer
