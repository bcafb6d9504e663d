// What operators on the text make of a kernel.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "mutators/source_mutator.hpp"
#include "source/apply.hpp"

namespace evo::mutators {

/// Texts of a kernel's body after each change of the operator; all edits must apply.
template <class Operator>
std::vector<std::string> made(const std::string& body, int threads = 0) {
  const EditedSource source =
      edited_source("__global__ void k(float* x, const float* y, int n) {\n" + body + "}\n", {"k"}, threads);
  std::vector<std::string> texts;
  for (const Change& change : Operator().changes(source)) {
    const source::Edited edited = source::apply_edits(source.program, change);
    EXPECT_TRUE(edited.dropped.empty()) << source::text_of(change.front());
    texts.push_back(edited.text);
  }
  return texts;
}

inline bool has(const std::string& where, std::string_view what) {
  return where.find(what) != std::string::npos;
}

}  // namespace evo::mutators
