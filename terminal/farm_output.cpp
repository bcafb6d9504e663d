#include "terminal/farm_output.hpp"

#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include <boost/json.hpp>

#include "terminal/panel.hpp"

namespace evo::terminal {
namespace {

namespace json = boost::json;

std::string field_text(const json::value& value) {
  // Workers write it: nothing of it may steer the terminal.
  if (value.is_double()) return fmt::format("{:g}", value.as_double());
  if (!value.is_object())
    return printable(value.is_string() ? std::string(value.as_string()) : json::serialize(value));
  std::string names;
  for (const auto& entry : value.as_object()) names += (names.empty() ? "" : " ") + printable(entry.key());
  return names;
}

std::string number_of_them(std::size_t number, std::string_view plural) {
  return fmt::format("{} {}", number, number == 1 ? plural.substr(0, plural.size() - 1) : plural);
}

/// "  NAME key value, key value"
std::string party_text(const json::object& party) {
  std::string text;
  for (const auto& field : party) {
    if (field.key() == "name") continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", printable(field.key()), field_text(field.value()));
  }
  return fmt::format("  {}: {}\n", field_text(party.at("name")), text);
}

}  // namespace

std::string farm_text(const json::object& status) {
  constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
  const json::object& jobs = status.at("jobs").as_object();
  std::string text = fmt::format(
      "farm {}\njobs: {} waiting, {} with workers ({} lent more than once); results not taken: {}\n",
      field_text(status.at("url")), field_text(jobs.at("waiting")), field_text(jobs.at("lent")),
      field_text(jobs.at("lent_again")), field_text(status.at("results")));
  for (const auto& [name, line] : status.at("lines").as_object()) {
    const json::object& queued = line.as_object();
    text += fmt::format("  queue {}: {} waiting, {} with workers\n", printable(name),
                        field_text(queued.at("waiting")), field_text(queued.at("lent")));
  }
  for (const auto& [name, store] : status.at("kept").as_object())
    text += fmt::format("  kept {}: {:.1f} of {} MiB\n", printable(name),
                        static_cast<double>(store.at("bytes").as_int64()) / mebibyte,
                        store.at("max_bytes").as_int64() / mebibyte);
  for (const char* kind : {"workers", "runs"}) {
    const json::array& parties = status.at(kind).as_array();
    text += fmt::format("{}\n", number_of_them(parties.size(), kind));
    for (const json::value& party : parties) text += party_text(party.as_object());
  }
  return text;
}

}  // namespace evo::terminal
