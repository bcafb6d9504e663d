#include "evaluators/devices/cuda/helper_kernels.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "model/error.hpp"

namespace evo::evaluators::cuda {
namespace {

constexpr unsigned fill_threads = 1024;
constexpr unsigned move_threads = 256;
constexpr unsigned guard_threads = 256, guard_blocks = 32;
constexpr unsigned digest_threads = 512;
constexpr std::uint64_t least_scratch = std::uint64_t{64} << 20;

// Volatile accesses, so that no compiler of the driver drops a store that nothing reads. The load ends by the
// GPU's own clock: whatever becomes of the host, it is over in time.
constexpr std::string_view ptx = R"(
.version 7.0
.target sm_70
.address_size 64

.extern .shared .align 16 .b8 evo_shared[];

.visible .entry evo_fill_shared(.param .u32 pattern, .param .u32 words)
{
  .reg .pred %p<2>;
  .reg .b32 %r<8>;
  ld.param.u32 %r1, [pattern];
  ld.param.u32 %r2, [words];
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %ntid.x;
  mov.u32 %r5, evo_shared;
FILL:
  setp.ge.u32 %p1, %r3, %r2;
  @%p1 bra FILLED;
  shl.b32 %r6, %r3, 2;
  add.u32 %r7, %r5, %r6;
  st.volatile.shared.u32 [%r7], %r1;
  add.u32 %r3, %r3, %r4;
  bra FILL;
FILLED:
  ret;
}

.visible .entry evo_move_memory(.param .u64 base, .param .u32 words, .param .u64 nanoseconds)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<10>;
  ld.param.u64 %d1, [base];
  ld.param.u32 %r1, [words];
  ld.param.u64 %d2, [nanoseconds];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.u32 %r5, %r2, %r3, %r4;
  mov.u32 %r6, %nctaid.x;
  mul.lo.u32 %r7, %r6, %r3;
  setp.ge.u32 %p1, %r5, %r1;
  @%p1 bra MOVED;
  mov.u32 %r8, %r5;
  mov.u64 %d3, %globaltimer;
MOVE:
  mul.wide.u32 %d4, %r8, 4;
  add.u64 %d5, %d1, %d4;
  ld.volatile.global.u32 %r9, [%d5];
  add.u32 %r9, %r9, 1;
  st.volatile.global.u32 [%d5], %r9;
  add.u32 %r8, %r8, %r7;
  setp.ge.u32 %p2, %r8, %r1;
  selp.u32 %r8, %r5, %r8, %p2;
  mov.u64 %d6, %globaltimer;
  sub.u64 %d7, %d6, %d3;
  setp.lt.u64 %p3, %d7, %d2;
  @%p3 bra MOVE;
MOVED:
  ret;
}

// A byte a thread and turn, since zones begin and end anywhere. guard_word() in guard.cpp is the same formula.
.visible .entry evo_fill_guards(.param .u64 base, .param .u32 front, .param .u64 back, .param .u32 back_bytes,
                                .param .u32 seed)
{
  .reg .pred %p<3>;
  .reg .b32 %r<12>;
  .reg .b64 %d<12>;
  ld.param.u64 %d1, [base];
  ld.param.u32 %r1, [front];
  ld.param.u64 %d2, [back];
  ld.param.u32 %r2, [back_bytes];
  ld.param.u32 %r3, [seed];
  cvta.to.global.u64 %d1, %d1;
  add.u32 %r4, %r1, %r2;
  mov.u32 %r5, %ctaid.x;
  mov.u32 %r6, %ntid.x;
  mov.u32 %r7, %tid.x;
  mad.lo.u32 %r7, %r5, %r6, %r7;
  mov.u32 %r8, %nctaid.x;
  mul.lo.u32 %r8, %r8, %r6;
  cvt.u64.u32 %d3, %r3;
  add.u64 %d3, %d3, 1;
  mul.lo.u64 %d3, %d3, 0xd1b54a32d192ed03;
  setp.ge.u32 %p1, %r7, %r4;
  @%p1 bra GUARDED;
GUARD:
  sub.u32 %r9, %r7, %r1;
  cvt.u64.u32 %d4, %r9;
  add.u64 %d4, %d4, %d2;
  cvt.u64.u32 %d5, %r7;
  setp.lt.u32 %p2, %r7, %r1;
  selp.b64 %d5, %d5, %d4, %p2;
  shr.u64 %d6, %d5, 3;
  add.u64 %d6, %d6, 1;
  mul.lo.u64 %d6, %d6, 0x9e3779b97f4a7c15;
  xor.b64 %d6, %d6, %d3;
  shr.u64 %d7, %d6, 32;
  xor.b64 %d6, %d6, %d7;
  mul.lo.u64 %d6, %d6, 0xda942042e4dd58b5;
  and.b64 %d6, %d6, 0x800e800e800e800e;
  or.b64 %d6, %d6, 0x7ff17ff17ff17ff1;
  cvt.u32.u64 %r10, %d5;
  shl.b32 %r10, %r10, 3;
  and.b32 %r10, %r10, 56;
  shr.u64 %d6, %d6, %r10;
  add.u64 %d8, %d1, %d5;
  st.volatile.global.u8 [%d8], %d6;
  add.u32 %r7, %r7, %r8;
  setp.lt.u32 %p1, %r7, %r4;
  @%p1 bra GUARD;
GUARDED:
  ret;
}

// digest_of() in digest.cpp is the same formula. Blocks of whole warps; buffers begin anywhere.
.visible .entry evo_digest(.param .u64 base, .param .u64 bytes, .param .u64 key, .param .u64 sum)
{
  .reg .pred %p<4>;
  .reg .b32 %r<10>;
  .reg .b64 %d<16>;
  ld.param.u64 %d1, [base];
  ld.param.u64 %d2, [bytes];
  ld.param.u64 %d3, [key];
  ld.param.u64 %d4, [sum];
  cvta.to.global.u64 %d1, %d1;
  cvta.to.global.u64 %d4, %d4;
  add.u64 %d5, %d2, 7;
  shr.u64 %d5, %d5, 3;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mad.lo.u32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %d6, %r4;
  mov.u32 %r5, %nctaid.x;
  mul.lo.u32 %r5, %r5, %r2;
  cvt.u64.u32 %d7, %r5;
  mov.u64 %d8, 0;
WORD:
  setp.ge.u64 %p1, %d6, %d5;
  @%p1 bra SUMMED;
  shl.b64 %d9, %d6, 3;
  add.u64 %d10, %d1, %d9;
  sub.u64 %d11, %d2, %d9;
  min.u64 %d11, %d11, 8;
  cvt.u32.u64 %r6, %d11;
  and.b64 %d12, %d10, 7;
  setp.ne.u64 %p2, %d12, 0;
  setp.lt.or.u64 %p2, %d11, 8, %p2;
  @%p2 bra BYTES;
  ld.volatile.global.u64 %d13, [%d10];
  bra MIX;
BYTES:
  mov.u64 %d13, 0;
  mov.u32 %r7, 0;
BYTE:
  cvt.u64.u32 %d14, %r7;
  add.u64 %d14, %d10, %d14;
  ld.volatile.global.u8 %d15, [%d14];
  shl.b32 %r8, %r7, 3;
  shl.b64 %d15, %d15, %r8;
  or.b64 %d13, %d13, %d15;
  add.u32 %r7, %r7, 1;
  setp.lt.u32 %p3, %r7, %r6;
  @%p3 bra BYTE;
MIX:
  xor.b64 %d13, %d13, %d3;
  add.u64 %d14, %d6, 1;
  mul.lo.u64 %d15, %d3, 0xd1b54a32d192ed03;
  or.b64 %d15, %d15, 1;
  mul.lo.u64 %d14, %d14, %d15;
  add.u64 %d13, %d13, %d14;
  shr.u64 %d14, %d13, 32;
  xor.b64 %d13, %d13, %d14;
  mul.lo.u64 %d13, %d13, 0xda942042e4dd58b5;
  shr.u64 %d14, %d13, 29;
  xor.b64 %d13, %d13, %d14;
  mul.lo.u64 %d13, %d13, 0xd1b54a32d192ed03;
  shr.u64 %d14, %d13, 32;
  xor.b64 %d13, %d13, %d14;
  add.u64 %d8, %d8, %d13;
  add.u64 %d6, %d6, %d7;
  bra WORD;
SUMMED:
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 16, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 16, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 8, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 8, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 4, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 4, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 2, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 2, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  mov.b64 {%r6, %r7}, %d8;
  shfl.sync.down.b32 %r8, %r6, 1, 31, -1;
  shfl.sync.down.b32 %r9, %r7, 1, 31, -1;
  mov.b64 %d9, {%r8, %r9};
  add.u64 %d8, %d8, %d9;
  and.b32 %r3, %r3, 31;
  setp.ne.u32 %p1, %r3, 0;
  @%p1 bra TOLD;
  red.global.add.u64 [%d4], %d8;
TOLD:
  ret;
}
)";

