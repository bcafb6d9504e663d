// A cuDNN whose descriptors are kept as they were set, and which executes what the graph's tensors say on a
// FakeGpu: a wrong stride or a mask that is missing gives a wrong output.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "packs/attention/cudnn/attention_graph.hpp"
#include "tests/cuda/fake_gpu.hpp"

namespace evo::test {

namespace cudnn = packs::attention::cudnn;

struct FakeAttribute {
  cudnn::Type type{};
  std::int64_t count = 0;
  std::vector<std::byte> bytes;
};

struct FakeDescriptor {
  cudnn::Kind kind{};
  std::map<cudnn::Attribute, FakeAttribute> attributes;
  bool finalized = false;
  int config = -1;  ///< of an engine config: which one of the heuristics it is

  template <class T>
  [[nodiscard]] std::vector<T> values(cudnn::Attribute name) const {
    const FakeAttribute& found = attributes.at(name);
    std::vector<T> result(static_cast<std::size_t>(found.count));
    std::memcpy(result.data(), found.bytes.data(), found.bytes.size());
    return result;
  }
  template <class T>
  [[nodiscard]] T value(cudnn::Attribute name) const {
    T result{};
    std::memcpy(&result, attributes.at(name).bytes.data(), sizeof result);
    return result;
  }
  [[nodiscard]] const FakeDescriptor& other(cudnn::Attribute name) const {
    return *static_cast<const FakeDescriptor*>(value<void*>(name));
  }
  [[nodiscard]] bool has(cudnn::Attribute name) const { return attributes.contains(name); }
};

class FakeCudnn {
 public:
  /// `gpu` may be null where nothing is executed. One fake at a time.
  explicit FakeCudnn(FakeGpu* gpu = nullptr);
  ~FakeCudnn();
  FakeCudnn(const FakeCudnn&) = delete;
  FakeCudnn& operator=(const FakeCudnn&) = delete;

  [[nodiscard]] cudnn::ApiPointer api() const;

  std::size_t version = 91400;
  std::int64_t workspace_bytes = 0;
  std::map<cudnn::Heuristics, int> engines{{cudnn::Heuristics::a, 2}, {cudnn::Heuristics::fallback, 1}};
  std::set<int> refused_engines;  ///< their plans cannot be finalized
  int refuse_tensor = -1;         ///< the tensor with this id cannot be finalized
  cudnn::Status execute_status = 0;
  int handles = 0;
  int executions = 0;
  bool used_unfinalized = false;  ///< a descriptor was given to another before it was finalized
  std::map<void*, std::unique_ptr<FakeDescriptor>> live;

  struct Run {
    const FakeDescriptor* graph = nullptr;
    std::map<std::int64_t, void*> pointers;
  };
  std::vector<Run> runs;
  FakeGpu* gpu;
};

}  // namespace evo::test
