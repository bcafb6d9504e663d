// Evidence as the JSON that people and their tools get.
#pragma once

#include <vector>

#include <boost/json.hpp>

#include "model/verdict.hpp"

namespace evo::evaluators {

/// One object a piece: kind, file, line, message, and each detail as a key of its own; of details with one
/// name, or with the name of a field, the first counts.
[[nodiscard]] inline boost::json::array evidence_json(const std::vector<model::Evidence>& evidence) {
  boost::json::array list;
  for (const model::Evidence& item : evidence) {
    boost::json::object object{
        {"kind", item.kind}, {"file", item.file}, {"line", item.line}, {"message", item.message}};
    for (const auto& [key, value] : item.details) object.emplace(key, value);
    list.push_back(std::move(object));
  }
  return list;
}

}  // namespace evo::evaluators
