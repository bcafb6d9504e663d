#include "intake/gene_names.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace evo::intake {
namespace {

/// "blockSizeX", "BLOCK_SIZE_X" and "block_size_x" as "block", "size", "x".
std::vector<std::string> words_in(std::string_view name) {
  std::vector<std::string> words;
  std::string word;
  const auto finish = [&] {
    if (!word.empty()) words.push_back(word);
    word.clear();
  };
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool hump =
        i > 0 && std::isupper(c) != 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (c == '_' || hump) finish();
    if (c != '_') word += static_cast<char>(std::tolower(c));
  }
  finish();
  return words;
}

using Words = std::vector<std::string>;

bool has(const Words& words, std::initializer_list<std::string_view> wanted) {
  return std::any_of(words.begin(), words.end(), [&](const std::string& word) {
    return std::find(wanted.begin(), wanted.end(), word) != wanted.end();
  });
}

}  // namespace

GeneMeaning meaning_of(std::string_view name) {
  const Words words = words_in(name);
  if (has(words, {"unroll", "unrolling"})) return GeneMeaning::unroll;
  if (has(words, {"use", "enable", "with", "is", "has", "pad", "padding", "swizzle", "flag", "do"}))
    return GeneMeaning::flag;
  if (has(words, {"vec", "vector", "width", "vw", "vwm", "vwn", "veclen"})) return GeneMeaning::vector;
  if (has(words, {"stages", "stage", "buffers"})) return GeneMeaning::stages;
  const bool per = has(words, {"per"});
  if (has(words, {"items", "item", "coarsen", "coarsening", "work", "elements", "elems", "ept", "wpt", "rows",
                  "iterations", "iters", "factor"}) &&
      (per || !has(words, {"group"})))
    return GeneMeaning::items;
  if (per && has(words, {"thread"})) return GeneMeaning::items;
  if (has(words, {"tile", "tiles", "bm", "bn", "bk", "tm", "tn", "tilesize"}))
    return has(words, {"bm", "bn", "bk"}) || !per ? GeneMeaning::tile : GeneMeaning::items;
  if (has(words, {"block", "blocksize", "threads", "nthreads", "tpb", "blockdim", "bx", "by", "bz",
                  "workgroup", "wg", "blk", "tx", "ty"}) ||
      (has(words, {"group"}) && has(words, {"work"})))
    return GeneMeaning::threads;
  if (has(words, {"size", "dim"})) return GeneMeaning::tile;
  return GeneMeaning::other;
}

char side_of(std::string_view name) {
  const Words words = words_in(name);
  if (words.empty()) return 0;
  const std::string& last = words.back();
  if (last == "x" || last == "bx" || last == "tx" || last.ends_with("dimx")) return 'x';
  if (last == "y" || last == "by" || last == "ty") return 'y';
  if (last == "z" || last == "bz") return 'z';
  if (last.size() > 2 && (last.back() == 'x' || last.back() == 'y' || last.back() == 'z') &&
      (last.starts_with("block") || last.starts_with("tile") || last.starts_with("threads")))
    return last.back();
  return 0;
}

std::vector<std::string> usual_values(std::string_view name, bool several_sides) {
  switch (meaning_of(name)) {
    case GeneMeaning::threads:
      if (side_of(name) == 'y' || side_of(name) == 'z') return {"4", "8", "16"};
      if (several_sides) return {"16", "32"};
      return {"64", "128", "256", "512"};
    case GeneMeaning::tile:
      return {"16", "32"};
    case GeneMeaning::flag:
      return {"0", "1"};
    case GeneMeaning::stages:
      return {"2", "3", "4"};
    case GeneMeaning::items:
    case GeneMeaning::unroll:
    case GeneMeaning::vector:
    case GeneMeaning::other:
      return {"1", "2", "4"};
  }
  return {"1", "2", "4"};
}

bool names_size(std::string_view name) {
  static const std::set<std::string, std::less<>> letters{"n", "m",  "k",  "h",  "w",  "b",  "c",  "t",
                                                          "d", "oc", "nh", "hs", "nx", "ny", "nz", "bt"};
  Words words = words_in(name);
  // dim1; nrows, natoms
  for (std::size_t i = 0, count = words.size(); i < count; ++i) {
    while (words[i].size() > 1 && std::isdigit(static_cast<unsigned char>(words[i].back())) != 0)
      words[i].pop_back();
    if (words[i].size() > 2 && words[i][0] == 'n') words.push_back(words[i].substr(1));
  }
  if (words.front() == "nnz") return true;
  if (words.size() == 1 && letters.contains(words[0])) return true;
  // wA, hB; imageW, optN
  if (words.size() == 2 && letters.contains(words[0]) && words[1].size() == 1) return true;
  static const std::set<std::string, std::less<>> last{"w", "h", "n"};
  if (words.size() == 2 && last.contains(words[1]) && words[0].size() > 2) return true;
  return has(words,
             {"size",  "sizes",   "num",  "len",    "length", "width", "height",   "depth",    "rows",
              "cols",  "columns", "row",  "col",    "dim",    "count", "elements", "batch",    "channels",
              "total", "samples", "bins", "points", "atoms",  "n",     "numel",    "vertices", "grid"});
}

bool names_entries(const std::string& name) {
  std::string small;
  for (const char c : name) {
    if (c != '_') small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return std::ranges::any_of(std::array{"nnz", "nonzero", "edges"},
                             [&](const char* word) { return small.find(word) != std::string::npos; });
}

bool names_row_length(const std::string& name) {
  std::string capitals = name;
  std::transform(capitals.begin(), capitals.end(), capitals.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (name.size() > 2 && (name.ends_with("W") || capitals.ends_with("WIDTH"))) return true;
  static constexpr std::array<const char*, 6> names{"WIDTH", "W", "COLS", "COLUMNS", "NCOLS", "NX"};
  return std::find(names.begin(), names.end(), capitals) != names.end();
}

}  // namespace evo::intake
