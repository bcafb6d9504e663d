// A kernel over a grid of shapes as text, Markdown and JSON.
#pragma once

#include <string>

#include <boost/json.hpp>

#include "session/characterization.hpp"

namespace evo::terminal {

[[nodiscard]] std::string characterize_text(const session::Characterization& found);
[[nodiscard]] std::string characterize_markdown(const session::Characterization& found);
[[nodiscard]] boost::json::object characterize_to_json(const session::Characterization& found);

}  // namespace evo::terminal
