// An edit of a source: who made it, where, and what. Anchors are structural, so that a list of edits survives
// crossover and other genes; all of a list refer to the text without edits, so that any part of a list is a
// list.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evo::source {

/// anchor: "FUNCTION/2.0.1#HASH", the path of a statement and the hash of its tokens; "FUNCTION#HASH" for the
/// parameters of a function.
///
/// payload, for a statement:
///   delete                 nothing stands in its place
///   before TEXT            statements in front of it; its parent must be a block
///   after TEXT             statements behind it
///   replace TEXT           a statement instead of it
///   head TEXT              what stands between the parentheses of a loop or a branch
///   pragma TEXT            instead of the pragmas of a loop
///   move before ANCHOR, move after ANCHOR, copy before ANCHOR, copy after ANCHOR
///   swap ANCHOR            the two change places
/// and for a function:
///   head TEXT              its parameters
///   bounds TEXT            an attribute in front of its name, instead of one of that kind
///   literal 16 NAME        the name instead of the number, wherever it stands in the body
/// and any of these with a gene of its own in front (source/text_gene.hpp):
///   gene NAME=8 of 4,8,16 then literal 16 NAME
struct Edit {
  std::string operation;  ///< the operator's name
  std::string anchor;
  std::string payload;

  friend bool operator==(const Edit&, const Edit&) = default;
};
using Edits = std::vector<Edit>;

/// "barrier_delete dot/1.2#9af01c22 delete": one line.
[[nodiscard]] std::string text_of(const Edit& edit);
/// What text_of() wrote; nullopt for anything else.
[[nodiscard]] std::optional<Edit> edit_from_text(std::string_view text);

}  // namespace evo::source
