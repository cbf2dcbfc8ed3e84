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

}  // namespace

void register_measures(nb::module_& module) {
    module.def("count_patterns", &count, nb::arg("compiled"), nb::arg("rows"), nb::arg("weights").none(),
               nb::arg("counts").noconvert(), nb::arg("n_jobs"), nb::arg("progress").none(),
               "Add the rows' weights to the pattern counts of every block.");
    module.def("count_deep", &count_masks, nb::arg("compiled"), nb::arg("rows"), nb::arg("weights").none(),
               nb::arg("max_failing"), nb::arg("limit"), nb::arg("n_jobs"), nb::arg("progress").none(),
               "Distinct masks at the deep leaves: (offsets, masks, counts), or None beyond the limit.");
}

}  // namespace fastpd
