#include "terminal/coverage_output.hpp"

#include <boost/json/array.hpp>

namespace evo::terminal {

std::string coverage_text(const std::vector<model::Evidence>& notes) {
  std::string text;
  for (const model::Evidence& note : notes) {
    if (note.kind == "correct_for") text += "correct for: " + note.message + "\n";
    if (note.kind == "always_equal" || note.kind == "not_launched" || note.kind == "cannot_launch" ||
        note.kind == "took_too_long")
      text += "note: " + note.message + "\n";
    if (note.kind == "unreached") text += "not run: " + note.message + "\n";
  }
  return text;
}

boost::json::value correct_for_json(const std::vector<model::Evidence>& notes) {
  for (const model::Evidence& note : notes) {
    if (note.kind != "correct_for") continue;
    boost::json::object covered{{"text", note.message}};
    for (const auto& [key, value] : note.details) covered[key] = value;
    return covered;
  }
  return nullptr;
}

boost::json::value always_equal_json(const std::vector<model::Evidence>& notes) {
  boost::json::array found;
  for (const model::Evidence& note : notes) {
    if (note.kind == "always_equal") found.push_back(boost::json::value(note.message));
  }
  return found;
}

}  // namespace evo::terminal
