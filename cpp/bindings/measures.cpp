#include "measures/chances.hpp"
#include "measures/counts.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "bindings/convert.hpp"

namespace fastpd {

namespace {

using Planes = std::optional<In2<std::uint32_t>>;

Weights weights_of(const Planes& planes) {
    if (!planes) return {};
    return {planes->data(), planes->shape(0)};
}

void count(const Compiled& compiled, const Matrix& rows, const Planes& weights, InOut<std::int64_t> counts, int n_jobs,
           nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Rows view = rows_of(rows);
    const nb::gil_scoped_release unlock;
    count_patterns(compiled.ensemble, compiled.grid, view, weights_of(weights), counts.data(), n_jobs, monitor);
}

using Masks = std::tuple<Array<std::uint64_t>, Array<std::uint64_t>, Array<std::int64_t>>;

std::optional<Masks> count_masks(const Compiled& compiled, const Matrix& rows, const Planes& weights, int max_failing,
                       std::size_t limit, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Rows view = rows_of(rows);
    DeepCounts found;
    {
        const nb::gil_scoped_release unlock;
        found = count_deep(compiled.ensemble, compiled.grid, view, weights_of(weights), max_failing, limit, n_jobs, monitor);
    }
    if (found.exceeded) return std::nullopt;
    return Masks{array_of(std::move(found.offsets)), array_of(std::move(found.masks)), array_of(std::move(found.counts))};
}

using Doubles = In<double>;

MeasureArrays counted(Doubles patterns, double total, In<std::uint64_t> deep_offsets, In<std::uint64_t> deep_masks,
                      Doubles deep_counts) {
    return {MeasureArrays::Kind::counted, patterns, total, deep_offsets, deep_masks, deep_counts};
}

MeasureArrays independent(Doubles chances) { return {MeasureArrays::Kind::independent, chances, 1, {}, {}, {}}; }

MeasureArrays joint(Doubles chances, In<std::uint64_t> first) {
    return {MeasureArrays::Kind::joint, chances, 1, first, {}, {}};
}

// The counts of a measure that has some.
Counted counts_of(const MeasureArrays& measure) {
    if (measure.kind != MeasureArrays::Kind::counted) throw std::invalid_argument("the measure has no counts");
    return std::get<Counted>(measure.view());
}

// Node of every leaf (those of blocks, then the deep ones), where its clauses start, how many there are, and the players
// of all clauses.
nb::tuple leaves_of(const Compiled& compiled) {
    std::vector<std::int32_t> nodes, sizes, players;
    std::vector<std::int64_t> first;
    for (const auto* leaves : {&compiled.ensemble.leaves, &compiled.ensemble.deep})
        for (const Leaf& leaf : *leaves) {
            nodes.push_back(leaf.node);
            first.push_back(leaf.first_clause);
            sizes.push_back(leaf.tau);
        }
    for (const Clause& clause : compiled.ensemble.clauses) players.push_back(clause.player);
    return nb::make_tuple(array_of(std::move(nodes)), array_of(std::move(first)), array_of(std::move(sizes)),
                          array_of(std::move(players)));
}

// For every column on the path to a leaf of the blocks: the column, which of the leaf's players owns it, whether a
// missing value passes, and the runs [first, last) of bins that pass.
nb::list sides_of(const Compiled& compiled, std::size_t index) {
    const Ensemble& ensemble = compiled.ensemble;
    if (index >= ensemble.leaves.size()) throw nb::index_error("no such leaf");
    nb::list sides;
    for (const Side& side : ensemble.sides_of(ensemble.leaves[index])) {
        const std::vector<bool> passes = members_of(side, ensemble);
        nb::list runs;
        for (std::size_t bin = 1; bin < passes.size(); ++bin) {
            if (!passes[bin]) continue;
            const std::size_t first = bin;
            while (bin < passes.size() && passes[bin]) ++bin;
            runs.append(nb::make_tuple(first, bin));
        }
        sides.append(nb::make_tuple(side.column, side.bit, bool(passes[0]), runs));
    }
    return sides;
}

}  // namespace

void register_measures(nb::module_& module) {
    nb::class_<MeasureArrays>(module, "Measure", "How likely players pass the paths to the leaves.")
        .def_static("counted", &counted, nb::arg("patterns"), nb::arg("total"), nb::arg("deep_offsets"),
                    nb::arg("deep_masks"), nb::arg("deep_counts"))
        .def_static("independent", &independent, nb::arg("chances"))
        .def_static("joint", &joint, nb::arg("chances"), nb::arg("first"));
    module.def("leaves", &leaves_of, nb::arg("compiled"), "(nodes, first_clause, n_clauses, players of all clauses).");
    module.def("leaf_sides", &sides_of, nb::arg("compiled"), nb::arg("leaf"));
    module.def("player_weights", [](const Compiled& compiled, const MeasureArrays& measure) {
        return array_of(player_weights(compiled.ensemble, counts_of(measure)));
    }, nb::arg("compiled"), nb::arg("measure"), "Weight of the rows that pass each clause.");
    module.def("leaf_weights", [](const Compiled& compiled, const MeasureArrays& measure) {
        return array_of(leaf_weights(compiled.ensemble, counts_of(measure)));
    }, nb::arg("compiled"), nb::arg("measure"), "Weight of the rows that reach each leaf.");
    module.def("count_patterns", &count, nb::arg("compiled"), nb::arg("rows"), nb::arg("weights").none(),
               nb::arg("counts").noconvert(), nb::arg("n_jobs"), nb::arg("progress").none(),
               "Add the rows' weights to the pattern counts of every block.");
    module.def("count_deep", &count_masks, nb::arg("compiled"), nb::arg("rows"), nb::arg("weights").none(),
               nb::arg("max_failing"), nb::arg("limit"), nb::arg("n_jobs"), nb::arg("progress").none(),
               "Distinct masks at the deep leaves: (offsets, masks, counts), or None beyond the limit.");
}

}  // namespace fastpd
