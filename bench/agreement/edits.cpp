// Textual edits that break a kernel in the ways that a sanitizer looks for. They are written for the
// attention templates; where one does not apply, it is not drawn.
#include <array>

#include "bench/agreement/drawn.hpp"

namespace evo::bench {
namespace {

struct Rule {
  const char* kind;
  const char* from;
  const char* to;
};

constexpr std::array rules{
    Rule{"a wait left out", "wait_copies<PENDING_K>();", ";"},
    Rule{"a wait left out", "wait_copies<PENDING_V>();", ";"},
    Rule{"a bound off by one", " < seq)", " <= seq)"},
    Rule{"a bound off by one", " >= seq)", " > seq)"},
    Rule{"a bound off by one", " < source.rows)", " <= source.rows)"},
    Rule{"a bound off by one", " < source.rows;", " <= source.rows;"},
    Rule{"a bound off by one", " < end_row)", " <= end_row)"},
    Rule{"a whole tile taken for granted", "first_row + ROWS <= source.rows", "first_row <= source.rows"},
    Rule{"a copy that stops early", " < ROUNDS;", " < ROUNDS - 1;"},
    Rule{"a copy that runs on", " < ROUNDS;", " < ROUNDS + 1;"},
    Rule{"rows at odd distances", "PITCH = 2 * COLUMNS +", "PITCH = 2 * COLUMNS - 8 +"},
    Rule{"rows at odd distances", "ROW_PITCH = HEAD_DIM +", "ROW_PITCH = HEAD_DIM - 1 +"},
    Rule{"rows that overlap", "STAGE_BYTES = BLOCK_N *", "STAGE_BYTES = (BLOCK_N - 8) *"},
    Rule{"a place one element on", "(row * S_PITCH + col", "(row * S_PITCH + 1 + col"},
    Rule{"a place one element on", "tile + row * ROW_PITCH + column)",
         "tile + row * ROW_PITCH + column + 1)"},
    Rule{"a barrier in a branch", "EVO_SYNC(", "if (threadIdx.x % 64 < 32) EVO_SYNC("},
    Rule{"a barrier in a branch", "EVO_SYNC_GROUP(", "if (threadIdx.x % 64 < 32) EVO_SYNC_GROUP("},
    Rule{"a store by one thread too few", "if (softmax_lane == 0) {", "if (softmax_lane == 0 && row > 0) {"},
    Rule{"statistics of half the rows", "if (lane % 4 == 0) stats", "if (lane % 8 == 0) stats"},
    Rule{"the other buffer", "stage * STAGE_BYTES + slice", "last_stage * STAGE_BYTES + slice"},
    Rule{"the other buffer", "(1 - buffer) * TILE_HALVES", "buffer * TILE_HALVES"},
};

}  // namespace

std::vector<TextEdit> text_edits(const model::Template& kernel) {
  std::vector<TextEdit> edits;
  const auto search = [&](const std::string& file, const std::string& text) {
    for (const Rule& rule : rules) {
      for (std::size_t at = text.find(rule.from); at != std::string::npos; at = text.find(rule.from, at + 1))
        edits.push_back({file, rule.from, rule.to, rule.kind, at});
    }
  };
  search(kernel.source_file, kernel.source);
  for (const auto& [name, text] : kernel.headers) {
    if (name != "evo_sync.cuh") search(name, text);  // the macros that the edits of barriers use
  }
  return edits;
}

void apply(model::Template& kernel, const TextEdit& edit) {
  std::string& text = edit.file == kernel.source_file ? kernel.source : kernel.headers.at(edit.file);
  text.replace(edit.at, edit.from.size(), edit.to);
}

}  // namespace evo::bench
