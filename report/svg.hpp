// What all pictures of evo share: their colours, which follow the reader's light or dark scheme, their text
// and the badge that says how latencies were obtained.
#pragma once

#include <string>
#include <string_view>

namespace evo::report {

/// Classes: bg, t (text), d (dim text), line, bar, best, curve, ci, measured, modelled, and s0 to s5, the
/// colours of up to six series in an order in which neighbours differ.
extern const char* const svg_style;

/// At most `most` characters, as text of XML: what is no UTF-8, and control characters, become '?'.
[[nodiscard]] std::string svg_text(std::string_view text, std::size_t most);

/// `text` is text of XML; `more`: further attributes.
void put_text(std::string& svg, double x, double y, double size, const char* kind, const std::string& text,
              const char* more = "");

/// MEASURED or MODELLED in the upper right corner, up to x = `right`, and where below it.
void put_badge(std::string& svg, double right, const std::string& latency_kind, const std::string& where);

}  // namespace evo::report
