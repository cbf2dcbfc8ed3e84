"""SHAP values beside the components that they mix: why one value has many of them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from fastpd.errors import FeatureError, OptionError, imported, nearest
from fastpd.plots._style import (
    NEUTRAL,
    PALE,
    PRIMARY,
    SEQUENTIAL,
    dress,
    legend_name,
    new_axes,
    one_scale,
    set_label,
    shown,
)

if TYPE_CHECKING:
    from fastpd.results import ShapParts

__all__ = ["plot_shap_parts"]

_MOST_LABELS = 5  # of a partner that have a colour of their own
_TOLD = 70  # characters of a line that tells shares
_NAMED = 3  # partners whose share of the spread is told
_CROWDED = 40  # characters of labels that stand side by side
Floats = NDArray[np.float64]


def plot_shap_parts(parts: ShapParts, *, partner: str | None = None, ax: Any = None) -> Any:
    """Draw SHAP values over the feature, and what makes them spread; return the two axes.

    The upper picture has a dot for each row, and the main effect, which is the same for all rows
    with the same value. The lower one has half of the pair component with one partner, coloured by
    the partner's value, and above it what share of the spread each partner explains.

    Parameters
    ----------
    parts
        What `Explainer.shap_parts` returns.
    partner
        Whose pair component to draw; by default that of the largest share.
    ax
        Two axes to draw on, the upper and the lower; new ones if None.

    Examples
    --------
    >>> parts = fastpd.Explainer(model, X).shap_parts("x0", X)
    >>> upper, lower = fastpd.plots.plot_shap_parts(parts)
    >>> lower.get_ylabel()
    'half of x0 × x1'
    """
    chosen = _partner(parts, partner)
    upper, lower = _two_axes(ax)
    where = _places(parts)
    dots = {"s": float(np.clip(6000 / len(where), 3, 16)), "linewidths": 0, "rasterized": True}
    upper.scatter(where, parts.shap, color=NEUTRAL, alpha=0.5, label="SHAP value of a row", **dots)
    _draw_main(parts, where, upper)
    upper.set_ylabel(f"SHAP value, {one_scale(parts.effect.link)}")
    over = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2, "ncols": 2}
    upper.legend(frameon=False, fontsize="small", **over)
    lower.axhline(0, color=NEUTRAL, linewidth=0.8, zorder=1)
    if chosen is not None:
        _draw_pair(parts, chosen, where, dots, lower)
        lower.set_ylabel(f"half of {set_label([parts.feature, chosen], 30)}")
    lower.set_title(_told(parts), fontsize="small", loc="left")
    lower.set_xlabel(shown(parts.feature))
    for one in (upper, lower):
        dress(one)
        _name_values(parts, where, one)
    upper.tick_params(labelbottom=False)
    lower.set_xlim(upper.get_xlim())
    return np.array([upper, lower])


def _partner(parts: ShapParts, partner: str | None) -> str | None:
    """Return whose pair to draw; None where there is no pair at all."""
    if not len(parts.shap):
        raise OptionError("there are no rows; take the SHAP values of at least one apart.")
    if partner is None:
        return parts.partners[0] if parts.partners else None
    if partner not in parts.partners:
        known = ", ".join(parts.partners) or "none"
        raise FeatureError(
            f"partner is {partner!r:.60}, which has no pair component with {parts.feature!r:.60}; "
            f"those that have one are: {known:.200}.{nearest(str(partner), parts.partners)}"
        )
    return partner


def _two_axes(ax: Any) -> list[Any]:
    """Return the axes given, or those of a new figure, one above the other."""
    if ax is None:
        pyplot = imported("matplotlib.pyplot", "plot()")
        heights = {"height_ratios": (3, 2), "sharex": True, "layout": "constrained"}
        return list(pyplot.subplots(2, 1, figsize=(6.4, 6.0), **heights)[1])
    pair = list(np.ravel(ax))
    if len(pair) != 2:
        raise OptionError(
            f"ax holds {len(pair)} axes; expected two, the upper and the lower, such as "
            "pyplot.subplots(2, 1)[1]."
        )
    return [new_axes(one) for one in pair]


def _places(parts: ShapParts) -> Floats:
    """Return where each row stands: at its value, beside its label, or on the right if missing."""
    axis, values = parts.effect.axes[0], parts.numbers(parts.feature)
    missing = axis.steps_of_numbers(values) == 0
    if axis.labels is not None:
        at = np.where(missing, len(axis.labels), values)
        for code in np.unique(at):  # rows of a label side by side, in their order
            rows = np.flatnonzero(at == code)
            at[rows] = code + np.linspace(-0.35, 0.35, len(rows) + 2)[1:-1]
        return at
    known = values[~missing & np.isfinite(values)]
    low, high = (known.min(), known.max()) if len(known) else (0.0, 1.0)
    beyond = high + 0.08 * ((high - low) or 1.0)
    return np.where(missing, beyond, np.clip(values, low, high))


def _draw_main(parts: ShapParts, where: Floats, ax: Any) -> None:
    """Draw the main effect as the steps that it is, over the values that occur."""
    axis, values = parts.effect.axes[0], parts.numbers(parts.feature)
    levels = parts.effect.component_steps
    missing = axis.steps_of_numbers(values) == 0
    look = {"color": PRIMARY, "linewidth": 2.2, "zorder": 3}
    name = {"label": "main effect, the same for all rows"}
    if axis.labels is not None:
        at = np.arange(len(axis.labels))
        ax.hlines(levels[axis.steps_of_labels()], at - 0.4, at + 0.4, **look, **name)
        room = 0.4
    else:
        low, high = where[~missing].min(initial=np.inf), where[~missing].max(initial=-np.inf)
        if low <= high:
            starts = np.array([low, *axis.edges[(axis.edges > low) & (axis.edges < high)]])
            steps = levels[axis.steps_of_numbers(starts)]
            ax.stairs(steps, np.array([*starts, high]), baseline=None, **look, **name)
        room = 0.02 * max(float(np.ptp(where)), 1e-9)
    if missing.any():
        middle = float(where[missing].mean())
        ax.hlines(levels[0], middle - room, middle + room, **look)


def _draw_pair(parts: ShapParts, partner: str, where: Floats, dots: Any, ax: Any) -> None:
    """Draw half of the pair component, coloured by the partner's labels or numbers."""
    pair = parts.pairs[:, parts.partners.index(partner)]
    axis = parts.axes.get(partner)
    if axis is None:
        ax.scatter(where, pair, color=PRIMARY, **dots)
        return
    values = parts.numbers(partner)
    missing = axis.steps_of_numbers(values) == 0
    if axis.labels is not None:
        _draw_labels(axis.labels, np.where(missing, -1, values), where, pair, dots, partner, ax)
        return
    ax.scatter(where[missing], pair[missing], color=PALE, **dots)
    known = values[~missing & np.isfinite(values)]
    low, high = np.percentile(known, [2, 98]) if len(known) else (0.0, 1.0)
    drawn = ax.scatter(
        where[~missing],
        pair[~missing],
        c=values[~missing],
        cmap=SEQUENTIAL,
        vmin=low,
        vmax=high,
        **dots,
    )
    beside = ax.inset_axes((1.02, 0, 0.02, 1))
    bar = ax.figure.colorbar(drawn, cax=beside, extend="both")
    bar.set_label(shown(partner), fontsize="small")
    bar.ax.tick_params(labelsize="small")


