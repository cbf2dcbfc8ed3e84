#include "bindings/convert.hpp"

NB_MODULE(_core, module) {
    module.doc() = "The compiled core of fastpd; called by the Python layers, which validate.";
    fastpd::register_forest(module);
    fastpd::register_measures(module);
    fastpd::register_queries(module);
}
