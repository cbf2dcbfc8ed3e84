// From Python objects to spans and back; everything that touches Python stays in this folder.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>
#include <vector>

#include "forest/ensemble.hpp"
#include "grid/tile.hpp"
#include "measures/measure.hpp"
#include "queries/evaluate.hpp"
#include "queries/predict.hpp"
#include "queries/tables.hpp"
#include "threads/parallel.hpp"

namespace nb = nanobind;

namespace fastpd {

template <class T>
using In = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using In2 = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
template <class T>
using InOut = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using OutMatrix = nb::ndarray<nb::ndim<2>, nb::device::cpu>;  // (columns, rows), rows next to each other

template <class T, class... Rest>
std::span<const T> span_of(const nb::ndarray<const T, Rest...>& array) {
    return {array.data(), array.size()};
}

template <class T>
std::vector<T> vector_of(const In<T>& array) {
    return {array.data(), array.data() + array.size()};
}

// A forest on bins, its grid and its blocks: all that queries need of a model, made once.
struct Compiled {
    Walk walk;
    Grid grid;
    Ensemble ensemble;
};

// A measure's numbers as arrays that live as long as the object.
struct MeasureArrays {
    enum class Kind { counted, independent, joint };
    Kind kind;
    In<double> numbers;  // counts of patterns, or chances
    double total = 1;
    In<std::uint64_t> offsets, deep_masks;
    In<double> deep_counts;
    Measure view() const;
};

Rows rows_of(const Matrix& rows);
Output output_of(const OutMatrix& out);
Sets sets_of(const In<std::int64_t>& offsets, const In<std::int32_t>& players);

// Lets Python handle signals and hear of progress while the core runs without the interpreter lock.
class PythonMonitor : public Monitor {
public:
    explicit PythonMonitor(nb::object callback) : callback_(std::move(callback)) {}
    void poll(std::size_t done, std::size_t total) override;

private:
    nb::object callback_;
};

template <class T>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;

template <class T>
Array<T> array_of(std::vector<T>&& values) {
    auto owned = std::make_unique<std::vector<T>>(std::move(values));
    T* data = owned->data();
    const std::size_t size = owned->size();
    nb::capsule owner(owned.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(data, {size}, owner);
}

void register_forest(nb::module_& module);
void register_measures(nb::module_& module);
void register_queries(nb::module_& module);

}  // namespace fastpd
