// Hooks through which `evo diagnose` sees intermediate results of a kernel. They are nothing in every other build:
//   entry(..., float scale EVO_PROBE_PARAMETER)    after the last parameter, without a comma
//   EVO_PROBE_SLICE(slice);                        once, in the kernel: which matrix this block works on
//   EVO_PROBE(S, row, column, value);              value is element (row, column) of stage S
//   f(int last EVO_PROBE_FORWARDED), f(last EVO_PROBE_FORWARD)    a device function with hooks, and a call of it
// Stages are declared in problem.yaml. A probe build defines EVO_PROBE_ENABLED, EVO_PROBE_WANTED_SLICE and, for
// each stage, EVO_PROBE_OFFSET_S, EVO_PROBE_ROWS_S and EVO_PROBE_COLUMNS_S, and passes one more argument, the
// buffer of all stages. Elements outside of the matrix are dropped, so that a tail needs no test.
#pragma once

#ifdef EVO_PROBE_ENABLED
#define EVO_PROBE_PARAMETER , float* __restrict__ evo_probe_buffer
#define EVO_PROBE_SLICE(slice) \
  const bool evo_probe_on = static_cast<long long>(slice) == EVO_PROBE_WANTED_SLICE
#define EVO_PROBE_FORWARDED , float *evo_probe_buffer, bool evo_probe_on
#define EVO_PROBE_FORWARD , evo_probe_buffer, evo_probe_on
#define EVO_PROBE(stage, row, column, value)                                                  \
  do {                                                                                        \
    const long long evo_probe_row = (row), evo_probe_column = (column);                       \
    if (evo_probe_on && evo_probe_row >= 0 && evo_probe_row < EVO_PROBE_ROWS_##stage &&       \
        evo_probe_column >= 0 && evo_probe_column < EVO_PROBE_COLUMNS_##stage) {              \
      evo_probe_buffer[EVO_PROBE_OFFSET_##stage + evo_probe_row * EVO_PROBE_COLUMNS_##stage + \
                       evo_probe_column] = (value);                                           \
    }                                                                                         \
  } while (0)
#else
#define EVO_PROBE_PARAMETER
#define EVO_PROBE_SLICE(slice) static_assert(true, "")
#define EVO_PROBE_FORWARDED
#define EVO_PROBE_FORWARD
#define EVO_PROBE(stage, row, column, value) static_cast<void>(0)
#endif
