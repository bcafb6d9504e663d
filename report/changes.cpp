#include "report/changes.hpp"

#include <algorithm>
#include <string>

#include <boost/json.hpp>

namespace evo::report {
namespace {

namespace json = boost::json;

/// Lists of more objects than these are compared as a whole.
constexpr std::size_t most_objects = 64;

json::value replaced(const json::value& after) {
  return json::object{{"=", after}};
}

std::optional<json::value> within(json::object at, json::array gone) {
  if (at.empty() && gone.empty()) return std::nullopt;
  json::object change{{"at", std::move(at)}};
  if (!gone.empty()) change["-"] = std::move(gone);
  return change;
}

std::optional<json::value> of_objects(const json::object& before, const json::object& after) {
  json::object at;
  json::array gone;
  for (const auto& [key, value] : before)
    if (!after.contains(key)) gone.emplace_back(key);
  for (const auto& [key, value] : after) {
    const json::value* const old = before.if_contains(key);
    if (auto change = old == nullptr ? replaced(value) : changes(*old, value)) at[key] = std::move(*change);
  }
  return within(std::move(at), std::move(gone));
}

std::optional<json::value> of_lists(const json::array& before, const json::array& after) {
  const bool objects =
      before.size() == after.size() && after.size() <= most_objects &&
      std::all_of(before.begin(), before.end(), [](const json::value& one) { return one.is_object(); });
  if (objects) {
    json::object at;
    for (std::size_t i = 0; i < after.size(); ++i)
      if (auto change = changes(before[i], after[i])) at[std::to_string(i)] = std::move(*change);
    return within(std::move(at), {});
  }
  if (before.size() > after.size() || !std::equal(before.begin(), before.end(), after.begin()))
    return replaced(after);
  if (before.size() == after.size()) return std::nullopt;
  return json::object{
      {"+", json::array(after.begin() + static_cast<std::ptrdiff_t>(before.size()), after.end())}};
}

}  // namespace

std::optional<json::value> changes(const json::value& before, const json::value& after) {
  if (before.is_object() && after.is_object()) return of_objects(before.get_object(), after.get_object());
  if (before.is_array() && after.is_array()) return of_lists(before.get_array(), after.get_array());
  if (before == after) return std::nullopt;
  return replaced(after);
}

}  // namespace evo::report
