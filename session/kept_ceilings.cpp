// Measured ceilings in a file a device: of this driver, compiler and these kernels.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <boost/json.hpp>

#include "evaluators/compile/cache.hpp"
#include "model/error.hpp"
#include "model/file_name.hpp"
#include "model/hash.hpp"
#include "session/measured_ceilings.hpp"
#include "session/run_folder.hpp"

namespace evo::session {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr int ceilings_version = 1;

std::string now_utc() {
  const auto now = std::chrono::time_point_cast<std::chrono::seconds>(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)));
}

}  // namespace

fs::path ceilings_folder() {
  return evaluators::compile::ArtifactCache::default_folder().parent_path() / "ceilings";
}

fs::path ceilings_file(const fs::path& folder, const evaluators::devices::DeviceInfo& device,
                       const std::string& compiler, const CeilingSources& sources) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(sources.kernels, ignored)) {
    if (entry.path().extension() == ".cu") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::string all = device.name + '\n' + device.driver + '\n' + compiler + '\n';
  for (const fs::path& file : files) {
    std::ifstream stream(file, std::ios::binary);
    all += file.filename().string() + '\n' + std::string(std::istreambuf_iterator<char>(stream), {});
  }
  return folder /
         fmt::format("{}-{}.json", model::plain_file_name(device.uuid), model::sha256(all).substr(0, 16));
}

std::optional<Ceilings> read_ceilings(const fs::path& file) try {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return std::nullopt;
  const json::value document = json::parse(std::string(std::istreambuf_iterator<char>(stream), {}));
  if (document.at("schema_version").as_int64() != ceilings_version) return std::nullopt;
  Ceilings read{"measured", std::string(document.at("device").as_string()), {}};
  read.measured_at = document.at("measured_at").as_string();
  read.from_cache = true;
  for (const json::value& rate : document.at("rates").as_array()) {
    Ceiling ceiling{std::string(rate.at("name").as_string()), rate.at("rate").to_number<double>(),
                    std::string(rate.at("how").as_string())};
    if (!(ceiling.rate > 0)) return std::nullopt;
    read.rates.push_back(std::move(ceiling));
  }
  if (read.rates.empty()) return std::nullopt;
  for (const json::value& one : document.at("missing").as_array())
    read.missing.emplace_back(one.at("name").as_string(), one.at("reason").as_string());
  return read;
} catch (const std::exception&) {
  return std::nullopt;
}

std::string write_ceilings(const Ceilings& ceilings, const fs::path& file) try {
  json::array rates, missing;
  for (const Ceiling& ceiling : ceilings.rates)
    rates.push_back({{"name", ceiling.name}, {"rate", ceiling.rate}, {"how", ceiling.how}});
  for (const auto& [name, reason] : ceilings.missing) missing.push_back({{"name", name}, {"reason", reason}});
  fs::create_directories(file.parent_path());
  write_file_atomically(file, json::serialize(json::object{{"schema_version", ceilings_version},
                                                           {"device", ceilings.of},
                                                           {"measured_at", ceilings.measured_at},
                                                           {"rates", std::move(rates)},
                                                           {"missing", std::move(missing)}}));
  return {};
} catch (const std::exception& error) {
  return error.what();
}

Ceilings known_or_measured_ceilings(evaluators::devices::Device& device,
                                    evaluators::compile::Compiler& compiler, const DeviceSize& size,
                                    const fs::path& folder, bool again) {
  const CeilingSources sources = find_ceiling_sources();
  const fs::path file = ceilings_file(folder, device.info(), compiler.version(), sources);
  if (!again) {
    if (auto kept = read_ceilings(file)) return std::move(*kept);
  }
  Ceilings measured = measure_ceilings(device, compiler, size, sources);
  measured.measured_at = now_utc();
  measured.cache_problem = write_ceilings(measured, file);
  return measured;
}

}  // namespace evo::session
