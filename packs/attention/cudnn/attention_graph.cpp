#include "packs/attention/cudnn/attention_graph.hpp"

#include <limits>

#include <fmt/format.h>

namespace evo::packs::attention::cudnn {
namespace {

constexpr std::size_t finite_mask_before = 91000;
constexpr std::size_t operation_since = 91400;
constexpr std::int64_t pointer_alignment = 16;  ///< bytes; what a problem's arguments promise

enum class Storage : std::uint8_t { device, host_value, none };

Four packed(const Four& shape) {
  return {shape[1] * shape[2] * shape[3], shape[2] * shape[3], shape[3], 1};
}

Four swap_last(Four values) {
  std::swap(values[2], values[3]);
  return values;
}

/// Makes descriptors one after the other; after the first that fails the rest is skipped.
class Builder {
 public:
  explicit Builder(ApiPointer api) : api_(std::move(api)) {}

  RawDescriptor tensor(const char* name, std::int64_t id, DataType type, const Four& shape,
                       const Four& strides, Storage storage) {
    Descriptor& made = part(Kind::tensor, fmt::format("tensor {}", name));
    made.set(Attribute::tensor_data_type, type)
        .set_raw(Attribute::tensor_dimensions, Type::int64, 4, shape.data())
        .set_raw(Attribute::tensor_strides, Type::int64, 4, strides.data())
        .set(Attribute::tensor_id, id)
        .set(Attribute::tensor_alignment, pointer_alignment);
    if (storage == Storage::none) made.set(Attribute::tensor_is_virtual, true);
    if (storage == Storage::host_value) made.set(Attribute::tensor_is_by_value, true);
    return done(made);
  }
  RawDescriptor outside(const char* name, TensorId id, DataType type, const AttentionTensor& tensor_of) {
    inputs.push_back(id);
    return tensor(name, static_cast<std::int64_t>(id), type, tensor_of.shape, tensor_of.strides,
                  Storage::device);
  }
  RawDescriptor scalar(const char* name, TensorId id) {
    inputs.push_back(id);
    return tensor(name, static_cast<std::int64_t>(id), DataType::f32, {1, 1, 1, 1}, {1, 1, 1, 1},
                  Storage::host_value);
  }
  RawDescriptor intermediate(const char* name, DataType type, const Four& shape) {
    return tensor(name, next_id_++, type, shape, packed(shape), Storage::none);
  }

  void multiply_matrices(const std::string& name, RawDescriptor a, RawDescriptor b, RawDescriptor c) {
    const RawDescriptor how = done(part(Kind::matmul, name).set(Attribute::matmul_math_type, DataType::f32));
    operation(part(Kind::matmul_operation, name + " operation")
                  .set(Attribute::matmul_a, a)
                  .set(Attribute::matmul_b, b)
                  .set(Attribute::matmul_c, c)
                  .set(Attribute::matmul_descriptor, how));
  }
  void reduce(const std::string& name, Reduction with, RawDescriptor x, RawDescriptor y) {
    const RawDescriptor how = done(part(Kind::reduction, name)
                                       .set(Attribute::reduction_operator, with)
                                       .set(Attribute::reduction_math_type, DataType::f32));
    operation(part(Kind::reduction_operation, name + " operation")
                  .set(Attribute::reduction_x, x)
                  .set(Attribute::reduction_y, y)
                  .set(Attribute::reduction_descriptor, how));
  }

  struct Operands {
    RawDescriptor x = nullptr, b = nullptr, t = nullptr;
  };
  void point_by_point(const std::string& name, Pointwise mode, const Operands& from, RawDescriptor y,
                      DataType math = DataType::f32, std::optional<std::int64_t> axis = {}) {
    Descriptor& described = part(Kind::pointwise, name);
    described.set(Attribute::pointwise_mode, mode).set(Attribute::pointwise_math_type, math);
    if (axis) described.set(Attribute::pointwise_axis, *axis);
    const RawDescriptor how = done(described);
    Descriptor& made = part(Kind::pointwise_operation, name + " operation");
    made.set(Attribute::pointwise_descriptor, how).set(Attribute::pointwise_x, from.x);
    if (from.b != nullptr) made.set(Attribute::pointwise_b, from.b);
    if (from.t != nullptr) made.set(Attribute::pointwise_t, from.t);
    operation(made.set(Attribute::pointwise_y, y));
  }

  Descriptor& part(Kind kind, std::string name) { return parts.emplace_back(api_, kind, std::move(name)); }
  void operation(Descriptor& made) { operations.push_back(done(made)); }

  std::deque<Descriptor> parts;
  std::vector<RawDescriptor> operations;
  std::vector<TensorId> inputs;
  std::string error;

 private:
  RawDescriptor done(Descriptor& made) {
    made.finalize();
    if (error.empty()) error = made.error();
    return made.raw();
  }

