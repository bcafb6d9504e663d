#include "mutators/source_mutator.hpp"

#include <algorithm>

#include "model/entry_name.hpp"
#include "mutators/source_operators.hpp"
#include "source/block_barriers.hpp"
#include "source/scope.hpp"

namespace evo::mutators {
namespace {

std::string_view without_number(std::string_view name) {
  return name.substr(0, name.find('~'));
}

}  // namespace

EditedSource edited_source(std::string text, const std::vector<std::string>& entries, int threads) {
  EditedSource result{source::read_program(std::move(text)), {}, threads};
  result.block_barriers = source::block_barrier_names(result.program);
  const source::Program& program = result.program;
  const std::size_t count = program.functions.size();
  result.reached.assign(count, false);
  for (const std::string& entry : entries) {
    for (std::size_t i = 0; i < count; ++i)
      result.reached[i] =
          result.reached[i] || without_number(program.functions[i].name) == model::plain_kernel_name(entry);
  }
  const auto any = [&] { return std::ranges::find(result.reached, true) != result.reached.end(); };
  for (std::size_t i = 0; !any() && i < count; ++i) {
    for (std::size_t k = i; k < count; ++k) result.reached[k] = program.functions[k].kernel;
    break;
  }
  if (!any()) result.reached.assign(count, true);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t i = 0; i < count; ++i) {
      if (!result.reached[i]) continue;
      const auto names = source::names_in(program, program.nodes[program.functions[i].body].span);
      for (std::size_t k = 0; k < count; ++k) {
        if (result.reached[k] || !names.contains(std::string(without_number(program.functions[k].name))))
          continue;
        result.reached[k] = more = true;
      }
    }
  }
  return result;
}

std::vector<std::unique_ptr<SourceMutator>> source_mutators() {
  std::vector<std::unique_ptr<SourceMutator>> list;
  list.push_back(std::make_unique<BarrierDelete>());
  list.push_back(std::make_unique<BarrierInsert>());
  list.push_back(std::make_unique<BarrierMove>());
  list.push_back(std::make_unique<BarrierLoop>());
  list.push_back(std::make_unique<BarrierMerge>());
  list.push_back(std::make_unique<BarrierWeaken>());
  list.push_back(std::make_unique<BarrierStrengthen>());
  list.push_back(std::make_unique<AsyncWait>());
  list.push_back(std::make_unique<StatementDelete>());
  list.push_back(std::make_unique<StatementMove>());
  list.push_back(std::make_unique<StatementCopy>());
  list.push_back(std::make_unique<StatementSwap>());
  list.push_back(std::make_unique<LoopUnroll>());
  list.push_back(std::make_unique<LoadHint>());
  list.push_back(std::make_unique<Restrict>());
  list.push_back(std::make_unique<LaunchBounds>());
  list.push_back(std::make_unique<FastMath>());
  list.push_back(std::make_unique<ConstantStep>());
  list.push_back(std::make_unique<StatementHoist>());
  list.push_back(std::make_unique<LoopInterchange>());
  list.push_back(std::make_unique<LoopFuse>());
  list.push_back(std::make_unique<LoopSplit>());
  list.push_back(std::make_unique<LoopPeel>());
  list.push_back(std::make_unique<StrengthReduce>());
  list.push_back(std::make_unique<FenceInsert>());
  list.push_back(std::make_unique<StatementReplace>());
  list.push_back(std::make_unique<LoadAhead>());
  list.push_back(std::make_unique<SumSplit>());
  list.push_back(std::make_unique<StoreHint>());
  list.push_back(std::make_unique<VectorAccess>());
  list.push_back(std::make_unique<LoopStride>());
  list.push_back(std::make_unique<ThreadAxes>());
  list.push_back(std::make_unique<ValueReuse>());
  list.push_back(std::make_unique<ConstantGene>());
  list.push_back(std::make_unique<BarrierSplit>());
  list.push_back(std::make_unique<AsyncGroup>());
  list.push_back(std::make_unique<VectorLoop>());
  list.push_back(std::make_unique<ArrayPad>());
  list.push_back(std::make_unique<ArrayRegisters>());
  list.push_back(std::make_unique<ArrayShared>());
  list.push_back(std::make_unique<QuotientInverse>());
  list.push_back(std::make_unique<SinglePrecision>());
  list.push_back(std::make_unique<Reassociate>());
  return list;
}

const std::vector<std::string>& source_operator_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const auto& mutator : source_mutators()) list.emplace_back(mutator->name());
    list.emplace_back("race_repair");
    return list;
  }();
  return names;
}

}  // namespace evo::mutators
