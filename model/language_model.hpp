// A language model as a mutator: where its replies come from, and what it may spend. `search.mutators`,
// `llm`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace evo::model {

struct LanguageModel {
  std::string name;    ///< what the reports call it; the endpoint's name of the model, too
  double weight = 1;   ///< as the operators' in `search.mutators`
  std::string mode;    ///< live, record, replay, mixed
  std::string preset;  ///< free, insight, full: what the prompt holds
  /// One of the three; `cassette` beside another one in the modes record and mixed.
  std::string endpoint;              ///< "http://127.0.0.1:8080/v1"
  std::vector<std::string> command;  ///< request on its standard input, reply on its standard output
  std::string cassette;              ///< a file of JSON lines
  std::string api_key_env;           ///< name of the environment variable that holds the key; never the key
  std::string params;                ///< JSON object, passed through in the request; "" = none
  double timeout_s = 120;            ///< of one attempt
  std::int64_t retries = 2;          ///< attempts after the first, where it may help
  std::int64_t repairs = 1;          ///< turns after the first in which a bad reply may be mended
  std::int64_t max_requests = 0;     ///< 0 = no limit
  std::int64_t max_tokens = 0;       ///< 0 = no limit
  double max_cost = 0;               ///< 0 = no limit
  double input_price = 0;            ///< price of a million tokens of requests
  double output_price = 0;           ///< price of a million tokens of replies
};

}  // namespace evo::model