void require(const DriverApi& driver, CUresult result, const char* action) {
  if (result == CUDA_SUCCESS) return;
  throw model::Exception(model::ExitCode::environment,
                         fmt::format("{}: {}; the checks need kernels that the driver compiles from PTX",
                                     action, describe(driver, result)));
}

}  // namespace

std::string_view helper_ptx() {
  return ptx;
}

HelperKernels::HelperKernels(DriverPointer driver, CUdevice device) : driver_(std::move(driver)) {
  const auto attribute = [&](CUdevice_attribute name) {
    int value = 0;
    require(*driver_, driver_->device_attribute(&value, name, device), "asking for the device's limits");
    return static_cast<unsigned>(std::max(value, 0));
  };
  multiprocessors_ = std::max(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 1U);
  shared_bytes_ = attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) / 4 * 4;
  scratch_bytes_ =
      std::max<std::uint64_t>(2 * std::uint64_t{attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)}, least_scratch);
  CUmodule module = nullptr;
  require(*driver_, driver_->module_load(&module, helper_ptx().data()), "loading evo's helper kernels");
  module_ = Module(driver_, module);
  require(*driver_, driver_->module_function(&fill_, module, "evo_fill_shared"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&move_, module, "evo_move_memory"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&guard_, module, "evo_fill_guards"), "finding a helper kernel");
  require(*driver_, driver_->module_function(&digest_, module, "evo_digest"), "finding a helper kernel");
  require(*driver_,
          driver_->function_set_attribute(fill_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                          static_cast<int>(shared_bytes_)),
          "giving a helper kernel its shared memory");
  CUstream stream = nullptr;
  require(*driver_, driver_->stream_create(&stream, CU_STREAM_NON_BLOCKING), "creating a stream");
  stream_ = Stream(driver_, stream);
}

