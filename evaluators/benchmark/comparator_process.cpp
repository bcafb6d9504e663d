#include "evaluators/benchmark/comparator_process.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/oracle/layout.hpp"
#include "evaluators/process/child.hpp"
#include "model/error.hpp"

namespace evo::evaluators::benchmark {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

std::string one_line(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (const std::size_t last = text.rfind('\n'); last != std::string::npos) text.erase(0, last + 1);
  return text;
}

json::object describe(const model::BoundArgument& argument) {
  json::object object{{"name", argument.name}, {"dtype", model::name_of(argument.dtype)}};
  if (argument.role == model::ArgumentRole::scalar) {
    const bool floating = argument.dtype == model::DType::f32 || argument.dtype == model::DType::f64;
    object["value"] = floating ? json::value(argument.scalar_float) : json::value(argument.scalar_integer);
  } else {
    object["role"] = argument.role == model::ArgumentRole::output  ? "output"
                     : argument.role == model::ArgumentRole::inout ? "inout"
                     : argument.role == model::ArgumentRole::input ? "input"
                                                                   : "workspace";
    object["shape"] = json::value_from(argument.shape);
    object["strides"] = json::value_from(argument.strides);
  }
  return object;
}

}  // namespace

/// A folder for the bytes of one case, removed at the end.
class CaseFolder {
 public:
  CaseFolder() {
    std::string pattern = (fs::temp_directory_path() / "evo-bench-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw model::Exception(model::ExitCode::environment, "no folder for temporary files: " + pattern);
    }
    path_ = pattern;
  }
  ~CaseFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  CaseFolder(const CaseFolder&) = delete;
  CaseFolder& operator=(const CaseFolder&) = delete;
  [[nodiscard]] fs::path file(const std::string& argument) const { return path_ / (argument + ".bin"); }

 private:
  fs::path path_;
};

struct ComparatorProcess::State {
  State(process::Child started, std::chrono::milliseconds limit)
      : child(std::move(started)), timeout(limit) {}

  process::Child child;
  std::chrono::milliseconds timeout;
  std::string title, name, uuid, lost;  ///< lost: why the process is gone
  std::vector<std::string> backends, skip_in_sweep;
  std::set<std::string> prepared;  ///< backends that hold the case
  std::string case_name;
  std::unique_ptr<CaseFolder> exchange;  ///< files of the case

  [[nodiscard]] Attempt<json::object> fail(const std::string& what) {
    child.kill();
    const std::string words = one_line(child.captured_stderr());
    lost = words.empty() ? what : fmt::format("{} ({})", what, words);
    return tl::make_unexpected(lost);
  }

  [[nodiscard]] Attempt<json::object> ask(const json::object& request, std::chrono::milliseconds limit) {
    if (!lost.empty()) return tl::make_unexpected(lost);
    if (!child.write_frame(json::serialize(request), limit)) return fail("the comparator ended");
    const process::ReadResult read = child.read_frame(limit);
    if (read.status == process::ReadStatus::closed) return fail("the comparator ended");
    if (read.status == process::ReadStatus::timeout) {
      return fail(fmt::format("the comparator gave no answer within {} ms", limit.count()));
    }
    boost::system::error_code error;
    json::value answer = json::parse(read.frame, error);
    const json::object* object = error ? nullptr : answer.if_object();
    const json::value* ok = object == nullptr ? nullptr : object->if_contains("ok");
    if (ok == nullptr || !ok->is_bool()) return fail("the comparator answered no JSON of its protocol");
    if (!ok->get_bool()) {
      const json::value* reason = object->if_contains("reason");
      return tl::make_unexpected(reason != nullptr && reason->is_string() ? std::string(reason->get_string())
                                                                          : std::string("no reason given"));
    }
    return std::move(answer.get_object());
  }
};

class ComparatorProcess::Backend final : public Contender {
 public:
  Backend(State& state, std::string backend) : state_(state), backend_(std::move(backend)) {}

  [[nodiscard]] std::string name() const override {
    if (state_.title.empty() || state_.title == backend_) return backend_;
    return fmt::format("{}: {}", state_.title, backend_);
  }

  [[nodiscard]] bool skips_sweeps() const override {
    const auto& skipped = state_.skip_in_sweep;
    return std::find(skipped.begin(), skipped.end(), backend_) != skipped.end();
  }

