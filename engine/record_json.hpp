// The JSON columns of a ledger: genes, parents, evidence, resources, odd series, counts, details. Readers
// throw std::runtime_error on anything that the writers would not have written.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/trial.hpp"

namespace evo::engine {

[[nodiscard]] std::string to_json(const model::Environment& values);
[[nodiscard]] std::string to_json(const model::Value& value);
[[nodiscard]] std::string to_json(const std::vector<std::string>& texts);
[[nodiscard]] std::string to_json(const std::vector<model::Evidence>& evidence);
[[nodiscard]] std::string to_json(const std::vector<model::OddSeries>& odd);
[[nodiscard]] std::string to_json(const model::ResourceUsage& usage);
[[nodiscard]] std::string to_json(const std::map<std::string, int>& counts);
[[nodiscard]] std::string to_json(const std::map<std::string, std::string>& details);

[[nodiscard]] model::Environment environment_from_json(const std::string& text);
[[nodiscard]] model::Value value_from_json(const std::string& text);
[[nodiscard]] std::vector<std::string> texts_from_json(const std::string& text);
[[nodiscard]] std::vector<model::Evidence> evidence_from_json(const std::string& text);
[[nodiscard]] std::vector<model::OddSeries> odd_series_from_json(const std::string& text);
[[nodiscard]] model::ResourceUsage resources_from_json(const std::string& text);
[[nodiscard]] std::map<std::string, int> counts_from_json(const std::string& text);
[[nodiscard]] std::map<std::string, std::string> details_from_json(const std::string& text);

}  // namespace evo::engine
