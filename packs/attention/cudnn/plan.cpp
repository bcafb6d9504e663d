#include "packs/attention/cudnn/plan.hpp"

#include <fmt/format.h>

namespace evo::packs::attention::cudnn {
namespace {

struct Candidate {
  Descriptor config, plan;
};

/// The first of the engine configurations that heuristics of `mode` give which can be finalized.
Attempt<Candidate> first_plan(const Session& session, const AttentionGraph& graph, Heuristics mode) {
  const ApiPointer& api = session.api();
  Descriptor heuristics(api, Kind::engine_heuristics, "heuristics");
  heuristics.set(Attribute::heuristics_graph, *graph.graph).set(Attribute::heuristics_mode, mode).finalize();
  const auto count = heuristics.get(Attribute::heuristics_results, Type::descriptor, 0, nullptr);
  if (!count) return tl::make_unexpected(count.error());
  if (*count <= 0) return tl::make_unexpected(std::string("no engine"));
  std::vector<Descriptor> configs;
  std::vector<RawDescriptor> raw;
  for (std::int64_t i = 0; i < *count; ++i) {
    Descriptor& config = configs.emplace_back(api, Kind::engine_config, fmt::format("engine config {}", i));
    if (!config.error().empty()) return tl::make_unexpected(config.error());
    raw.push_back(config.raw());
  }
  const auto given = heuristics.get(Attribute::heuristics_results, Type::descriptor, *count, raw.data());
  if (!given) return tl::make_unexpected(given.error());
  std::string first_error = "no engine";
  RawHandle handle = session.handle();
  for (std::size_t i = 0; i < configs.size() && i < static_cast<std::size_t>(*given); ++i) {
    Descriptor plan(api, Kind::execution_plan, fmt::format("plan of engine config {}", i));
    plan.set_raw(Attribute::plan_handle, Type::handle, 1, &handle)
        .set(Attribute::plan_engine_config, configs[i])
        .finalize();
    if (plan.error().empty()) return Candidate{std::move(configs[i]), std::move(plan)};
    if (i == 0) first_error = plan.error();
  }
  return tl::make_unexpected(fmt::format("{} engine configs refused, the first: {}", *given, first_error));
}

/// The number that cuDNN's logs give the engine; empty if it does not tell.
std::string engine_text(const ApiPointer& api, const Descriptor& config) {
  Descriptor engine(api, Kind::engine, "engine");
  RawDescriptor raw = engine.raw();
  std::int64_t index = 0;
  if (!config.get(Attribute::engine_config_engine, Type::descriptor, 1, &raw) ||
      !engine.get(Attribute::engine_index, Type::int64, 1, &index)) {
    return "engine unknown";
  }
  return fmt::format("engine {}", index);
}

}  // namespace

Attempt<std::shared_ptr<Session>> Session::open(ApiPointer api) {
  RawHandle handle = nullptr;
  if (const Status status = api->create(&handle); status != 0)
    return tl::make_unexpected(describe(*api, status, "creating a handle"));
  return std::shared_ptr<Session>(new Session(std::move(api), handle));
}

Session::~Session() {
  if (handle_ != nullptr) api_->destroy(handle_);
}

Attempt<void> Session::use_stream(void* stream) {
  if (has_stream_ && stream == stream_) return {};
  if (const Status status = api_->set_stream(handle_, stream); status != 0)
    return tl::make_unexpected(describe(*api_, status, "entering the stream"));
  stream_ = stream;
  has_stream_ = true;
  return {};
}

Attempt<Plan> Plan::find(const std::shared_ptr<Session>& session, const Attention& attention) {
  std::string refusals;
  const auto refuse = [&](const std::string& way, const std::string& reason) {
    refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", way, reason);
  };
  for (const Form form : {Form::pattern, Form::operation}) {
    for (const auto& [mode, mode_name] :
         {std::pair{Heuristics::a, "A"}, {Heuristics::fallback, "fallback"}}) {
      // A graph of its own for each try: a Plan keeps the one that it was made from.
      auto graph = build_graph(session->api(), session->handle(), attention, form);
      if (!graph) {
        refuse(fmt::format("as {}", name_of(form)), graph.error());
        break;
      }
      auto found = first_plan(*session, *graph, mode);
      if (!found) {
        refuse(fmt::format("as {}, heuristics {}", name_of(form), mode_name), found.error());
        continue;
      }
      Plan plan(session, std::move(*graph), std::move(found->config), std::move(found->plan));
      std::int64_t bytes = 0;
      const auto read = plan.plan_.get(Attribute::plan_workspace_size, Type::int64, 1, &bytes);
      if (!read) return tl::make_unexpected(read.error());
      plan.workspace_bytes_ = bytes;
      plan.text_ = fmt::format("{} of heuristics {}, graph as {}", engine_text(session->api(), plan.config_),
                               mode_name, name_of(form));
      return plan;
    }
  }
  return tl::make_unexpected("cuDNN takes no graph of it: " + refusals);
}

Attempt<Descriptor> Plan::pack(const Pointers& pointers, void* workspace) const {
  std::vector<std::int64_t> ids;
  std::vector<void*> addresses;
  for (const TensorId id : graph_.inputs) {
    ids.push_back(static_cast<std::int64_t>(id));
    addresses.push_back(pointers.at(id));
  }
  Descriptor made(session_->api(), Kind::variant_pack, "variant pack");
  made.set(Attribute::pack_ids, ids)
      .set_raw(Attribute::pack_pointers, Type::pointer, static_cast<std::int64_t>(addresses.size()),
               addresses.data())
      .set_raw(Attribute::pack_workspace, Type::pointer, 1, &workspace)
      .finalize();
  if (!made.error().empty()) return tl::make_unexpected(made.error());
  return made;
}

Attempt<void> Plan::execute(const Descriptor& pack) const {
  const Status status = session_->api()->execute(session_->handle(), plan_.raw(), pack.raw());
  if (status != 0)
    return tl::make_unexpected(describe(*session_->api(), status, "executing (" + text_ + ")"));
  return {};
}

}  // namespace evo::packs::attention::cudnn
