#include "evaluators/reference/command_oracle.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "evaluators/oracle/elements.hpp"
#include "evaluators/oracle/npy.hpp"
#include "evaluators/process/capture.hpp"
#include "model/hash.hpp"
#include "model/npy.hpp"

namespace evo::evaluators::reference {
namespace {

using model::ArgumentRole;
namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "\"";
}

std::string case_json(const model::Case& bound) {
  std::string axes, scalars, outputs;
  const auto add = [](std::string& list, const std::string& name, const std::string& value) {
    list += fmt::format("{}{}: {}", list.empty() ? "" : ", ", quoted(name), value);
  };
  for (const auto& [axis, value] : bound.axes) add(axes, axis, std::to_string(value));
  for (const model::BoundArgument& argument : bound.arguments) {
    if (argument.role == ArgumentRole::scalar) {
      add(scalars, argument.name,
          oracle::is_floating(argument.dtype) ? fmt::format("{:.17g}", argument.scalar_float)
                                              : std::to_string(argument.scalar_integer));
    } else if (model::is_judged(argument.role)) {
      add(outputs, argument.name,
          fmt::format("{{\"shape\": [{}], \"dtype\": \"{}\"}}", fmt::join(argument.shape, ", "),
                      model::name_of(argument.dtype)));
    }
  }
  return fmt::format("{{\"case\": {}, \"axes\": {{{}}}, \"scalars\": {{{}}}, \"outputs\": {{{}}}}}\n",
                     quoted(bound.name), axes, scalars, outputs);
}

void write(const fs::path& file, std::string_view bytes) {
  std::ofstream stream(file, std::ios::binary);
  stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!stream.flush())
    throw model::Exception(model::ExitCode::environment, fmt::format("{} cannot be written", file.string()));
}

fs::path new_folder(const fs::path& in) {
  std::string pattern = (in / "evo_oracle_XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr)
    throw model::Exception(model::ExitCode::environment,
                           "no temporary folder: " + std::string(std::strerror(errno)));
  return pattern;
}

/// A folder of its own for as long as this lives.
struct Scratch {
  explicit Scratch(const fs::path& in) : path(new_folder(in)) {}
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

/// The last lines that a program printed.
std::string last_words(const std::string& output) {
  constexpr std::size_t most = 600;
  std::string text = output.size() > most ? "..." + output.substr(output.size() - most) : output;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text.empty() ? "it printed nothing" : "it printed:\n" + text;
}

/// Why a program that runs elsewhere may fail here.
std::string hint_of_the_cage(const std::string& output) {
  const bool refused = output.find("Permission denied") != std::string::npos ||
                       output.find("Operation not permitted") != std::string::npos ||
                       output.find("Read-only") != std::string::npos;
  return refused ? "\nIt runs without a network, and may write to its two folders, the problem's folder and "
                   "$TMPDIR alone"
                 : "";
}

/// One file: for each output its elements.
std::optional<oracle::ReferenceOutputs> kept(const fs::path& file, const model::Case& bound) {
  std::ifstream stream(file, std::ios::binary);
  oracle::ReferenceOutputs outputs(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (!model::is_judged(bound.arguments[i].role)) continue;
    std::size_t count = 1;
    for (const std::int64_t size : bound.arguments[i].shape) count *= static_cast<std::size_t>(size);
    outputs[i].resize(count);
    stream.read(reinterpret_cast<char*>(outputs[i].data()), static_cast<std::streamsize>(8 * count));
    if (!stream) return std::nullopt;
  }
  return stream.peek() == std::char_traits<char>::eof() ? std::optional(std::move(outputs)) : std::nullopt;
}

void keep(const fs::path& file, const oracle::ReferenceOutputs& outputs) {
  std::error_code ignored;
  fs::create_directories(file.parent_path(), ignored);
  const fs::path partial = file.string() + fmt::format(".{}", ::getpid());
  {
    std::ofstream stream(partial, std::ios::binary);
    for (const std::vector<double>& values : outputs)
      stream.write(reinterpret_cast<const char*>(values.data()),
                   static_cast<std::streamsize>(8 * values.size()));
    if (!stream) return;  // a cache that cannot be written costs the next run a call
  }
  fs::rename(partial, file, ignored);
}

}  // namespace

/// A program is kept in the folder in which each case has one of its own: a process that is asked for many
/// cases has to write them all.
struct CommandOracle::Home {
  explicit Home(const std::string& problem)
      : path(new_folder(fs::temp_directory_path())),
        cage(std::make_shared<process::ProgramCage>(path, problem)) {}
  Home(const Home&) = delete;
  Home& operator=(const Home&) = delete;
  ~Home() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
  std::shared_ptr<const process::ProgramCage> cage;
};

CommandOracle::CommandOracle(model::OracleSource source, std::filesystem::path cache)
    : source_(std::move(source)),
      cache_(std::move(cache)),
      home_(std::make_shared<Home>(source_.folder)),
      warm_(WarmPython::takes(source_.command)
                ? std::make_shared<WarmPython>(source_.command, source_.folder, home_->cage)
                : nullptr) {}

model::Expected<oracle::ReferenceOutputs> CommandOracle::compute(const model::Case& bound,
                                                                 const oracle::InputBuffers& inputs) const {
  const Scratch scratch(home_->path);
  fs::create_directory(scratch.path / "inputs");
  fs::create_directory(scratch.path / "outputs");
  model::Hasher hasher;
  hasher.add(source_.content).add(source_.folder);
  const auto give = [&](const std::string& name, const std::string& bytes) {
    hasher.add(name).add(bytes);
    write(scratch.path / "inputs" / name, bytes);
  };
  give("case.json", case_json(bound));
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    if (model::is_given(bound.arguments[i].role))
      give(bound.arguments[i].name + ".npy", oracle::npy_of(bound.arguments[i], inputs[i]));
  }
  const fs::path file = cache_.empty() ? fs::path() : cache_ / hasher.finish();
  if (!file.empty()) {
    if (auto known = kept(file, bound)) return std::move(*known);
  }
  auto outputs = run(bound, inputs, scratch.path);
  if (outputs && !file.empty()) keep(file, *outputs);
  return outputs;
}

