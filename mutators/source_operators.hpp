// The operators on the text; source_mutators() is the list.
#pragma once

#include "mutators/source_mutator.hpp"

namespace evo::mutators {

/// A class with a name and changes().
#define EVO_SOURCE_OPERATOR(Class, word)                                                  \
  class Class final : public SourceMutator {                                              \
   public:                                                                                \
    [[nodiscard]] std::string_view name() const override { return word; }                 \
    [[nodiscard]] std::vector<Change> changes(const EditedSource& source) const override; \
  }

/// A barrier, a fence or a wait is left out.
EVO_SOURCE_OPERATOR(BarrierDelete, "barrier_delete");
/// __syncthreads() in front of a statement.
EVO_SOURCE_OPERATOR(BarrierInsert, "barrier_insert");
/// Past one to three statements of its block.
EVO_SOURCE_OPERATOR(BarrierMove, "barrier_move");
/// Out of a loop, in front of it or behind it; or from beside a loop to the begin or the end of its body.
EVO_SOURCE_OPERATOR(BarrierLoop, "barrier_loop");
/// Two of one block become one, at one of the statements between them.
EVO_SOURCE_OPERATOR(BarrierMerge, "barrier_merge");
/// __syncthreads to __syncwarp or to a barrier of 64, 128, ... threads, a fence, an atomic or an order of
/// memory to the next smaller scope.
EVO_SOURCE_OPERATOR(BarrierWeaken, "barrier_weaken");
/// The other way.
EVO_SOURCE_OPERATOR(BarrierStrengthen, "barrier_strengthen");
/// __syncthreads() in two halves, with one to three statements between them: an mbarrier that all threads
/// arrive at, and later wait for.
EVO_SOURCE_OPERATOR(BarrierSplit, "barrier_split");
/// __threadfence() in front of or behind a statement that speaks to other blocks: an atomic, a volatile one.
EVO_SOURCE_OPERATOR(FenceInsert, "fence_insert");
/// A wait for asynchronous copies leaves one group more, or less, under way.
EVO_SOURCE_OPERATOR(AsyncWait, "async_wait");
/// Where a group of asynchronous copies is closed moves past one to three statements or a loop's end; two
/// groups become one, or one two, and the waits behind follow.
EVO_SOURCE_OPERATOR(AsyncGroup, "async_group");
/// A statement is left out.
EVO_SOURCE_OPERATOR(StatementDelete, "statement_delete");
/// A statement that accesses memory, past one to four others: what it names stays declared.
EVO_SOURCE_OPERATOR(StatementMove, "statement_move");
/// A statement stands at a second place of its function.
EVO_SOURCE_OPERATOR(StatementCopy, "statement_copy");
/// Two statements of a block change places.
EVO_SOURCE_OPERATOR(StatementSwap, "statement_swap");
/// A copy of another statement in the place of one.
EVO_SOURCE_OPERATOR(StatementReplace, "statement_replace");
/// Another unroll pragma for a loop.
EVO_SOURCE_OPERATOR(LoopUnroll, "loop_unroll");
/// __ldg, __ldcg, __ldcs or a priority in the caches for a load through a const pointer: a parameter, or a
/// name for a place behind one.
EVO_SOURCE_OPERATOR(LoadHint, "load_hint");
/// __restrict__ for a pointer parameter, or all of them.
EVO_SOURCE_OPERATOR(Restrict, "restrict");
/// __launch_bounds__ with the block's size and a number of blocks.
EVO_SOURCE_OPERATOR(LaunchBounds, "launch_bounds");
/// A function of math.h becomes the intrinsic.
EVO_SOURCE_OPERATOR(FastMath, "fast_math");
/// The number of a named constant is halved or doubled.
EVO_SOURCE_OPERATOR(ConstantStep, "constant_step");
/// A number of the text becomes a gene with values around it, and has one of them: a named constant, a macro,
/// a number that a function has in several places.
EVO_SOURCE_OPERATOR(ConstantGene, "constant_gene");
/// A value that a loop computes anew each time, although nothing of it changes there, in front of the loop.
EVO_SOURCE_OPERATOR(StatementHoist, "statement_hoist");
/// Two loops, one being all that the other does, change places.
EVO_SOURCE_OPERATOR(LoopInterchange, "loop_interchange");
/// Two loops in a row with the same head become one.
EVO_SOURCE_OPERATOR(LoopFuse, "loop_fuse");
/// A loop becomes two with the same head, each with a part of its statements.
EVO_SOURCE_OPERATOR(LoopSplit, "loop_split");
/// The first round of a loop stands in front of it.
EVO_SOURCE_OPERATOR(LoopPeel, "loop_peel");
/// A quotient or a remainder by a power of two becomes a shift or a mask.
EVO_SOURCE_OPERATOR(StrengthReduce, "strength_reduce");
/// What a loop loads for a name, or to store or add it, is loaded a round earlier.
EVO_SOURCE_OPERATOR(LoadAhead, "load_ahead");
/// A sum, a product, a least or a greatest that a loop gathers becomes two, or four, that are joined in the
/// end.
EVO_SOURCE_OPERATOR(SumSplit, "sum_split");
/// __stcg, __stcs or __stwt for a store through a pointer parameter, or a name for a place behind one.
EVO_SOURCE_OPERATOR(StoreHint, "store_hint");
/// A loop that copies elements copies 8 or 16 bytes at a time.
EVO_SOURCE_OPERATOR(VectorAccess, "vector_access");
/// Threads that each take elements in a row take turns instead.
EVO_SOURCE_OPERATOR(LoopStride, "loop_stride");
/// threadIdx.x and threadIdx.y change places.
EVO_SOURCE_OPERATOR(ThreadAxes, "thread_axes");
/// An element or a call that a name stands for already is not read or made again.
EVO_SOURCE_OPERATOR(ValueReuse, "value_reuse");
/// A loop that computes with neighbours in a row loads and stores 8 or 16 bytes of them at a time.
EVO_SOURCE_OPERATOR(VectorLoop, "vector_loop");
/// Rows of a shared array become longer.
EVO_SOURCE_OPERATOR(ArrayPad, "array_pad");
/// All loops that count along an array of the thread are unrolled, so that it fits into registers.
EVO_SOURCE_OPERATOR(ArrayRegisters, "array_registers");
/// An array of the thread lies in shared memory.
EVO_SOURCE_OPERATOR(ArrayShared, "array_shared");
/// A quotient of floats becomes a product with the inverse, made in front of a loop or by the fast division.
EVO_SOURCE_OPERATOR(QuotientInverse, "quotient_inverse");
/// Terms of a sum or factors of a product of floats are taken together in another order: a + b + c + d
/// becomes a + b + (c + d).
EVO_SOURCE_OPERATOR(Reassociate, "reassociate");
/// Double literals, and doubles of a function, become floats.
EVO_SOURCE_OPERATOR(SinglePrecision, "single_precision");

#undef EVO_SOURCE_OPERATOR

}  // namespace evo::mutators
