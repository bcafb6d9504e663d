#include "report/profiles.hpp"

#include "evaluators/profile/reading_json.hpp"
#include "session/profile_file.hpp"

namespace evo::report {
namespace {

void add_reading(const std::optional<model::CounterReading>& reading, std::int64_t trial,
                 boost::json::array& list) {
  if (!reading) return;
  boost::json::object object = evaluators::profile::to_json(*reading, 0);
  for (boost::json::value& kernel : object.at("kernels").as_array()) {
    boost::json::object& entry = kernel.as_object();
    entry["trial"] = trial;
    for (const char* name : {"basis", "method", "device"}) entry[name] = object.at(name);
    entry.erase("lines");
    list.push_back(std::move(entry));
  }
}

}  // namespace

boost::json::array profiles_of(const RunView& view, const ShownVariants& shown,
                               std::vector<std::string>& notices) {
  boost::json::array measured, modelled;
  for (const ShownVariant& variant : shown.list) {
    std::string problem;
    const auto stored = session::read_profile(view.folder, variant.variant.id, problem);
    if (!problem.empty()) notices.push_back(problem);
    if (!stored) continue;
    add_reading(stored->measured, variant.trial->index, measured);
    add_reading(stored->modelled, variant.trial->index, modelled);
  }
  for (boost::json::value& entry : modelled) measured.push_back(std::move(entry));
  return measured;
}

}  // namespace evo::report