model::Expected<oracle::ReferenceOutputs> CommandOracle::run(const model::Case& bound,
                                                             const oracle::InputBuffers&,
                                                             const fs::path& scratch) const {
  const std::string name = fmt::format("the oracle's command '{}'", fmt::join(source_.command, " "));
  const auto fails = [&](const std::string& what) {
    return tl::make_unexpected(model::Error{fmt::format("{} for case {}: {}", name, bound.name, what)});
  };
  const std::vector<std::string> folders{(scratch / "inputs").string(), (scratch / "outputs").string()};
  const auto limit = std::chrono::milliseconds(static_cast<std::int64_t>(source_.timeout_s * 1000));
  std::optional<process::Captured> warm;
  if (warm_) {
    warm = warm_->run(folders, limit);
    if (!warm) {  // it may have written something, or somebody whom it has started
      std::error_code ignored;
      fs::remove_all(folders[1], ignored);
      fs::create_directory(folders[1]);
    }
  }
  std::vector<std::string> argv = source_.command;
  if (argv.front().find('/') == std::string::npos) {
    const auto program = process::find_program(argv.front());
    if (!program) return fails(fmt::format("there is no program {} on the path", argv.front()));
    argv.front() = program->string();
  }
  argv.insert(argv.end(), folders.begin(), folders.end());
  const process::Captured ran =
      warm ? *warm : process::run_caged(*home_->cage, argv, limit, std::size_t{1} << 20, source_.folder);
  if (warm_ && !warm && ran.exit_code == 0) warm_->give_up();
  if (ran.timed_out)
    return fails(fmt::format("it ran longer than {} s; {}", source_.timeout_s, last_words(ran.output)));
  if (!ran.exit_code) return fails(fmt::format("it was killed; {}", last_words(ran.output)));
  if (*ran.exit_code != 0)
    return fails(fmt::format("exit code {}; {}{}", *ran.exit_code, last_words(ran.output),
                             hint_of_the_cage(ran.output)));
  oracle::ReferenceOutputs outputs(bound.arguments.size());
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const model::BoundArgument& argument = bound.arguments[i];
    if (!model::is_judged(argument.role)) continue;
    const fs::path file = scratch / "outputs" / (argument.name + ".npy");
    std::error_code ignored;
    if (!fs::exists(file, ignored))
      return fails(fmt::format("it wrote no {}.npy; {}", argument.name, last_words(ran.output)));
    auto array = model::read_npy(file.string());
    if (!array) return fails(fmt::format("{}.npy: {}", argument.name, array.error().message));
    if (array->shape != argument.shape) {
      return fails(fmt::format("{}.npy has the shape ({}), and {} has ({})", argument.name,
                               fmt::join(array->shape, ", "), argument.name,
                               fmt::join(argument.shape, ", ")));
    }
    outputs[i] = std::move(array->values);
  }
  return outputs;
}

}  // namespace evo::evaluators::reference
