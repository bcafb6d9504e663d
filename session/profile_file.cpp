#include "session/profile_file.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/profile/reading_json.hpp"
#include "model/error.hpp"
#include "model/file_name.hpp"
#include "session/run_folder.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int profile_version = 1;
/// Of a kernel, in a file.
constexpr std::size_t stored_lines = 200;

json::value section(const std::optional<model::CounterReading>& reading) {
  if (!reading) return nullptr;
  return evaluators::profile::to_json(*reading, stored_lines);
}

std::optional<model::CounterReading> reading_in(const json::value& document, const char* name,
                                                model::CounterBasis basis) {
  const json::value& value = document.at(name);
  if (value.is_null()) return std::nullopt;
  auto reading = evaluators::profile::reading_from_json(value);
  if (reading.basis != basis) throw std::runtime_error(fmt::format("what stands under {} is not", name));
  return reading;
}

}  // namespace

fs::path profile_file(const fs::path& run, const std::string& variant) {
  return run / "profiles" / (model::plain_file_name(variant) + ".json");
}

void store_profile(const fs::path& run, StoredProfile profile) {
  std::string ignored;
  if (auto before = read_profile(run, profile.variant, ignored)) {
    if (!profile.measured) profile.measured = std::move(before->measured);
    if (!profile.modelled) profile.modelled = std::move(before->modelled);
  }
  const fs::path file = profile_file(run, profile.variant);
  std::error_code failed;
  fs::create_directories(file.parent_path(), failed);
  if (failed)
    throw model::Exception(model::ExitCode::environment,
                           fmt::format("{}: {}", file.parent_path().string(), failed.message()));
  write_file_atomically(file, json::serialize(json::object{{"schema_version", profile_version},
                                                           {"variant", profile.variant},
                                                           {"template", profile.template_name},
                                                           {"measured", section(profile.measured)},
                                                           {"modelled", section(profile.modelled)}}) +
                                  "\n");
}

std::optional<StoredProfile> read_profile(const fs::path& run, const std::string& variant,
                                          std::string& problem) {
  const fs::path file = profile_file(run, variant);
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  try {
    const json::value document = json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
    if (document.at("schema_version").as_int64() != profile_version)
      throw std::runtime_error("it is of another evo");
    StoredProfile profile;
    profile.variant = document.at("variant").as_string();
    if (profile.variant != variant) throw std::runtime_error("it is another variant's");
    profile.template_name = document.at("template").as_string();
    profile.measured = reading_in(document, "measured", model::CounterBasis::measured);
    profile.modelled = reading_in(document, "modelled", model::CounterBasis::modelled);
    return profile;
  } catch (const std::exception& error) {
    problem = fmt::format("{} cannot be read: {}", file.string(), error.what());
    return std::nullopt;
  }
}

}  // namespace evo::session
