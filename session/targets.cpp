#include "session/targets.hpp"

#include "config/targets.hpp"
#include "session/load.hpp"

namespace evo::session {

void set_target_or_throw(model::Experiment& experiment, const std::string& name, model::ExitCode unknown) {
  const std::string wanted = name.empty() ? std::string(model::default_target) : name;
  const auto set = config::set_target(experiment, wanted, ".", search_path());
  if (set) return;
  const bool in_a_file = !set.error().file.empty();
  throw model::Exception(in_a_file ? model::ExitCode::invalid_configuration : unknown, set.error().text());
}

}  // namespace evo::session