  ApiPointer api_;
  std::int64_t next_id_ = first_virtual_id;
};

/// Logits above the diagonal become `masked`.
RawDescriptor add_causal_mask(Builder& make, RawDescriptor logits, const Four& shape) {
  const RawDescriptor masked = make.scalar("masked", TensorId::masked);
  const RawDescriptor row = make.intermediate("row index", DataType::i32, shape);
  const RawDescriptor column = make.intermediate("column index", DataType::i32, shape);
  const RawDescriptor seen = make.intermediate("mask", DataType::boolean, shape);
  const RawDescriptor kept = make.intermediate("masked logits", DataType::f32, shape);
  make.point_by_point("row index", Pointwise::generate_index, {logits}, row, DataType::f32, 2);
  make.point_by_point("column index", Pointwise::generate_index, {logits}, column, DataType::f32, 3);
  make.point_by_point("mask", Pointwise::greater_or_equal, {row, column}, seen, DataType::boolean);
  make.point_by_point("masking", Pointwise::select, {logits, masked, seen}, kept);
  return kept;
}

/// The weights have the type of V: the second product takes both operands in it. The logarithm of each row's
/// sum is wanted by nobody here, but without it cuDNN 9.14 and 9.19 take the rest for a dropout and find no
/// engine.
RawDescriptor add_softmax(Builder& make, RawDescriptor logits, const Four& shape, DataType type) {
  Four rows = shape;
  rows[3] = 1;
  const RawDescriptor largest = make.intermediate("row maximum", DataType::f32, rows);
  const RawDescriptor shifted = make.intermediate("logits minus maximum", DataType::f32, shape);
  const RawDescriptor powers = make.intermediate("exponentials", DataType::f32, shape);
  const RawDescriptor total = make.intermediate("row sum", DataType::f32, rows);
  const RawDescriptor weights = make.intermediate("weights", type, shape);
  make.reduce("row maximum", Reduction::maximum, logits, largest);
  make.point_by_point("subtraction", Pointwise::subtract, {logits, largest}, shifted);
  make.point_by_point("exponential", Pointwise::exponential, {shifted}, powers);
  make.reduce("row sum", Reduction::sum, powers, total);
  const RawDescriptor log_total = make.intermediate("logarithm of the sum", DataType::f32, rows);
  const RawDescriptor statistics = make.intermediate("statistics", DataType::f32, rows);
  make.point_by_point("logarithm", Pointwise::logarithm, {total}, log_total);
  make.point_by_point("statistics", Pointwise::add, {largest, log_total}, statistics);
  make.point_by_point("division", Pointwise::divide, {powers, total}, weights);
  return weights;
}

void add_pattern(Builder& make, const Attention& attention) {
  const Four shape{attention.q.shape[0], attention.q.shape[1], attention.q.shape[2], attention.k.shape[2]};
  AttentionTensor transposed = attention.k;
  transposed.shape = swap_last(transposed.shape);
  transposed.strides = swap_last(transposed.strides);
  const RawDescriptor q = make.outside("Q", TensorId::q, attention.type, attention.q);
  const RawDescriptor k = make.outside("K transposed", TensorId::k, attention.type, transposed);
  const RawDescriptor v = make.outside("V", TensorId::v, attention.type, attention.v);
  const RawDescriptor o = make.outside("O", TensorId::o, attention.type, attention.o);
  const RawDescriptor scale = make.scalar("scale", TensorId::scale);
  const RawDescriptor products = make.intermediate("Q K^T", DataType::f32, shape);
  RawDescriptor logits = make.intermediate("logits", DataType::f32, shape);
  make.multiply_matrices("product Q K^T", q, k, products);
  make.point_by_point("scaling", Pointwise::multiply, {products, scale}, logits);
  if (attention.causal) logits = add_causal_mask(make, logits, shape);
  const RawDescriptor weights = add_softmax(make, logits, shape, attention.type);
  make.multiply_matrices("product P V", weights, v, o);
}

void add_operation(Builder& make, const Attention& attention) {
  const RawDescriptor q = make.outside("Q", TensorId::q, attention.type, attention.q);
  const RawDescriptor k = make.outside("K", TensorId::k, attention.type, attention.k);
  const RawDescriptor v = make.outside("V", TensorId::v, attention.type, attention.v);
  const RawDescriptor o = make.outside("O", TensorId::o, attention.type, attention.o);
  const RawDescriptor scale = make.scalar("scale", TensorId::scale);
  make.operation(make.part(Kind::attention_operation, "attention operation")
                     .set(Attribute::attention_q, q)
                     .set(Attribute::attention_k, k)
                     .set(Attribute::attention_v, v)
                     .set(Attribute::attention_o, o)
                     .set(Attribute::attention_scale, scale));
}

}  // namespace

const char* name_of(Form form) {
  return form == Form::pattern ? "pattern" : "operation";
}

float masked_logit(const Api& api) {
  return api.version() < finite_mask_before ? std::numeric_limits<float>::lowest()
                                            : -std::numeric_limits<float>::infinity();
}

Attempt<AttentionGraph> build_graph(const ApiPointer& api, RawHandle handle, const Attention& attention,
                                    Form form) {
  Builder make(api);
  if (form == Form::pattern) {
    add_pattern(make, attention);
  } else if (attention.causal) {
    return tl::make_unexpected(std::string("the single operation has no causal mask"));
  } else if (api->version() < operation_since) {
    return tl::make_unexpected(std::string("there is no single operation before cuDNN 9.14"));
  } else {
    add_operation(make, attention);
  }
  if (!make.error.empty()) return tl::make_unexpected(make.error);
  Descriptor graph(api, Kind::operation_graph, "operation graph");
  graph.set_raw(Attribute::graph_handle, Type::handle, 1, &handle)
      .set(Attribute::graph_operations, make.operations)
      .finalize();
  if (!graph.error().empty()) return tl::make_unexpected(graph.error());
  AttentionGraph built;
  built.parts = std::move(make.parts);
  built.graph = std::move(graph);
  built.inputs = std::move(make.inputs);
  return built;
}

}  // namespace evo::packs::attention::cudnn
