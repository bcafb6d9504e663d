#include "report/page.hpp"

#include <stdexcept>
#include <string_view>

#include "report/json_output.hpp"
#include "report/page_asset.hpp"

namespace evo::report {
namespace {

/// What stands in the asset where the data goes.
constexpr std::string_view place = "EVO_REPORT_DATA";

}  // namespace

std::string embedded_json(const boost::json::value& document) {
  const std::string text = utf8_json(boost::json::serialize(document));
  std::string safe;
  safe.reserve(text.size() + text.size() / 64);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<') {
      safe += "\\u003c";
    } else if (c == '>') {
      safe += "\\u003e";
    } else if (text.compare(i, 3, "\xe2\x80\xa8") == 0 || text.compare(i, 3, "\xe2\x80\xa9") == 0) {
      safe += text[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string page_of(const boost::json::value& document) {
  const std::string_view asset = page_asset();
  const std::size_t at = asset.find(place);
  if (at == std::string_view::npos) throw std::logic_error("report/page.html has no place for the data");
  std::string page(asset.substr(0, at));
  page += embedded_json(document);
  page += asset.substr(at + place.size());
  return page;
}

}  // namespace evo::report
