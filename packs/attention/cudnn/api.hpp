// cuDNN's graph (backend) API as a table of function pointers, filled from libcudnn.so.9 at run time, so that
// building needs no cuDNN and one binary runs with and without it. A test fills the table with functions of
// its own. Names and numbers are those of cuDNN 9; only what attention needs is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "evaluators/benchmark/contender.hpp"

namespace evo::packs::attention::cudnn {

using namespace evaluators;             // the ports that it is written against,
using namespace evaluators::benchmark;  // by the names that they have at home

using Status = int;  ///< 0: success
using RawHandle = void*;
using RawDescriptor = void*;

enum class Kind : int {  // cudnnBackendDescriptorType_t
  pointwise = 0,
  engine = 2,
  engine_config = 3,
  engine_heuristics = 4,
  execution_plan = 5,
  pointwise_operation = 13,
  operation_graph = 15,
  variant_pack = 16,
  tensor = 17,
  matmul = 18,
  matmul_operation = 19,
  reduction = 21,
  reduction_operation = 22,
  attention_operation = 41,  ///< one operation for all of it; 9.14 and later
};

enum class Attribute : int {  // cudnnBackendAttributeName_t
  pointwise_mode = 0,
  pointwise_math_type = 1,
  pointwise_axis = 9,
  heuristics_mode = 200,
  heuristics_graph = 201,
  heuristics_results = 202,
  engine_config_engine = 300,
  plan_handle = 400,
  plan_engine_config = 401,
  plan_workspace_size = 402,
  pointwise_descriptor = 750,
  pointwise_x = 751,
  pointwise_b = 752,
  pointwise_y = 753,
  pointwise_t = 758,
  graph_handle = 800,
  graph_operations = 801,
  tensor_alignment = 900,
  tensor_data_type = 901,
  tensor_dimensions = 902,
  tensor_strides = 903,
  tensor_id = 906,
  tensor_is_virtual = 907,
  tensor_is_by_value = 908,
  pack_ids = 1000,
  pack_pointers = 1001,
  pack_workspace = 1003,
  engine_index = 1301,
  matmul_math_type = 1500,
  matmul_a = 1520,
  matmul_b = 1521,
  matmul_c = 1522,
  matmul_descriptor = 1523,
  reduction_operator = 1600,
  reduction_math_type = 1601,
  reduction_x = 1610,
  reduction_y = 1611,
  reduction_descriptor = 1612,
  attention_q = 2800,
  attention_k = 2801,
  attention_v = 2802,
  attention_o = 2803,
  attention_scale = 2805,
};

enum class Type : int {  // cudnnBackendAttributeType_t
  handle = 0,
  data_type = 1,
  boolean = 2,
  int64 = 3,
  pointer = 6,
  heuristics_mode = 8,
  pointwise_mode = 14,
  descriptor = 15,
  reduction_operator = 18,
};

enum class DataType : int { f32 = 0, f16 = 2, i32 = 4, bf16 = 9, boolean = 11 };
enum class Pointwise : int {
  add = 0,
  multiply = 1,
  divide = 6,
  subtract = 9,
  exponential = 13,
  logarithm = 15,
  greater_or_equal = 303,
  generate_index = 501,
  select = 601,
};
enum class Reduction : int { sum = 0, maximum = 3 };
enum class Heuristics : int { fallback = 2, a = 3 };

// Member, result, parameters, symbol in libcudnn.so.9.
#define EVO_CUDNN_FUNCTIONS(X)                                                                   \
  X(version, std::size_t, (), "cudnnGetVersion")                                                 \
  X(error_string, const char*, (Status), "cudnnGetErrorString")                                  \
  X(last_error, void, (char*, std::size_t), "cudnnGetLastErrorString")                           \
  X(create, Status, (RawHandle*), "cudnnCreate")                                                 \
  X(destroy, Status, (RawHandle), "cudnnDestroy")                                                \
  X(set_stream, Status, (RawHandle, void*), "cudnnSetStream")                                    \
  X(create_descriptor, Status, (Kind, RawDescriptor*), "cudnnBackendCreateDescriptor")           \
  X(destroy_descriptor, Status, (RawDescriptor), "cudnnBackendDestroyDescriptor")                \
  X(finalize, Status, (RawDescriptor), "cudnnBackendFinalize")                                   \
  X(set_attribute, Status, (RawDescriptor, Attribute, Type, std::int64_t, const void*),          \
    "cudnnBackendSetAttribute")                                                                  \
  X(get_attribute, Status, (RawDescriptor, Attribute, Type, std::int64_t, std::int64_t*, void*), \
    "cudnnBackendGetAttribute")                                                                  \
  X(execute, Status, (RawHandle, RawDescriptor, RawDescriptor), "cudnnBackendExecute")

struct Api {
#define EVO_CUDNN_MEMBER(member, result, parameters, symbol) result(*member) parameters = nullptr;
  EVO_CUDNN_FUNCTIONS(EVO_CUDNN_MEMBER)
#undef EVO_CUDNN_MEMBER
};
using ApiPointer = std::shared_ptr<const Api>;

/// Loads `library`, or looks for libcudnn.so.9 in the loader's path and then in the CUDA toolkit's folders.
/// The error is one line: not found and where it was looked for, no such function, older than 9.0. The
/// library stays loaded to the end of the process: it starts threads and registers exit handlers.
[[nodiscard]] Attempt<ApiPointer> load(const std::string& library = {});

/// "9.14.0".
[[nodiscard]] std::string version_text(const Api& api);

/// `action`, the name of the status and what cuDNN says about the latest error, in one line.
[[nodiscard]] std::string describe(const Api& api, Status status, const std::string& action);

}  // namespace evo::packs::attention::cudnn
