#include "terminal/characterize_output.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace evo::terminal {
namespace {

using session::Characterization;
using session::CharacterizedShape;
using session::ShapeFigure;

using Table = std::vector<std::vector<std::string>>;

bool is_modelled(const Characterization& found) {
  return found.latency_kind == "modelled";
}

/// Four digits, without an exponent for what people time.
std::string digits(double value) {
  if (value != 0 && std::abs(value) < 0.01) return fmt::format("{:.1e}", value);
  return fmt::format("{:.{}f}", value, value < 10 ? 3 : value < 100 ? 2 : value < 1000 ? 1 : 0);
}

std::string interval_text(const std::optional<std::array<double, 2>>& ends) {
  if (!ends || !std::isfinite((*ends)[0])) return {};
  return fmt::format(" [{}, {}]", digits((*ends)[0]), digits((*ends)[1]));
}

std::string latency_of(const ShapeFigure& figure) {
  if (!figure.latency) return "-";
  return digits(figure.latency->microseconds) + interval_text(figure.latency->ci95);
}

std::string speedup_of(const Characterization& found, const ShapeFigure& figure) {
  if (!figure.speedup) return "-";
  return digits(figure.speedup->ratio) +
         (is_modelled(found) ? std::string() : interval_text(figure.speedup->interval));
}

/// The contenders besides the subject, in the order in which they come.
std::vector<std::string> others_of(const Characterization& found) {
  std::vector<std::string> names;
  for (const CharacterizedShape& shape : found.shapes) {
    for (const ShapeFigure& figure : shape.figures) {
      if (figure.role != session::Role::subject &&
          std::find(names.begin(), names.end(), figure.contender) == names.end())
        names.push_back(figure.contender);
    }
  }
  return names;
}

std::vector<std::string> row_of(const Characterization& found, const CharacterizedShape& shape,
                                const std::vector<std::string>& others) {
  std::vector<std::string> row;
  for (const std::int64_t value : shape.shape.at) row.push_back(std::to_string(value));
  if (found.grid.empty()) row.push_back(shape.shape.workload.name);
  const ShapeFigure* subject = shape.subject();
  if (subject == nullptr || !subject->latency) {
    row.emplace_back("refused");
    return row;
  }
  const double us = subject->latency->microseconds;
  row.push_back(latency_of(*subject));
  row.push_back(shape.flops > 0 ? digits(1e-6 * shape.flops / us) : "-");
  row.push_back(shape.bytes > 0 ? digits(1e-3 * shape.bytes / us) : "-");
  row.push_back(shape.share ? fmt::format("{:.1f} % of {}", 100 * shape.share->share, shape.share->bound)
                            : "-");
  for (const std::string& name : others) {
    const ShapeFigure* figure = shape.find(name);
    row.push_back(figure == nullptr ? "-" : latency_of(*figure));
    row.push_back(figure == nullptr ? "-" : speedup_of(found, *figure));
  }
  return row;
}

Table table_of(const Characterization& found) {
  const std::vector<std::string> others = others_of(found);
  std::vector<std::string> head;
  for (const session::GridAxis& axis : found.grid) head.push_back(axis.name);
  if (found.grid.empty()) head.emplace_back("shape");
  head.push_back(found.subject.label + (is_modelled(found) ? " us, modelled" : " us [95 %]"));
  head.insert(head.end(), {"TFLOP/s", "GB/s", "of the roof"});
  for (const std::string& name : others) {
    head.push_back(name + " us");
    head.push_back("x " + name);
  }
  Table table{head};
  for (const CharacterizedShape& shape : found.shapes) table.push_back(row_of(found, shape, others));
  return table;
}

std::size_t width_of(const std::string& text) {
  return text.size();
}

std::string aligned(const Table& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const auto& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : table) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", row[i], widths[i]);
    text += line + "\n";
  }
  return text;
}

std::string range_text(const std::array<double, 3>& range, const char* unit) {
  return range[0] == range[2] ? fmt::format("{:.0f} {}", range[1], unit)
                              : fmt::format("{:.0f} to {:.0f} {}", range[0], range[2], unit);
}