  [[nodiscard]] Attempt<Outputs> compute(const model::Case& bound,
                                         const oracle::InputBuffers& inputs) override {
    // Backends of one case read the same files; only the first of them finds none.
    const bool fresh = !state_.exchange || state_.case_name != bound.name;
    if (fresh) {
      state_.exchange = std::make_unique<CaseFolder>();
      state_.case_name = bound.name;
      state_.prepared.clear();
    }
    const CaseFolder& exchange = *state_.exchange;
    json::array arguments;
    json::object files;
    std::vector<const model::BoundArgument*> outputs;
    for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
      const model::BoundArgument& argument = bound.arguments[i];
      arguments.push_back(describe(argument));
      if (argument.role == model::ArgumentRole::scalar) continue;
      files[argument.name] = exchange.file(argument.name).string();
      if (argument.role == model::ArgumentRole::input) {
        if (!fresh) continue;
        std::ofstream file(exchange.file(argument.name), std::ios::binary);
        file.write(reinterpret_cast<const char*>(inputs[i].data()),
                   static_cast<std::streamsize>(inputs[i].size()));
        if (!file.flush()) return tl::make_unexpected("an input cannot be written to a temporary file");
      } else if (argument.role == model::ArgumentRole::output) {
        outputs.push_back(&argument);
      }
    }
    if (outputs.empty()) return tl::make_unexpected("the problem has no output");
    state_.prepared.erase(backend_);
    const auto answer = state_.ask({{"op", "prepare"},
                                    {"case", bound.name},
                                    {"backend", backend_},
                                    {"arguments", arguments},
                                    {"files", files}},
                                   state_.timeout);
    if (!answer) return tl::make_unexpected(answer.error());
    state_.prepared.insert(backend_);
    Outputs contents;
    for (const model::BoundArgument* output : outputs) {
      const auto bytes =
          static_cast<std::size_t>(oracle::element_count(*output) * model::size_of(output->dtype));
      std::vector<std::byte>& result = contents.emplace_back(bytes);
      std::ifstream file(exchange.file(output->name), std::ios::binary);
      file.read(reinterpret_cast<char*>(result.data()), static_cast<std::streamsize>(bytes));
      if (file.gcount() != static_cast<std::streamsize>(bytes) ||
          file.peek() != std::ifstream::traits_type::eof()) {
        return tl::make_unexpected(
            fmt::format("the comparator wrote {} in another size, or not at all", output->name));
      }
    }
    return contents;
  }

  [[nodiscard]] Attempt<std::vector<double>> time(const TimingRequest& request) override {
    if (!state_.prepared.contains(backend_)) return tl::make_unexpected("nothing is prepared");
    const auto answer = state_.ask({{"op", "time"},
                                    {"backend", backend_},
                                    {"sets", request.sets},
                                    {"launches", request.launches},
                                    {"warmup", request.warmup},
                                    {"samples", request.samples},
                                    {"emptying_bytes", request.emptying_bytes}},
                                   state_.timeout);
    if (!answer) return tl::make_unexpected(answer.error());
    // A comparator that does not know of it would be timed on a warm L2, and win.
    const json::value* emptied = answer->if_contains("emptied");
    if (request.emptying_bytes > 0 && (emptied == nullptr || *emptied != json::value(true)))
      return tl::make_unexpected("the comparator does not empty the L2 before a sample (emptying_bytes)");
    const json::value* list = answer->if_contains("samples_us");
    std::vector<double> samples;
    if (list != nullptr && list->is_array()) {
      for (const json::value& value : list->get_array()) {
        const double us = value.is_number() ? value.to_number<double>() : -1;
        if (!(std::isfinite(us) && us > 0)) break;
        samples.push_back(us);
      }
    }
    if (samples.size() != static_cast<std::size_t>(request.samples)) {
      return tl::make_unexpected(
          state_.fail("the comparator gave samples that are no positive numbers").error());
    }
    return samples;
  }

  void release() override {
    if (state_.prepared.erase(backend_) == 0 || !state_.prepared.empty()) return;
    state_.exchange.reset();
    // A process that does not even answer this is marked as lost, and the next request says so.
    static_cast<void>(state_.ask({{"op", "release"}}, state_.timeout));
  }

 private:
  State& state_;
  std::string backend_;
};

ComparatorProcess::ComparatorProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ComparatorProcess::~ComparatorProcess() = default;

Attempt<std::unique_ptr<ComparatorProcess>> ComparatorProcess::start(const ComparatorOptions& options) {
  std::unique_ptr<State> state;
  try {
    state = std::make_unique<State>(process::Child::spawn(options.command, {}), options.timeout);
  } catch (const model::Exception& error) {
    return tl::make_unexpected(std::string(error.what()));
  }
  state->title = options.title;
  const auto hello = state->ask({{"op", "hello"}, {"device", options.device}}, options.start_timeout);
  if (!hello) return tl::make_unexpected(hello.error());
  try {
    state->name = json::value_to<std::string>(hello->at("name"));
    state->backends = json::value_to<std::vector<std::string>>(hello->at("backends"));
    if (const json::value* skipped = hello->if_contains("skip_in_sweep"))
      state->skip_in_sweep = json::value_to<std::vector<std::string>>(*skipped);
    if (const json::value* uuid = hello->if_contains("uuid"))
      state->uuid = json::value_to<std::string>(*uuid);
  } catch (const std::exception&) {
    return tl::make_unexpected(state->fail("the comparator answered no JSON of its protocol").error());
  }
  return std::unique_ptr<ComparatorProcess>(new ComparatorProcess(std::move(state)));
}

const std::string& ComparatorProcess::name() const {
  return state_->name;
}
const std::string& ComparatorProcess::uuid() const {
  return state_->uuid;
}
const std::vector<std::string>& ComparatorProcess::backends() const {
  return state_->backends;
}
std::unique_ptr<Contender> ComparatorProcess::contender(const std::string& backend) {
  return std::make_unique<Backend>(*state_, backend);
}

}  // namespace evo::evaluators::benchmark
