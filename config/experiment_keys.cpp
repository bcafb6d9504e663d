// Keys of experiments and targets.
#include "config/keys.hpp"

namespace evo::config {
namespace {

constexpr Key experiment_table[] = {
    {"name", "string", "Name of the experiment; run folders begin with it", true},
    {"description", "string", "One line for a reader"},
    {"problem", "string", "Problem: a name below kernels/, or the path of a folder with a problem.yaml",
     true},
    {"workloads", "array", "Concrete shapes: a name, a weight (default 1) and values of axes", true},
    {"target", "string",
     "GPU model whose limits and architecture hold: the name of a file in targets/ (beside the experiment, "
     "or of evo), or the path of one; default: l4"},
    {"device", "string",
     "Where candidates run: auto (a GPU if there is one that can run the target's code), virtual, cuda:N, "
     "cuda:0,2 or cuda:all (GPUs of one model), farm (those of the workers of evo run --farm); "
     "default: auto"},
    {"smem_limit", "integer", "Shared memory of a block in bytes; default: the target's opt-in limit", false,
     1024, 1 << 20},
    {"accuracy_class", "string", "One of the problem's tolerances; default: its first"},
    {"templates", "array", "Templates that evolve; default: all of the problem's that are no comparators"},
    {"baseline", "object", "The genome that is proven first and compared with"},
    {"starts", "array", "Designs that the run tries directly behind the baseline"},
    {"priors", "array",
     "Earlier runs: folders, or maps with run and best. Their best designs are tried directly behind the "
     "baseline"},
    {"search", "object", "How the space is searched"},
    {"budget", "object", "When the run ends"},
    {"gates", "object", "Settings of the gates"},
    {"input_seed", "integer", "Fixes the entropy of input data; default: drawn from the system once a run",
     false, 0, 9.2e18},
};

constexpr Key baseline_table[] = {
    {"template", "string", "Template of the baseline; default: the first"},
    {"genes", "object", "Genes that differ from the template's initial values"},
};

constexpr Key initial_design_table[] = {
    {"template", "string", "Template of the design; default: the baseline's"},
    {"genes", "object", "Genes that differ from the template's initial values"},
    {"origin", "string", "Who names it, as the trial's rationale shows it"},
};

constexpr Key prior_table[] = {
    {"run", "string", "Folder of the run, from the experiment's or the working folder", true},
    {"best", "integer",
     "How many of its designs: its champion, the best of each other template, the next; default: 4", false, 1,
     64},
};

constexpr Key target_table[] = {
    {"name", "string", "Name of the GPU model: that of the file", true},
    {"description", "string", "One line for a reader"},
    {"device_names", "array",
     "Whole words of the name that such a device gives itself, as RTX 4090; default: the target's name"},
    {"arch", "string", "What NVRTC compiles for, as sm_89 or sm_90a; the compute capability is the number",
     true},
    {"sm_count", "integer", "Streaming multiprocessors (SM)", true, 1, 4096},
    {"clock_ghz", "number", "Boost clock in GHz", true, 0.1, 10},
    {"smem_per_block_optin_bytes", "integer", "Shared memory of a block at most, in bytes", true, 1024,
     1 << 24},
    {"smem_per_sm_bytes", "integer", "Shared memory of an SM in bytes", true, 1024, 1 << 24},
    {"smem_reserved_per_block_bytes", "integer", "Shared memory of a block that the system takes, in bytes",
     true, 0, 1 << 16},
    {"max_threads_per_block", "integer", "Threads of a block at most", true, 32, 1 << 16},
    {"max_warps_per_sm", "integer", "Warps that an SM holds at a time", true, 1, 1024},
    {"max_blocks_per_sm", "integer", "Blocks that an SM holds at a time", true, 1, 1024},
    {"registers_per_sm", "integer", "Registers of 32 bits of an SM", true, 1024, 1 << 24},
    {"max_registers_per_thread", "integer", "Registers of 32 bits of a thread at most", true, 16, 1024},
    {"dram_gb_per_s", "number", "Rate of the device memory in GB/s (1e9 bytes)", true, 1, 1e6},
    {"l2_gb_per_s", "number", "Rate of the L2 cache in GB/s (1e9 bytes)", true, 1, 1e6},
    {"l2_bytes", "integer", "Size of the L2 cache in bytes", true, 0, 1e12},
    {"tensor_fp16_flops_per_sm_cycle", "number",
     "Dense FP16 operations of an SM's tensor cores in a cycle, 2 a fused multiply-add; 0: not known", true,
     0, 1e6},
};

}  // namespace

std::span<const Key> experiment_keys() {
  return experiment_table;
}
std::span<const Key> baseline_keys() {
  return baseline_table;
}
std::span<const Key> initial_design_keys() {
  return initial_design_table;
}
std::span<const Key> prior_keys() {
  return prior_table;
}
std::span<const Key> target_keys() {
  return target_table;
}

}  // namespace evo::config