/// The state of the GPU over all shapes, in one line.
std::string state_text(const Characterization& found) {
  if (!found.no_state.empty()) return "not told: " + found.no_state;
  std::optional<std::array<double, 3>> sm, memory, heat, power;
  std::vector<std::string> reasons;
  const auto widen = [](std::optional<std::array<double, 3>>& all,
                        const std::optional<std::array<double, 3>>& one) {
    if (!one) return;
    if (!all) all = one;
    (*all)[0] = std::min((*all)[0], (*one)[0]);
    (*all)[2] = std::max((*all)[2], (*one)[2]);
  };
  for (const CharacterizedShape& shape : found.shapes) {
    if (!shape.state) continue;
    widen(sm, shape.state->sm_mhz);
    widen(memory, shape.state->memory_mhz);
    widen(heat, shape.state->temperature_c);
    widen(power, shape.state->power_w);
    for (const std::string& reason : shape.state->throttle) {
      if (std::find(reasons.begin(), reasons.end(), reason) == reasons.end()) reasons.push_back(reason);
    }
  }
  std::vector<std::string> parts;
  if (sm) parts.push_back("SM clock " + range_text(*sm, "MHz"));
  if (memory) parts.push_back("memory " + range_text(*memory, "MHz"));
  if (power) parts.push_back(range_text(*power, "W"));
  if (heat) parts.push_back(range_text(*heat, "C"));
  parts.push_back(reasons.empty() ? "not held down"
                                  : fmt::format("held down by {}", fmt::join(reasons, ", ")));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string ceiling_text(const session::Ceilings& ceilings) {
  std::vector<std::string> parts;
  for (const session::Ceiling& ceiling : ceilings.rates)
    parts.push_back(ceiling.is_memory()
                        ? fmt::format("{} {:.0f} GB/s", ceiling.name, 1e-9 * ceiling.rate)
                        : fmt::format("{} {:.1f} TFLOP/s", ceiling.name, 1e-12 * ceiling.rate));
  return fmt::format("{}; {}", fmt::join(parts, ", "),
                     ceilings.kind == "measured"
                         ? fmt::format("measured on {} at {}{}", ceilings.of, ceilings.measured_at,
                                       ceilings.from_cache ? ", kept since" : "")
                         : fmt::format("data of the target {}, not measured", ceilings.of));
}

std::string protocol_text(const Characterization& found) {
  const bool compared = !others_of(found).empty();
  if (is_modelled(found)) {
    std::string text =
        "modelled latencies of the virtual device: no device measured anything, and microseconds are no "
        "prediction";
    if (compared)
      text += fmt::format(";\nx: how many times as fast the {} is, an exact ratio of the model",
                          found.subject.label);
    return text;
  }
  std::string text = fmt::format("measured in {} rounds in turn, {}", found.rounds,
                                 found.cold ? "cold: buffers that do not fit the L2 together" : "hot");
  if (compared)
    text += fmt::format("; x: how many times as fast the {} is, 95 % over the rounds", found.subject.label);
  return text;
}

/// Lines below the table: what is refused, missing or odd.
std::vector<std::string> notes_of(const Characterization& found) {
  std::vector<std::string> notes;
  for (const CharacterizedShape& shape : found.shapes) {
    if (shape.refused)
      notes.push_back(fmt::format("{}: refused by {}: {}", shape.shape.workload.name, shape.refused->gate,
                                  shape.refused->reason));
    for (const ShapeFigure& figure : shape.figures) {
      if (!figure.unavailable.empty())
        notes.push_back(
            fmt::format("{}: {}: {}", shape.shape.workload.name, figure.contender, figure.unavailable));
    }
    if (shape.share && shape.share->share > 1)
      notes.push_back(
          fmt::format("{}: above the roof of {}: the work model asks for more bytes or flops than the kernel "
                      "moves or does, "
                      "or a cache held them",
                      shape.shape.workload.name, shape.share->bound));
  }
  for (const auto& [name, reason] : found.ceilings.missing)
    notes.push_back(fmt::format("ceiling {}: {}", name, reason));
  if (!found.ceilings.cache_problem.empty())
    notes.push_back("the ceilings were not kept: " + found.ceilings.cache_problem);
  return notes;
}

std::string kernel_text(const session::CharacterizedKernel& kernel) {
  return fmt::format("{} ({}, template {}, variant {})", kernel.given, kernel.kind, kernel.template_name,
                     kernel.variant);
}

/// Name and text of each line above the table.
std::vector<std::pair<std::string, std::string>> facts_of(const Characterization& found) {
  std::vector<std::pair<std::string, std::string>> facts;
  facts.emplace_back(found.subject.label, kernel_text(found.subject));
  facts.emplace_back(found.baseline ? found.baseline->label : "baseline",
                     found.baseline ? kernel_text(*found.baseline) : "none: " + found.no_baseline);
  facts.emplace_back("device",
                     fmt::format("{} ({}){}, target {}", found.device_name, found.device_kind,
                                 found.driver.empty() ? "" : ", driver " + found.driver, found.target));
  if (!found.toolchain.empty()) facts.emplace_back("compiler", found.toolchain);
  for (const session::BenchComparator& comparator : found.comparators)
    facts.emplace_back("comparator",
                       comparator.unavailable.empty()
                           ? comparator.name
                           : fmt::format("{}: not available: {}", comparator.name, comparator.unavailable));
  facts.emplace_back("ceilings", ceiling_text(found.ceilings));
  facts.emplace_back("state", state_text(found));
  std::vector<std::string> rest;
  for (const auto& [name, value] : found.fixed) rest.push_back(fmt::format("{}={}", name, value));
  if (!rest.empty()) facts.emplace_back("others", fmt::format("{}", fmt::join(rest, ", ")));
  return facts;
}

std::string table_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("|\n", at)) != std::string::npos; at += 2)
    text.replace(at, 1, text[at] == '|' ? "\\|" : "; ");
  return text;
}

}  // namespace

std::string characterize_text(const Characterization& found) {
  std::string text;
  for (const auto& [name, value] : facts_of(found)) text += fmt::format("{:<10} {}\n", name, value);
  text += "\n" + aligned(table_of(found)) + protocol_text(found) + "\n";
  for (const std::string& note : notes_of(found)) text += "note: " + note + "\n";
  return text;
}

std::string characterize_markdown(const Characterization& found) {
  std::string text = fmt::format("### evo characterize: {} of {}\n\n", found.subject.label, found.problem);
  for (const auto& [name, value] : facts_of(found)) text += fmt::format("- {}: {}\n", name, value);
  const Table table = table_of(found);
  const auto line = [](const std::vector<std::string>& cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row += " " + table_cell(cell) + " |";
    return row + "\n";
  };
  text += "\n" + line(table.front()) + "|";
  for (std::size_t i = 0; i < table.front().size(); ++i) text += "---:|";
  text += "\n";
  for (std::size_t i = 1; i < table.size(); ++i) {
    std::vector<std::string> row = table[i];
    row.resize(table.front().size());
    text += line(row);
  }
  for (const std::string& note : notes_of(found)) text += fmt::format("\n- {}", table_cell(note));
  return text + fmt::format("\n<sub>{}</sub>\n", table_cell(protocol_text(found)));
}

}  // namespace evo::terminal
