// What arrays hold that say where rows end, or how long they are, when a probe is launched, and what one
// holds after it.
#include <algorithm>
#include <cstring>

#include <yaml-cpp/yaml.h>

#include "intake/probe_run.hpp"
#include "intake/types.hpp"

namespace evo::intake {

std::optional<std::vector<std::byte>> ProbeRun::contents(const std::vector<std::int64_t>& bytes,
                                                         std::size_t argument, unsigned seed) {
  std::vector<std::vector<std::byte>> after(draft_.arguments.size());
  if (!launch(bytes, ProbeFill::mixed, seed, nullptr, &after)) return std::nullopt;
  return std::move(after[argument]);
}

std::optional<std::vector<std::vector<std::byte>>> ProbeRun::contents_from(
    const std::vector<std::int64_t>& bytes, std::size_t argument, Soil soil, unsigned seed) {
  std::vector<std::vector<std::byte>> after(draft_.arguments.size());
  soiled_ = {argument, soil};
  const bool good = launch(bytes, ProbeFill::mixed, seed, nullptr, &after);
  soiled_.reset();
  if (!good) return std::nullopt;
  return after;
}

std::optional<ProbeRun::Rows> ProbeRun::told_rows(std::size_t argument) const {
  for (const auto& [key, value] : draft_.arguments[argument].keys) {
    if (key != "fill") continue;
    try {
      const YAML::Node fill = YAML::Load(value);
      for (const bool ends : {true, false}) {
        const char* form = ends ? "ends" : "lengths";
        if (!fill.IsMap() || !fill[form] || !fill[form].IsSequence() || fill[form].size() != 2) continue;
        const auto name = fill[form][0].as<std::string>();
        const auto begins = std::ranges::find(draft_.arguments, name, &DraftArgument::name);
        const auto end = value_of(fill[form][1].as<std::string>());
        if (begins == draft_.arguments.end() || !end) return std::nullopt;
        return Rows{static_cast<std::size_t>(begins - draft_.arguments.begin()), *end, ends};
      }
    } catch (const YAML::Exception&) {
      return std::nullopt;  // whoever loads the problem hears of it
    }
  }
  return std::nullopt;
}

/// Each row as long as it can be: what lies behind its end is then seen, and what it leads to is reached.
bool ProbeRun::fill_rows(std::size_t argument, ProbeFill how, unsigned seed,
                         std::vector<std::byte>& bytes) const {
  const auto rows = told_rows(argument);
  if (!rows || rows->begins == argument || told_rows(rows->begins)) return false;
  const auto size = static_cast<std::size_t>(element_bytes(argument));
  const auto width = static_cast<std::size_t>(element_bytes(rows->begins));
  std::vector<std::byte> begins(bytes.size() / size * width);
  fill(rows->begins, how, seed, begins);
  for (std::size_t e = 0; e < bytes.size() / size; ++e) {
    std::int64_t begin = 0;
    std::memcpy(&begin, &begins[e * width], std::min<std::size_t>(width, 8));
    if (width == 4 && draft_.arguments[rows->begins].dtype == "i32") begin = static_cast<std::int32_t>(begin);
    begin = std::clamp<std::int64_t>(begin, 0, rows->end);
    put_number(rows->ends ? rows->end : rows->end - begin, argument, e, bytes);
  }
  return true;
}

}  // namespace evo::intake
