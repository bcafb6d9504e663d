#include "report/page.hpp"

#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "report/json_output.hpp"
#include "report/page_asset.hpp"

namespace evo::report {
namespace {

/// What stands in the asset where the data goes.
constexpr std::string_view place = "EVO_REPORT_DATA";
constexpr std::string_view policy_of_images = "img-src data:";

std::string with_data(std::string page, const std::string& json) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos) throw std::logic_error("report/page.html has no place for the data");
  page.replace(at, place.size(), json);
  return page;
}

}  // namespace

std::string embedded_json(const boost::json::value& document) {
  const std::string text = strict_json(boost::json::serialize(document));
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
  return with_data(std::string(page_asset()), embedded_json(document));
}

std::string live_page(const std::string& json, std::uint64_t version) {
  std::string page(page_asset());
  const std::size_t policy = page.find(policy_of_images);
  if (policy == std::string::npos) throw std::logic_error("report/page.html has no policy to widen");
  page.insert(policy, "connect-src 'self'; ");
  constexpr std::string_view element = "id=\"data\"";
  const std::size_t at = page.find(element);
  if (at == std::string::npos) throw std::logic_error("report/page.html has no element for the data");
  page.insert(at, fmt::format("data-version=\"{}\" ", version));
  return with_data(std::move(page), json);
}

}  // namespace evo::report
