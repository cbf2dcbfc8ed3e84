#include "bindings/convert.hpp"

NB_MODULE(_core, module) {
    // At exit Python may still hold an explainer, say in a traceback; that should alarm no user.
    nanobind::set_leak_warnings(false);
    module.doc() = "The compiled core of fastpd; called by the Python layers, which validate.";
    fastpd::register_forest(module);
    fastpd::register_measures(module);
    fastpd::register_queries(module);
}
