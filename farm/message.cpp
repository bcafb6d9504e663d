#include "farm/message.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "model/error.hpp"
#include "model/hash.hpp"

namespace evo::farm {
namespace {

namespace json = boost::json;

/// Of an hour, and seconds of a job: more is a mistake.
constexpr double most_price = 1e6;
/// PTX and machine code, of a candidate and of its opponent.
constexpr std::size_t most_code = 4;

std::string bounded(std::string text) {
  if (text.size() > max_message_bytes)
    throw model::Exception(
        model::ExitCode::failed,
        fmt::format("a farm message of {} bytes: at most {} are sent", text.size(), max_message_bytes));
  return text;
}

tl::expected<json::object, std::string> object_of(std::string_view text) {
  if (text.size() > max_message_bytes)
    return tl::unexpected(fmt::format("{} bytes, at most {}", text.size(), max_message_bytes));
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error) return tl::unexpected("no JSON: " + error.message());
  if (!value.is_object()) return tl::unexpected(std::string("no JSON object"));
  return std::move(value.as_object());
}

/// Fills what `fields` names; the first that is missing or no string is the error.
std::string take(const json::object& from,
                 std::initializer_list<std::pair<const char*, std::string*>> fields) {
  for (const auto& [name, field] : fields) {
    const json::value* found = from.if_contains(name);
    if (found == nullptr || !found->is_string()) return fmt::format("'{}' is missing or no string", name);
    field->assign(found->as_string().begin(), found->as_string().end());
  }
  return {};
}

}  // namespace

std::string difference(const Build& worker, const Build& run) {
  const auto differs = [](const char* what, const std::string& mine, const std::string& theirs) {
    return fmt::format("{} {}, the run has {}", what, mine, theirs);
  };
  if (worker.evo != run.evo) return differs("evo", worker.evo, run.evo);
  if (worker.toolchain != run.toolchain) return differs("toolchain", worker.toolchain, run.toolchain);
  if (worker.device != run.device) return differs("device", worker.device, run.device);
  return {};
}

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 64 && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

std::string line_of(std::string_view device) {
  std::string line;
  for (const char c : device.substr(0, 48)) line += is_plain_name(std::string_view(&c, 1)) ? c : '_';
  return line;
}

std::string comparisons_line_of(std::string_view device) {
  return line_of(device) + "_compare";
}

std::string said(std::string_view text) {
  constexpr std::size_t most = 300;
  std::string safe;
  for (const char c : text.substr(0, most)) safe += c >= 0x20 && c < 0x7f ? c : '?';
  return text.size() > most ? safe + "..." : safe;
}

std::string job_id(std::string_view run, std::string_view target, std::string_view body) {
  return model::Hasher().add(run).add(target).add(body).finish();
}

bool fits(const JobMessage& m) {
  // The envelope's text is a JSON string: a quote or a backslash takes two bytes, a control character six.
  std::size_t bytes = 1024 + m.target.size() * 6;
  for (const char c : m.body)
    bytes += c == '"' || c == '\\' ? 2 : static_cast<unsigned char>(c) < 0x20 ? 6 : 1;
  return bytes <= max_message_bytes;
}

std::string encode(const JobMessage& m) {
  return bounded(json::serialize(json::object{{"run", m.run},
                                              {"id", m.id},
                                              {"nonce", m.nonce},
                                              {"evo", m.build.evo},
                                              {"toolchain", m.build.toolchain},
                                              {"device", m.build.device},
                                              {"target", m.target},
                                              {"code", json::array(m.code.begin(), m.code.end())},
                                              {"body", m.body}}));
}

std::string encode(const ResultMessage& m) {
  return bounded(json::serialize(json::object{{"run", m.run},
                                              {"id", m.id},
                                              {"nonce", m.nonce},
                                              {"worker", m.worker},
                                              {"error", m.error},
                                              {"body", m.body},
                                              {"code_missing", m.code_missing},
                                              {"price", m.price},
                                              {"seconds", m.seconds}}));
}

tl::expected<JobMessage, std::string> job_from(std::string_view text) {
  const auto object = object_of(text);
  if (!object) return tl::unexpected(object.error());
  JobMessage m;
  std::string wrong = take(*object, {{"run", &m.run},
                                     {"id", &m.id},
                                     {"nonce", &m.nonce},
                                     {"evo", &m.build.evo},
                                     {"toolchain", &m.build.toolchain},
                                     {"device", &m.build.device},
                                     {"target", &m.target},
                                     {"body", &m.body}});
  if (wrong.empty() && !is_plain_name(m.run)) wrong = "'run' is no plain name";
  if (wrong.empty() && m.id != job_id(m.run, m.target, m.body)) wrong = "'id' is not that of the job";
  const json::value* code = object->if_contains("code");
  if (wrong.empty() && code != nullptr && !(code->is_array() && code->as_array().size() <= most_code))
    wrong = "'code' is no short list";
  if (!wrong.empty()) return tl::unexpected(wrong);
  if (code == nullptr) return m;
  for (const json::value& hash : code->as_array()) {
    if (!hash.is_string() || !is_plain_name(hash.as_string()))
      return tl::unexpected(std::string("'code' names no hash"));
    m.code.emplace_back(hash.as_string());
  }
  return m;
}

tl::expected<ResultMessage, std::string> result_from(std::string_view text) {
  const auto object = object_of(text);
  if (!object) return tl::unexpected(object.error());
  ResultMessage m;
  const std::string wrong = take(*object, {{"run", &m.run},
                                           {"id", &m.id},
                                           {"nonce", &m.nonce},
                                           {"worker", &m.worker},
                                           {"error", &m.error},
                                           {"body", &m.body}});
  if (!wrong.empty()) return tl::unexpected(wrong);
  if (const json::value* found = object->if_contains("code_missing")) {
    if (!found->is_bool()) return tl::unexpected(std::string("'code_missing' is neither true nor false"));
    m.code_missing = found->as_bool();
  }
  for (const auto& [name, field] : {std::pair("price", &m.price), std::pair("seconds", &m.seconds)}) {
    const json::value* found = object->if_contains(name);
    boost::system::error_code error;
    if (found == nullptr) continue;
    if (found->is_number()) *field = found->to_number<double>(error);
    if (!found->is_number() || error || !(*field >= 0) || *field > most_price)
      return tl::unexpected(fmt::format("'{}' is no number from 0 to {}", name, most_price));
  }
  return m;
}

}  // namespace evo::farm
