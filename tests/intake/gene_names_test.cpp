#include "intake/gene_names.hpp"

#include <gtest/gtest.h>

namespace evo::intake {
namespace {

TEST(GeneNames, Meanings) {
  for (const char* name : {"BLOCK", "THREADS", "block_size_x", "blockSize", "THREADS_PER_BLOCK",
                           "WORK_GROUP_SIZE_X", "TPB", "BX"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::threads) << name;
  for (const char* name :
       {"ITEMS", "PER_THREAD", "WORK_PER_THREAD", "ELEMENTS_PER_THREAD", "COARSENING", "Z_ITERATIONS"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::items) << name;
  for (const char* name : {"TILE", "tile_size_x", "TILE_DIM"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::tile) << name;
  for (const char* name : {"UNROLL", "INNER_UNROLL_FACTOR", "loop_unroll"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::unroll) << name;
  for (const char* name : {"VEC", "VECTOR_SIZE", "WIDTH"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::vector) << name;
  for (const char* name : {"USE_SOA", "PAD", "ENABLE_X"})
    EXPECT_EQ(meaning_of(name), GeneMeaning::flag) << name;
  EXPECT_EQ(meaning_of("STAGES"), GeneMeaning::stages);
  EXPECT_EQ(meaning_of("FOO"), GeneMeaning::other);
}

TEST(GeneNames, Sides) {
  EXPECT_EQ(side_of("block_size_x"), 'x');
  EXPECT_EQ(side_of("BY"), 'y');
  EXPECT_EQ(side_of("blockSizeZ"), 'z');
  EXPECT_EQ(side_of("BLOCK"), 0);
}

TEST(GeneNames, Values) {
  EXPECT_EQ(usual_values("BLOCK", false).front(), "64");
  EXPECT_EQ(usual_values("block_size_x", true).back(), "32");
  EXPECT_EQ(usual_values("USE_SOA", false).size(), 2U);
}

TEST(GeneNames, Entries) {
  for (const char* name : {"nnz", "NNZ_A", "num_edges", "non_zero_count"}) EXPECT_TRUE(names_entries(name));
  for (const char* name : {"cols", "n", "rows"}) EXPECT_FALSE(names_entries(name));
}

TEST(GeneNames, Sizes) {
  for (const char* name : {"n", "N", "width", "num_rows", "numElements", "nrows", "dim1", "wA", "optN",
                           "kSizeM", "gridSize", "nnz"})
    EXPECT_TRUE(names_size(name)) << name;
  for (const char* name : {"alpha", "offset", "iteration", "flag"}) EXPECT_FALSE(names_size(name)) << name;
}

}  // namespace
}  // namespace evo::intake
