#include "report/sources.hpp"

#include "report/artifacts.hpp"
#include "report/line_table.hpp"

namespace evo::report {

namespace json = boost::json;

json::object sources_of(const ShownVariants& shown, std::size_t bytes) {
  LineTable lines;
  json::array list;
  std::int64_t left_out = shown.unknown;
  for (const ShownVariant& each : shown.list) {
    if (lines.bytes() > bytes)
      ++left_out;
    else
      list.push_back({{"trial", each.trial->index}, {"source", lines.parts_of(each.variant.source)}});
  }
  return {{"lines", lines.take()}, {"of", std::move(list)}, {"left_out", left_out}};
}

json::object ptx_of(const RunView& view, const ShownVariants& shown, std::size_t bytes) {
  Artifacts artifacts(view);
  LineTable lines;
  json::array list;
  std::int64_t left_out = 0, missing = 0;
  for (const ShownVariant& each : shown.list) {
    if (lines.bytes() > bytes) {
      ++left_out;
      continue;
    }
    const auto artifact = artifacts.find(each);
    // What it shares with the others is known only afterwards: a third is taken to be its own.
    if (!artifact)
      ++missing;
    else if (lines.bytes() + artifact->ptx.size() / 3 > bytes)
      ++left_out;
    else
      list.push_back({{"trial", each.trial->index}, {"source", lines.parts_of(artifact->ptx)}});
  }
  return {{"lines", lines.take()}, {"of", std::move(list)}, {"left_out", left_out}, {"missing", missing}};
}

}  // namespace evo::report
