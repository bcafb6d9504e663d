// From attention to something that can be executed: the first engine that takes a graph of it.
#pragma once

#include <map>

#include "packs/attention/cudnn/attention_graph.hpp"

namespace evo::packs::attention::cudnn {

/// The library and its handle on the device whose context is current on this thread. Not thread-safe.
class Session {
 public:
  [[nodiscard]] static Attempt<std::shared_ptr<Session>> open(ApiPointer api);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] const ApiPointer& api() const { return api_; }
  [[nodiscard]] RawHandle handle() const { return handle_; }
  /// Later work goes into `stream` (a CUstream).
  [[nodiscard]] Attempt<void> use_stream(void* stream);
  /// The device is lost: nothing is called any more, not even to free.
  void abandon() { handle_ = nullptr; }

 private:
  Session(ApiPointer api, RawHandle handle) : api_(std::move(api)), handle_(handle) {}

  ApiPointer api_;
  RawHandle handle_;
  void* stream_ = nullptr;
  bool has_stream_ = false;
};

/// An execution plan; keeps what it was made of.
class Plan {
 public:
  /// Tries the forms of the graph, for each the engines that mode A of the heuristics names and then those of
  /// the fallback, each in its order; the first that can be finalized is it. The error says for every way
  /// what was refused.
  [[nodiscard]] static Attempt<Plan> find(const std::shared_ptr<Session>& session,
                                          const Attention& attention);

  [[nodiscard]] std::int64_t workspace_bytes() const { return workspace_bytes_; }
  /// "engine 8 of heuristics A, graph as a pattern".
  [[nodiscard]] const std::string& text() const { return text_; }

  /// Addresses for one execution: Q, K, V and O on the device, scalars on the host.
  using Pointers = std::map<TensorId, void*>;
  [[nodiscard]] Attempt<Descriptor> pack(const Pointers& pointers, void* workspace) const;
  /// Puts it into the session's stream.
  [[nodiscard]] Attempt<void> execute(const Descriptor& pack) const;

 private:
  Plan(std::shared_ptr<Session> session, AttentionGraph graph, Descriptor config, Descriptor plan)
      : session_(std::move(session)),
        graph_(std::move(graph)),
        config_(std::move(config)),
        plan_(std::move(plan)) {}

  std::shared_ptr<Session> session_;
  AttentionGraph graph_;
  Descriptor config_, plan_;
  std::int64_t workspace_bytes_ = 0;
  std::string text_;
};

}  // namespace evo::packs::attention::cudnn