CUdeviceptr HelperKernels::scratch() {
  if (scratch_.get() == 0) {
    CUdeviceptr address = 0;
    require(*driver_, driver_->memory_allocate(&address, scratch_bytes_), "allocating scratch memory");
    scratch_ = Memory(driver_, address);
  }
  return scratch_.get();
}

CUresult HelperKernels::fill_shared(std::uint32_t pattern, CUstream stream) {
  std::uint32_t words = shared_bytes_ / 4;
  std::array<void*, 2> arguments{&pattern, &words};
  return driver_->launch(fill_, 2 * multiprocessors_, 1, 1, fill_threads, 1, 1, shared_bytes_, stream,
                         arguments.data(), nullptr);
}

CUresult HelperKernels::fill_guards(CUdeviceptr allocation, const GuardedLayout& layout, std::uint32_t seed,
                                    CUstream stream) {
  auto base = static_cast<std::uint64_t>(allocation);
  auto front = static_cast<std::uint32_t>(layout.front);
  std::uint64_t back = layout.front + layout.bytes;
  auto back_bytes = static_cast<std::uint32_t>(layout.back);
  std::array<void*, 5> arguments{&base, &front, &back, &back_bytes, &seed};
  return driver_->launch(guard_, guard_blocks, 1, 1, guard_threads, 1, 1, 0, stream, arguments.data(),
                         nullptr);
}

CUdeviceptr HelperKernels::digests() {
  if (digests_.get() == 0) {
    CUdeviceptr address = 0;
    require(*driver_, driver_->memory_allocate(&address, most_digests * sizeof(std::uint64_t)),
            "allocating room for digests");
    digests_ = Memory(driver_, address);
  }
  return digests_.get();
}

CUresult HelperKernels::clear_digests(CUstream stream) {
  return driver_->fill_words(digests(), 0, most_digests * sizeof(std::uint64_t) / 4, stream);
}

CUresult HelperKernels::digest(CUdeviceptr base, std::uint64_t bytes, std::uint64_t key, std::size_t place,
                               CUstream stream) {
  auto first = static_cast<std::uint64_t>(base);
  std::uint64_t sum = digests() + place * sizeof(std::uint64_t);
  std::array<void*, 4> arguments{&first, &bytes, &key, &sum};
  const std::uint64_t blocks = bytes / sizeof(std::uint64_t) / digest_threads + 1;
  return driver_->launch(digest_,
                         static_cast<unsigned>(std::min<std::uint64_t>(blocks, 2 * multiprocessors_)), 1, 1,
                         digest_threads, 1, 1, 0, stream, arguments.data(), nullptr);
}

CUresult HelperKernels::flush_cache(CUstream stream) {
  return driver_->fill_words(scratch(), ++flushes_, scratch_bytes_ / 4, stream);
}

CUresult HelperKernels::move_memory(std::chrono::nanoseconds duration) {
  std::uint64_t base = scratch();
  auto words = static_cast<std::uint32_t>(std::min<std::uint64_t>(scratch_bytes_ / 4, 0x7fffffff));
  auto nanoseconds = static_cast<std::uint64_t>(duration.count());
  std::array<void*, 3> arguments{&base, &words, &nanoseconds};
  return driver_->launch(move_, std::max(multiprocessors_ / 2, 1U), 1, 1, move_threads, 1, 1, 0,
                         stream_.get(), arguments.data(), nullptr);
}

void HelperKernels::abandon() {
  module_.abandon();
  stream_.abandon();
  scratch_.abandon();
  digests_.abandon();
}

}  // namespace evo::evaluators::cuda
