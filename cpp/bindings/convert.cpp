#include "bindings/convert.hpp"

namespace fastpd {

Measure MeasureArrays::view() const {
    if (kind == Kind::independent) return Independent{span_of(numbers)};
    if (kind == Kind::joint) return Joint{span_of(numbers), span_of(offsets)};
    return Counted{span_of(numbers), total, span_of(offsets), span_of(deep_masks), span_of(deep_counts)};
}

Rows rows_of(const Matrix& rows) {
    const bool single = rows.dtype() == nb::dtype<float>();
    if (!single && rows.dtype() != nb::dtype<double>()) throw std::invalid_argument("rows must be float32 or float64");
    const auto item = static_cast<std::ptrdiff_t>(single ? sizeof(float) : sizeof(double));
    return {static_cast<const std::byte*>(rows.data()), rows.shape(0), rows.stride(0) * item, rows.stride(1) * item, single};
}

Output output_of(const OutMatrix& out) {
    const bool single = out.dtype() == nb::dtype<float>();
    if (!single && out.dtype() != nb::dtype<double>()) throw std::invalid_argument("output must be float32 or float64");
    if (out.shape(1) > 1 && out.stride(1) != 1) throw std::invalid_argument("rows of the output must stand next to each other");
    return {out.data(), static_cast<std::size_t>(out.stride(0)), single};
}

Sets sets_of(const In<std::int64_t>& offsets, const In<std::int32_t>& players) {
    Sets sets;
    sets.offsets = vector_of(offsets);
    sets.players = vector_of(players);
    return sets;
}

void PythonMonitor::poll(std::size_t done, std::size_t total) {
    const nb::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!callback_.is_none()) callback_(done, total);
}

}  // namespace fastpd
