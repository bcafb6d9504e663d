// The probabilities inside the operators, each with its reason. How often an operator is used at all is its
// weight: weights.hpp.
#pragma once

namespace evo::mutators {

struct OperatorSettings {
  /// gene_mutation: chance that a gene changes; at least one does. The experiment's `search.mutation`.
  double gene_probability = 0.15;
  /// gene_mutation and repair: an ordered integer steps to a neighbouring value this often, otherwise to any
  /// other: tile sizes and the like respond smoothly, and a step of one now and then leads nowhere.
  double to_neighbour = 0.5;
  /// sync_mutation: a barrier becomes one step weaker this often, otherwise anything else: two steps at once
  /// are rarely correct where one was not tried.
  double one_step_weaker = 0.75;
  /// insight_guided: follows a second insight this often: effects are marginal, and two may not add up.
  double second_insight = 0.35;
  /// A failure pattern is obeyed this often: it rests on few trials, and a wrong one must be able to die.
  double obedience = 0.9;
  /// uniform_crossover: another operator goes over the child this often: two good parents of one family have
  /// little new to say.
  double after_crossover = 0.5;
};

}  // namespace evo::mutators
