// What cuDNN is told of attention: tensors, operations and their order.
#include <gmock/gmock.h>

#include <cmath>

#include "tests/cudnn/attention_cases.hpp"
#include "tests/cudnn/fake_cudnn.hpp"

namespace evo::test {
namespace {

using cudnn::Attribute;
using cudnn::DataType;
using cudnn::Form;
using cudnn::Kind;
using cudnn::Pointwise;
using cudnn::Reduction;
using cudnn::TensorId;
using cudnn::Type;
using testing::ElementsAre;

struct Built {
  explicit Built(const AttentionSizes& sizes, Form form = Form::pattern) {
    const auto attention = cudnn::attention_of(attention_case(sizes));
    auto made = cudnn::build_graph(fake.api(), this, attention.value(), form);
    if (made) graph.emplace(std::move(*made));
    if (!made) error = made.error();
  }
  [[nodiscard]] const FakeDescriptor& of(void* raw) const { return *fake.live.at(raw); }
  [[nodiscard]] std::vector<const FakeDescriptor*> operations() const {
    std::vector<const FakeDescriptor*> list;
    for (void* raw : of(graph->graph->raw()).values<void*>(Attribute::graph_operations))
      list.push_back(&of(raw));
    return list;
  }
  [[nodiscard]] std::vector<Pointwise> pointwise_modes() const {
    std::vector<Pointwise> modes;
    for (const FakeDescriptor* op : operations()) {
      if (op->kind == Kind::pointwise_operation)
        modes.push_back(
            op->other(Attribute::pointwise_descriptor).value<Pointwise>(Attribute::pointwise_mode));
    }
    return modes;
  }

