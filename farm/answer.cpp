#include "farm/answer.hpp"

#include <exception>
#include <utility>

#include <fmt/format.h>

namespace evo::farm {

tl::expected<Answer, std::string> answer_of(const ResultMessage& message) {
  Answer answer;
  answer.worker = said(message.worker);
  if (!message.error.empty()) {
    answer.error = fmt::format("worker {}: {}", answer.worker, said(message.error));
    return answer;
  }
  try {
    answer.result = evaluators::gates::device_result_from_json(message.body);
  } catch (const std::exception& error) {
    return tl::unexpected(fmt::format("its body is no result: {}", error.what()));
  }
  if (answer.result->gates.empty()) return tl::unexpected(std::string("its body is no result: no gate"));
  return answer;
}

}  // namespace evo::farm
