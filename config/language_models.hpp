// Language models of an experiment: `llm` in `search.mutators`.
#pragma once

#include <string_view>
#include <vector>

#include <boost/json/object.hpp>

#include "config/yaml_reader.hpp"
#include "model/language_model.hpp"

namespace evo::config {

inline constexpr std::string_view language_models = "llm";

/// Of a map of mutators `llm` (one, or a list of them), of a list its items {llm: ...}. Invalid: an unknown
/// key, a mode that lacks what it needs, a plain http endpoint elsewhere, a key instead of a variable's name.
[[nodiscard]] std::vector<model::LanguageModel> read_language_models(const Reader& mutators);

/// Nothing where there is none.
void write_language_models(YAML::Emitter& out, const std::vector<model::LanguageModel>& models);

[[nodiscard]] boost::json::object language_model_schema();

}  // namespace evo::config
