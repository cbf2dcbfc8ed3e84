// What a sample's counts say of single players, and of all of them: the ground of measures that treat players apart.
#pragma once

#include <vector>

#include "forest/ensemble.hpp"
#include "measures/measure.hpp"

namespace fastpd {

// Weight of the rows that pass each clause of the ensemble.
std::vector<double> player_weights(const Ensemble& ensemble, const Counted& counted);

// Weight of the rows that reach each leaf: those of the blocks, then the deep ones.
std::vector<double> leaf_weights(const Ensemble& ensemble, const Counted& counted);

}  // namespace fastpd
