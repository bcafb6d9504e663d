// From what was run to facts. Each function adds the facts of one kind of observation.
#pragma once

#include "diagnose/facts.hpp"
#include "diagnose/origin.hpp"
#include "diagnose/search.hpp"
#include "diagnose/tiles.hpp"

namespace evo::diagnose {

/// How it ended and where the findings point, all of them.
void add_failure_facts(const Subject& subject, const Observation& seen, Facts& facts);
/// Which threads raced, in another observation of the same failure: a small shape may show only some of them.
void add_race_facts(const model::Failure& failure, const model::Case& bound, Facts& facts);
/// What the failure depends on, by further runs beside the smallest failing conditions: tails, number of
/// tiles, flags, views, other input sets, alignments, orders, poison, state between launches.
void add_dependence_facts(Lab& lab, const Failing& failing, Facts& facts);
/// Which stage diverges first and how.
void add_tile_facts(const Subject& subject, const TileReport& report, Facts& facts);
/// Genes and edits.
void add_origin_facts(const Origin& origin, Facts& facts);

}  // namespace evo::diagnose
