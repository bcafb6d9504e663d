#include "report/svg.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "model/file_name.hpp"

namespace evo::report {

const char* const svg_style = R"(
.bg{fill:#fff}.t{fill:#16202c}.d{fill:#556070}.line{stroke:#dde2e8}.bar{fill:#8593a5}.best{fill:#12804a}
.curve{stroke:#12804a;fill:none;stroke-width:4}.ci{stroke:#16202c;stroke-width:3}
.measured{fill:#d3f0df}.measuredt{fill:#0f5132}.modelled{fill:#ffe9c9;stroke:#7a3b00;stroke-dasharray:6 4}.modelledt{fill:#7a3b00}
.s0{fill:#12804a;stroke:#12804a}.s1{fill:#2563c9;stroke:#2563c9}.s2{fill:#b8500c;stroke:#b8500c}.s3{fill:#7a3fc0;stroke:#7a3fc0}
.s4{fill:#0b7a86;stroke:#0b7a86}.s5{fill:#a8326e;stroke:#a8326e}.roof{stroke:#556070}.worse{fill:#b8500c}
@media (prefers-color-scheme:dark){.bg{fill:#11161d}.t{fill:#e7ecf2}.d{fill:#a3afbf}.line{stroke:#2e3947}.bar{fill:#8795a8}
.best{fill:#4fc987}.curve{stroke:#4fc987}.ci{stroke:#e7ecf2}.measured{fill:#12402a}.measuredt{fill:#a9efc6}
.modelled{fill:#4a2f08;stroke:#ffd596}.modelledt{fill:#ffd596}
.s0{fill:#4fc987;stroke:#4fc987}.s1{fill:#6aa5ff;stroke:#6aa5ff}.s2{fill:#ff9a52;stroke:#ff9a52}.s3{fill:#bb90f5;stroke:#bb90f5}
.s4{fill:#4cc3cf;stroke:#4cc3cf}.s5{fill:#f07fb4;stroke:#f07fb4}.roof{stroke:#a3afbf}.worse{fill:#ff9a52}}
text{font-family:system-ui,"DejaVu Sans",sans-serif})";

std::string svg_text(std::string_view text, std::size_t most) {
  std::string safe;
  std::size_t characters = 0;
  while (!text.empty()) {
    if (++characters > most) return safe + "…";
    const std::size_t length = model::utf8_length(text);
    const std::string_view one = text.substr(0, std::max<std::size_t>(length, 1));
    text.remove_prefix(one.size());
    const auto first = static_cast<unsigned char>(one.front());
    // U+202A to U+202E and U+2066 to U+2069 turn the order of what follows; U+FFFE and U+FFFF are no XML.
    const bool turns = one.size() == 3 && first == 0xe2 &&
                       ((one[1] == '\x80' && one[2] >= '\xaa' && one[2] <= '\xae') ||
                        (one[1] == '\x81' && one[2] >= '\xa6' && one[2] <= '\xa9'));
    const bool none = one.size() == 3 && first == 0xef && one[1] == '\xbf' && one[2] >= '\xbe';
    if (length == 0 || first < 0x20 || first == 0x7f || turns || none) {
      safe += '?';
    } else if (one == "<") {
      safe += "&lt;";
    } else if (one == ">") {
      safe += "&gt;";
    } else if (one == "&") {
      safe += "&amp;";
    } else if (one == "\"") {
      safe += "&quot;";
    } else {
      safe += one;
    }
  }
  return safe;
}

void put_text(std::string& svg, double x, double y, double size, const char* kind, const std::string& text,
              const char* more) {
  svg += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\" class=\"{}\" {}>{}</text>\n", x, y, size, kind,
                     more, text);
}

void put_badge(std::string& svg, double right, const std::string& latency_kind, const std::string& where) {
  const char* look = latency_kind == "measured" ? "measured" : "modelled";
  svg += fmt::format("<rect x=\"{}\" y=\"36\" width=\"220\" height=\"46\" rx=\"8\" class=\"{}\"/>\n",
                     right - 220, look);
  std::string capitals = latency_kind;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  put_text(svg, right - 110, 68, 26, fmt::format("{}t", look).c_str(), svg_text(capitals, 12),
           "text-anchor=\"middle\" font-weight=\"700\"");
  put_text(svg, right, 112, 22, "d", svg_text(where, 52), "text-anchor=\"end\"");
}

}  // namespace evo::report
