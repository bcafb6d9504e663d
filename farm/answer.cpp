#include "farm/answer.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

#include "evaluators/gates/device_job.hpp"

namespace evo::farm {

tl::expected<Answer, std::string> answer_of(
    const ResultMessage& message,
    const std::function<tl::expected<std::any, std::string>(const std::string& body)>& read) {
  Answer answer;
  answer.worker = said(message.worker);
  answer.priced = message.price > 0;
  if (!message.error.empty()) {
    answer.code_missing = message.code_missing;
    answer.error = fmt::format("worker {}: {}", answer.worker, said(message.error));
    return answer;
  }
  auto result = read(message.body);
  if (!result) return tl::unexpected(std::move(result.error()));
  answer.result = std::move(*result);
  return answer;
}

tl::expected<std::any, std::string> read_device_result(const std::string& body) {
  evaluators::gates::DeviceResult result;
  try {
    result = evaluators::gates::device_result_from_json(body);
  } catch (const std::exception& error) {
    return tl::unexpected(fmt::format("its body is no result: {}", error.what()));
  }
  if (result.gates.empty()) return tl::unexpected(std::string("its body is no result: no gate"));
  return std::any(std::move(result));
}

}  // namespace evo::farm
