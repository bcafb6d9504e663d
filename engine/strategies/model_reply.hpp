// From a model's reply to a proposal.
#pragma once

#include <string>

#include "engine/strategies/model_prompt.hpp"
#include "llm/reply.hpp"

namespace evo::engine {

/// A parent's text as a model sees and edits it: without macros in front, and without the line numbers that
/// edits before it have left.
[[nodiscard]] std::string text_for_model(const SearchTemplate& entry, const model::Genome& genome);

/// The proposal that a reply makes of the task's parent, or why it makes none: what llm::Refusal lists,
/// too_long, and seen_before.
[[nodiscard]] llm::Read<Proposal> proposal_of(const std::string& reply, const ModelTask& task,
                                              const std::string& operation, const History& history);

}  // namespace evo::engine
