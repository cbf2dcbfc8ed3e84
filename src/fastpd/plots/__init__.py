"""Pictures of results, drawn with matplotlib."""

from fastpd.plots._effect import plot_effect
from fastpd.plots._importance import plot_importance, plot_orders
from fastpd.plots._missed import plot_missed
from fastpd.plots._network import plot_network
from fastpd.plots._rows import plot_ale, plot_ice
from fastpd.plots._shap_parts import plot_shap_parts
from fastpd.plots._waterfall import plot_waterfall

__all__ = [
    "plot_ale",
    "plot_effect",
    "plot_ice",
    "plot_importance",
    "plot_missed",
    "plot_network",
    "plot_orders",
    "plot_shap_parts",
    "plot_waterfall",
]