def _draw_labels(
    labels: Any, codes: Floats, where: Floats, pair: Floats, dots: Any, partner: str, ax: Any
) -> None:
    """Draw the rows of each label in a colour; rare labels share one."""
    shades = imported("matplotlib", "plot()").colormaps[SEQUENTIAL]
    known, counts = np.unique(codes[codes >= 0], return_counts=True)
    most = min(len(known), _MOST_LABELS if len(known) > _MOST_LABELS + 1 else _MOST_LABELS + 1)
    often = np.sort(known[np.argsort(-counts, kind="stable")[:most]])
    rest = ~np.isin(codes, often)
    if rest.any():
        name = "missing" if codes[rest].max() < 0 else "others"
        ax.scatter(where[rest], pair[rest], color=PALE, label=name, **dots)
    for code, shade in zip(often, np.linspace(0.0, 0.88, len(often)), strict=True):
        rows = codes == code
        colour = shades(shade)
        name = legend_name(labels[int(code)], 22)
        ax.scatter(where[rows], pair[rows], color=[colour], label=name, **dots)
    ax.legend(
        title=shown(partner),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.05),
        frameon=False,
        fontsize="small",
        title_fontsize="small",
        scatterpoints=1,
        markerscale=3 if dots["s"] < 10 else 1.5,
    )


def _told(parts: ShapParts) -> str:
    """Return what share of the spread around the main effect each partner explains."""
    if not parts.partners:
        return "no interactions: every SHAP value is the main effect"
    shares = list(parts.shares.items())
    named, others = shares[:_NAMED], [share for _, share in shares[_NAMED:]]
    higher = 1 - sum(parts.shares.values())
    told = [f"× {shown(name, 18)} {share:.0%}" for name, share in named]
    if others:
        told.append(f"{len(others)} other pairs {sum(others):.0%}")
    if abs(higher) > 1e-6:
        told.append(f"three and more features {higher:.0%}")
    return textwrap.fill(f"spread around the main effect: {', '.join(told)}", _TOLD)


def _name_values(parts: ShapParts, where: Floats, ax: Any) -> None:
    """Name labels, and the place of missing values, below the axis."""
    axis, values = parts.effect.axes[0], parts.numbers(parts.feature)
    missing = axis.steps_of_numbers(values) == 0
    if axis.labels is None:
        if missing.any():
            ax.axvline(where[missing][0], color=PALE, linewidth=0.8, zorder=0)
            ax.annotate(
                "missing",
                (where[missing][0], 0),
                xycoords=("data", "axes fraction"),
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                fontsize="small",
            )
        return
    names = [shown(label, 24) for label in axis.labels] + ["missing"] * bool(missing.any())
    ax.set_xticks(np.arange(len(names)), names)
    ax.set_xlim(-0.6, len(names) - 0.4)
    if sum(map(len, names)) > _CROWDED:
        ax.tick_params(axis="x", rotation=90)