  FakeCudnn fake;
  std::optional<cudnn::AttentionGraph> graph;
  std::string error;
};

std::vector<std::int64_t> shape(const FakeDescriptor& tensor) {
  return tensor.values<std::int64_t>(Attribute::tensor_dimensions);
}
std::vector<std::int64_t> strides(const FakeDescriptor& tensor) {
  return tensor.values<std::int64_t>(Attribute::tensor_strides);
}

TEST(CudnnAttentionGraph, IsTwoProductsAroundASoftmax) {
  const Built built({.batch = 2, .heads = 3, .seq = 16, .head_dim = 64});
  ASSERT_TRUE(built.graph) << built.error;
  std::vector<Kind> kinds;
  for (const FakeDescriptor* op : built.operations()) kinds.push_back(op->kind);
  EXPECT_THAT(kinds,
              ElementsAre(Kind::matmul_operation, Kind::pointwise_operation, Kind::reduction_operation,
                          Kind::pointwise_operation, Kind::pointwise_operation, Kind::reduction_operation,
                          Kind::pointwise_operation, Kind::pointwise_operation, Kind::pointwise_operation,
                          Kind::matmul_operation));
  EXPECT_THAT(built.pointwise_modes(),
              ElementsAre(Pointwise::multiply, Pointwise::subtract, Pointwise::exponential,
                          Pointwise::logarithm, Pointwise::add, Pointwise::divide));
  const auto operations = built.operations();
  EXPECT_EQ(
      operations[2]->other(Attribute::reduction_descriptor).value<Reduction>(Attribute::reduction_operator),
      Reduction::maximum);
  EXPECT_EQ(
      operations[5]->other(Attribute::reduction_descriptor).value<Reduction>(Attribute::reduction_operator),
      Reduction::sum);
  EXPECT_FALSE(built.fake.used_unfinalized);
  EXPECT_EQ(built.of(built.graph->graph->raw()).attributes.at(Attribute::graph_handle).type, Type::handle);
}

TEST(CudnnAttentionGraph, EachOperationTakesWhatTheOneBeforeMade) {
  const Built built({.causal = true});
  ASSERT_TRUE(built.graph) << built.error;
  const auto operations = built.operations();
  const auto output = [](const FakeDescriptor& op) -> const FakeDescriptor* {
    if (op.kind == Kind::matmul_operation) return &op.other(Attribute::matmul_c);
    if (op.kind == Kind::reduction_operation) return &op.other(Attribute::reduction_y);
    return &op.other(Attribute::pointwise_y);
  };
  std::set<const FakeDescriptor*> made;
  for (const FakeDescriptor* op : operations) {
    for (const Attribute input : {Attribute::matmul_a, Attribute::matmul_b, Attribute::pointwise_x,
                                  Attribute::pointwise_b, Attribute::pointwise_t, Attribute::reduction_x}) {
      if (!op->has(input)) continue;
      const FakeDescriptor& tensor = op->other(input);
      EXPECT_TRUE(made.contains(&tensor) || !tensor.has(Attribute::tensor_is_virtual));
    }
    EXPECT_TRUE(made.insert(output(*op)).second) << "two operations write one tensor";
  }
  EXPECT_FALSE(output(*operations.back())->has(Attribute::tensor_is_virtual));
}

TEST(CudnnAttentionGraph, DescribesTheTransposedKeysByStrides) {
  const Built built({.batch = 2, .heads = 3, .seq = 16, .head_dim = 64, .layout = 1});
  ASSERT_TRUE(built.graph) << built.error;
  const FakeDescriptor& product = *built.operations().front();
  const FakeDescriptor& q = product.other(Attribute::matmul_a);
  const FakeDescriptor& k = product.other(Attribute::matmul_b);
  EXPECT_THAT(shape(q), ElementsAre(2, 3, 16, 64));
  EXPECT_THAT(strides(q), ElementsAre(3 * 16 * 64, 64, 3 * 64, 1));
  EXPECT_THAT(shape(k), ElementsAre(2, 3, 64, 16));
  EXPECT_THAT(strides(k), ElementsAre(3 * 16 * 64, 64, 1, 3 * 64));
  EXPECT_THAT(shape(product.other(Attribute::matmul_c)), ElementsAre(2, 3, 16, 16));
  EXPECT_EQ(q.value<std::int64_t>(Attribute::tensor_alignment), 16);
  EXPECT_EQ(q.value<DataType>(Attribute::tensor_data_type), DataType::f16);
  EXPECT_THAT(built.graph->inputs,
              ElementsAre(TensorId::q, TensorId::k, TensorId::v, TensorId::o, TensorId::scale));
}

TEST(CudnnAttentionGraph, OnlyWeightsAreNarrowBetweenTheProducts) {
  const Built built({.causal = true});
  ASSERT_TRUE(built.graph) << built.error;
  std::vector<std::int64_t> ids;
  std::vector<const FakeDescriptor*> narrow;
  for (const auto& [raw, part] : built.fake.live) {
    if (part->kind != Kind::tensor) continue;
    ids.push_back(part->value<std::int64_t>(Attribute::tensor_id));
    if (part->has(Attribute::tensor_is_virtual) &&
        part->value<DataType>(Attribute::tensor_data_type) == DataType::f16) {
      narrow.push_back(part.get());
    }
  }
  EXPECT_EQ(std::set<std::int64_t>(ids.begin(), ids.end()).size(), ids.size()) << "ids are unique";
  EXPECT_THAT(narrow, ElementsAre(&built.operations().back()->other(Attribute::matmul_a)));
}

TEST(CudnnAttentionGraph, MasksWithRowsAndColumns) {
  const Built built({.causal = true});
  ASSERT_TRUE(built.graph) << built.error;
  EXPECT_THAT(built.pointwise_modes(),
              ElementsAre(Pointwise::multiply, Pointwise::generate_index, Pointwise::generate_index,
                          Pointwise::greater_or_equal, Pointwise::select, Pointwise::subtract,
                          Pointwise::exponential, Pointwise::logarithm, Pointwise::add, Pointwise::divide));
  const auto operations = built.operations();
  const FakeDescriptor& compared = *operations[4];
  const FakeDescriptor& selected = *operations[5];
  EXPECT_EQ(
      operations[2]->other(Attribute::pointwise_descriptor).value<std::int64_t>(Attribute::pointwise_axis),
      2);
  EXPECT_EQ(
      operations[3]->other(Attribute::pointwise_descriptor).value<std::int64_t>(Attribute::pointwise_axis),
      3);
  EXPECT_EQ(&compared.other(Attribute::pointwise_x), &operations[2]->other(Attribute::pointwise_y))
      << "rows first";
  EXPECT_EQ(&selected.other(Attribute::pointwise_t), &compared.other(Attribute::pointwise_y));
  const FakeDescriptor& masked = selected.other(Attribute::pointwise_b);
  EXPECT_TRUE(masked.value<bool>(Attribute::tensor_is_by_value));
  EXPECT_THAT(built.graph->inputs, testing::Contains(TensorId::masked));
}

TEST(CudnnAttentionGraph, MasksWithAFiniteNumberBefore910) {
  FakeCudnn fake;
  EXPECT_TRUE(std::isinf(cudnn::masked_logit(*fake.api())));
  fake.version = 90900;
  EXPECT_TRUE(std::isfinite(cudnn::masked_logit(*fake.api())));
}

TEST(CudnnAttentionGraph, TheSingleOperationTakesKeysAsTheyAre) {
  const Built built({.seq = 16, .head_dim = 64}, Form::operation);
  ASSERT_TRUE(built.graph) << built.error;
  ASSERT_EQ(built.operations().size(), 1u);
  EXPECT_THAT(shape(built.operations()[0]->other(Attribute::attention_k)), ElementsAre(1, 2, 16, 64));
}

TEST(CudnnAttentionGraph, TheSingleOperationHasNoMaskAndIsNew) {
  EXPECT_THAT(Built({.causal = true}, Form::operation).error, testing::HasSubstr("no causal mask"));
  FakeCudnn fake;
  fake.version = 91300;
  const auto attention = cudnn::attention_of(attention_case({})).value();
  EXPECT_EQ(cudnn::build_graph(fake.api(), &fake, attention, Form::operation).error(),
            "there is no single operation before cuDNN 9.14");
}

TEST(CudnnAttentionGraph, SaysWhichDescriptorWasRefusedAndFreesTheRest) {
  FakeCudnn fake;
  fake.refuse_tensor = static_cast<int>(TensorId::v);
  const auto attention = cudnn::attention_of(attention_case({}));
  const auto made = cudnn::build_graph(fake.api(), &fake, attention.value(), Form::pattern);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error(), "finalizing tensor V: BAD_PARAM (2000): as the fake says");
  EXPECT_TRUE(fake.live.empty());
}

TEST(CudnnAttentionCase, NamesWhatIsMissing) {
  model::Case bound = attention_case({});
  bound.arguments[1].name = "keys";
  EXPECT_EQ(cudnn::attention_of(bound).error(), "the problem has no argument K");
  bound = attention_case({});
  for (std::size_t i = 0; i < 4; ++i) bound.arguments[i].dtype = model::DType::f32;
  EXPECT_EQ(cudnn::attention_of(bound).error(), "no attention of type f32 in cuDNN");
  bound.arguments[2].dtype = model::DType::f16;
  EXPECT_EQ(cudnn::attention_of(bound).error(), "V has another type than Q");
}

}  // namespace
}  // namespace evo::test
