#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>

#include "bindings/convert.hpp"
#include "queries/effects.hpp"

namespace fastpd {

namespace {

Query index_query(const In<double>& moebius, const In<std::int32_t>& rule_sizes, const In<double>& points,
                  const In<double>& weights, const In<double>& deep_weights, int deep_size) {
    Query query;
    query.order = static_cast<int>(moebius.size());
    query.largest_tau = static_cast<int>(rule_sizes.size() / moebius.size()) - 1;
    query.moebius = vector_of(moebius);
    std::size_t at = 0;
    for (std::size_t i = 0; i < rule_sizes.size(); ++i) {
        const auto n = static_cast<std::size_t>(rule_sizes.data()[i]);
        query.quadratures.push_back({{points.data() + at, points.data() + at + n}, {weights.data() + at, weights.data() + at + n}});
        at += n;
    }
    query.deep_weights = vector_of(deep_weights);
    query.deep_size = deep_size;
    return query;
}

Query value_query() {
    Query query;
    query.is_value = true;
    return query;
}

std::unique_ptr<Tables> compile(const Compiled& compiled, const MeasureArrays& measure, const In<double>& values,
                                double base, const Query& query, const In<std::int64_t>& set_offsets,
                                const In<std::int32_t>& set_players, bool fixed_point, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Sets sets = sets_of(set_offsets, set_players);
    const nb::gil_scoped_release unlock;
    return std::make_unique<Tables>(compile_tables(compiled.ensemble, measure.view(), span_of(values), base, query, sets,
                                                   fixed_point, n_jobs, monitor));
}

std::size_t estimate(const Compiled& compiled, const In<double>& values, const Query& query,
                     const In<std::int64_t>& set_offsets, const In<std::int32_t>& set_players, bool fixed_point) {
    PythonMonitor monitor{nb::none()};
    const Sets sets = sets_of(set_offsets, set_players);
    const nb::gil_scoped_release unlock;
    return estimate_table_bytes(compiled.ensemble, span_of(values), query, sets, fixed_point, monitor);
}

void evaluate(const Compiled& compiled, const Tables& tables, const Matrix& rows, OutMatrix out, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Rows view = rows_of(rows);
    const Output output = output_of(out);
    const nb::gil_scoped_release unlock;
    evaluate_tables(compiled.ensemble, compiled.grid, tables, view, output, n_jobs, monitor);
}

void predict_rows(const Compiled& compiled, const In2<double>& values, const In<std::int32_t>& tree_output,
                  const In<double>& base, const Matrix& rows, OutMatrix out, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Rows view = rows_of(rows);
    const Output output = output_of(out);
    const TreeSums sums{{values.data(), values.size()}, values.shape(1), span_of(tree_output), span_of(base)};
    const nb::gil_scoped_release unlock;
    predict(compiled.walk, sums, compiled.grid, view, output, n_jobs, monitor);
}

std::unique_ptr<LowOrder> low_order(const Compiled& compiled, const MeasureArrays& measure, const In<double>& values,
                                    int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const nb::gil_scoped_release unlock;
    return std::make_unique<LowOrder>(compiled.ensemble, measure.view(), span_of(values), n_jobs, monitor);
}

Array<double> mains(const Compiled& compiled, const LowOrder& low, const In<std::int32_t>& columns) {
    std::vector<double> effects;
    {
        const nb::gil_scoped_release unlock;
        effects = main_effects(compiled.ensemble, low, span_of(columns));
    }
    return array_of(std::move(effects));
}

// Grids of pairs as float64, or as int32 with a step for each pair.
using Cells = std::variant<InOut<double>, InOut<std::int32_t>>;

PairGrids grids_of(const In<std::int32_t>& pairs, const In<std::int64_t>& offsets, const Cells& cells, const InOut<double>& steps) {
    PairGrids grids{span_of(pairs), span_of(offsets)};
    if (const auto* exact = std::get_if<0>(&cells)) grids.exact = exact->data();
    else grids.fixed = std::get<1>(cells).data();
    grids.steps = steps.data();
    return grids;
}

void pairs_into(const Compiled& compiled, const LowOrder& low, const In<std::int32_t>& pairs, const In<std::int64_t>& offsets,
                Cells cells, InOut<double> steps, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const PairGrids grids = grids_of(pairs, offsets, cells, steps);
    const nb::gil_scoped_release unlock;
    pair_effects(compiled.ensemble, low, grids, n_jobs, monitor);
}

void evaluate_model(const Compiled& compiled, const In<std::int32_t>& columns, const In<double>& main_cells,
                    const In<std::int64_t>& main_offsets, const In<std::int32_t>& pairs, const In<std::int64_t>& offsets,
                    Cells cells, InOut<double> steps, const Matrix& rows, OutMatrix out, int n_jobs, nb::object progress) {
    PythonMonitor monitor(std::move(progress));
    const Rows view = rows_of(rows);
    const Output output = output_of(out);
    const EffectModel model{span_of(columns), span_of(main_cells), span_of(main_offsets), grids_of(pairs, offsets, cells, steps)};
    const nb::gil_scoped_release unlock;
    evaluate_effects(compiled.ensemble, compiled.grid, model, view, output, n_jobs, monitor);
}

Array<std::int32_t> bin_rows(const Compiled& compiled, const Matrix& rows, int column) {
    const Rows view = rows_of(rows);
    std::vector<std::int32_t> bins(view.n);
    {
        const nb::gil_scoped_release unlock;
        Tile tile(compiled.grid, view.n);
        tile.fill_column(view, static_cast<std::size_t>(column), 0, view.n, kernels());
        for (std::size_t i = 0; i < view.n; ++i) bins[i] = static_cast<std::int32_t>(tile.bin(static_cast<std::size_t>(column), i));
    }
    return array_of(std::move(bins));
}

std::optional<std::tuple<Array<std::int64_t>, Array<std::int32_t>>> present(const Compiled& compiled, const In<double>& values, int order, std::size_t limit) {
    PythonMonitor monitor{nb::none()};
    Sets sets;
    try {
        const nb::gil_scoped_release unlock;
        sets = present_sets(compiled.ensemble, span_of(values), order, limit, monitor);
    } catch (const std::length_error&) {
        return std::nullopt;
    }
    return std::tuple{array_of(std::move(sets.offsets)), array_of(std::move(sets.players))};
}

}  // namespace

void register_queries(nb::module_& module) {
    nb::class_<Query>(module, "Query", "What a query asks for every set of players.")
        .def_static("value", &value_query)
        .def_static("index", &index_query, nb::arg("moebius"), nb::arg("rule_sizes"), nb::arg("points"),
                    nb::arg("weights"), nb::arg("deep_weights"), nb::arg("deep_size"));
    nb::class_<Tables>(module, "Tables", "A query compiled to lookup tables.")
        .def_prop_ro("nbytes", &Tables::bytes)
        .def_prop_ro("n_columns", [](const Tables& t) { return t.n_columns; });
    nb::class_<LowOrder>(module, "LowOrder", "Probabilities of every leaf for at most two players.")
        .def_prop_ro("expected_value", [](const LowOrder& low) { return expected_value(low); });

    module.def("compile_tables", &compile, nb::arg("compiled"), nb::arg("measure"), nb::arg("values"), nb::arg("base"), nb::arg("query"),
               nb::arg("set_offsets"), nb::arg("set_players"), nb::arg("fixed_point"), nb::arg("n_jobs"), nb::arg("progress").none());
    module.def("estimate_table_bytes", &estimate, nb::arg("compiled"), nb::arg("values"), nb::arg("query"),
               nb::arg("set_offsets"), nb::arg("set_players"), nb::arg("fixed_point"));
    module.def("evaluate_tables", &evaluate, nb::arg("compiled"), nb::arg("tables"), nb::arg("rows"),
               nb::arg("out").noconvert(), nb::arg("n_jobs"), nb::arg("progress").none());
    module.def("predict", &predict_rows, nb::arg("compiled"), nb::arg("values"), nb::arg("tree_output"), nb::arg("base"),
               nb::arg("rows"), nb::arg("out").noconvert(), nb::arg("n_jobs"), nb::arg("progress").none());
    module.def("low_order", &low_order, nb::arg("compiled"), nb::arg("measure"), nb::arg("values"), nb::arg("n_jobs"), nb::arg("progress").none(),
               nb::keep_alive<0, 1>());
    module.def("main_effects", &mains, nb::arg("compiled"), nb::arg("low"), nb::arg("columns"));
    module.def("pair_effects", &pairs_into, nb::arg("compiled"), nb::arg("low"), nb::arg("pairs"), nb::arg("offsets"),
               nb::arg("cells").noconvert(), nb::arg("steps").noconvert(), nb::arg("n_jobs"), nb::arg("progress").none());
    module.def("evaluate_effects", &evaluate_model, nb::arg("compiled"), nb::arg("columns"), nb::arg("mains"),
               nb::arg("main_offsets"), nb::arg("pairs"), nb::arg("offsets"), nb::arg("cells").noconvert(),
               nb::arg("steps").noconvert(), nb::arg("rows"), nb::arg("out").noconvert(), nb::arg("n_jobs"),
               nb::arg("progress").none());
    module.def("bin_column", &bin_rows, nb::arg("compiled"), nb::arg("rows"), nb::arg("column"));
    module.def("present_sets", &present, nb::arg("compiled"), nb::arg("values"), nb::arg("order"), nb::arg("limit"));
}

}  // namespace fastpd
