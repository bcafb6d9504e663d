// A post-mortem as text for a terminal, as Markdown for an issue, and as JSON.
#pragma once

#include <string>

#include <boost/json/object.hpp>

#include "diagnose/post_mortem.hpp"

namespace evo::diagnose {

[[nodiscard]] std::string text_report(const PostMortem& post_mortem);
[[nodiscard]] std::string markdown_report(const PostMortem& post_mortem);
[[nodiscard]] boost::json::object json_report(const PostMortem& post_mortem);

}  // namespace evo::diagnose
