#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "bindings/convert.hpp"

namespace fastpd {

namespace {

void construct(Compiled* self, const In<std::int32_t>& column, const In<std::int32_t>& cut, const In<std::int32_t>& left,
               const In<std::int32_t>& right, const In<std::uint8_t>& default_left, const In<std::int32_t>& roots,
               const In<std::int64_t>& first_member, const In<std::uint8_t>& members,
               const In<std::int32_t>& player_of_column, const In<double>& thresholds, const In<std::int64_t>& offsets,
               const In<std::int32_t>& feature, bool single, double missing) {
    auto compiled = std::make_unique<Compiled>();
    const Nodes nodes{span_of(column), span_of(cut), span_of(left), span_of(right), span_of(default_left), span_of(roots),
                      span_of(first_member), span_of(members)};
    {
        const nb::gil_scoped_release unlock;
        compiled->walk = make_walk(nodes);
        compiled->grid = make_grid(span_of(thresholds), span_of(offsets), span_of(feature), single, missing);
        std::vector<std::int32_t> bins;
        for (std::size_t c = 0; c + 1 < offsets.size(); ++c)
            bins.push_back(static_cast<std::int32_t>(offsets.data()[c + 1] - offsets.data()[c]) + 2);
        compiled->ensemble = compile_ensemble(nodes, bins, span_of(player_of_column));
    }
    new (self) Compiled(std::move(*compiled));
}

std::size_t bytes_of(const Compiled& compiled) {
    return compiled.ensemble.bytes() + compiled.grid.bytes() + compiled.walk.bytes();
}

// The bins of a test that is a set, or None.
nb::object members_of(const Test& test, const Ensemble& ensemble) {
    if (test.set == nullptr) return nb::none();
    nb::list bins;
    for (std::int32_t bin = 0; bin < ensemble.bins_of_column[static_cast<std::size_t>(test.column)]; ++bin)
        if (test.set[bin >> 3] >> (bin & 7) & 1) bins.append(bin);
    return bins;
}

// What a block tests and what its leaves ask of a row's pattern, for tests that recompute it.
nb::dict describe_block(const Compiled& compiled, std::size_t index) {
    const Ensemble& ensemble = compiled.ensemble;
    if (index >= ensemble.blocks.size()) throw nb::index_error("no such block");
    const Block& block = ensemble.blocks[index];
    nb::list tests, leaves;
    for (int b = 0; b < block.bits; ++b) {
        const Test& test = ensemble.tests[block.first_test + static_cast<std::uint32_t>(b)];
        tests.append(nb::make_tuple(test.column, test.lo, test.width, test.lane, test.missing != 0, members_of(test, ensemble)));
    }
    for (const Leaf& leaf : ensemble.leaves_of(block)) {
        nb::list clauses;
        for (const Clause& clause : ensemble.clauses_of(leaf))
            clauses.append(nb::make_tuple(clause.player, clause.need, clause.want));
        leaves.append(nb::make_tuple(leaf.node, clauses));
    }
    nb::dict out;
    out["tests"] = tests;
    out["leaves"] = leaves;
    out["first_count"] = block.first_count;
    return out;
}

// The pattern of every row in a block.
Array<std::uint8_t> patterns_of(const Compiled& compiled, const Matrix& rows, std::size_t index) {
    if (index >= compiled.ensemble.blocks.size()) throw nb::index_error("no such block");
    const Block& block = compiled.ensemble.blocks[index];
    const Rows view = rows_of(rows);
    std::vector<std::uint8_t> patterns(padded(view.n));
    Tile tile(compiled.grid, view.n);
    tile.fill(view, 0, view.n, kernels());
    kernels().patterns(compiled.ensemble.tests.data() + block.first_test, block.bits, tile.columns(), 0, padded(view.n),
                       patterns.data());
    patterns.resize(view.n);
    return array_of(std::move(patterns));
}

std::vector<std::string> isa_names() {
    std::vector<std::string> names;
    for (const char* const* name = available_kernels(); *name != nullptr; ++name) names.emplace_back(*name);
    return names;
}

}  // namespace

void register_forest(nb::module_& module) {
    nb::class_<Compiled>(module, "Compiled", "A forest on bins, cut into pattern blocks.")
        .def("__init__", &construct, nb::arg("column"), nb::arg("cut"), nb::arg("left"), nb::arg("right"),
             nb::arg("default_left"), nb::arg("roots"), nb::arg("first_member"), nb::arg("members"), nb::arg("player_of_column"), nb::arg("thresholds"),
             nb::arg("offsets"), nb::arg("feature"), nb::arg("single"), nb::arg("missing"))
        .def_prop_ro("n_counts", [](const Compiled& c) { return c.ensemble.n_counts; })
        .def_prop_ro("n_blocks", [](const Compiled& c) { return c.ensemble.blocks.size(); })
        .def_prop_ro("n_leaves", [](const Compiled& c) { return c.ensemble.leaves.size(); })
        .def_prop_ro("nbytes", &bytes_of)
        .def_prop_ro("largest_path", [](const Compiled& c) {
            int largest = 0;
            for (const auto* leaves : {&c.ensemble.leaves, &c.ensemble.deep})
                for (const Leaf& leaf : *leaves) largest = std::max<int>(largest, leaf.tau);
            return largest;
        })
        .def_prop_ro("deep_sizes", [](const Compiled& c) {
            std::vector<std::int32_t> sizes;
            for (const Leaf& leaf : c.ensemble.deep) sizes.push_back(leaf.tau);
            return array_of(std::move(sizes));
        }, nb::rv_policy::move);
    module.def("describe_block", &describe_block, nb::arg("compiled"), nb::arg("block"));
    module.def("patterns", &patterns_of, nb::arg("compiled"), nb::arg("rows"), nb::arg("block"));
    module.def("isa_names", &isa_names, "Instruction sets that this processor can run, best first.");
    module.def("isa_in_use", [] { return std::string(kernels().name); }, "The instruction set that calls use now.");
}

}  // namespace fastpd
