"""Every number of a report is one of the explainer's own."""

from __future__ import annotations

import importlib

import numpy as np
import pandas as pd
import pytest
from pages import Tables, close, drawn, explainer_of, number
from sklearn.compose import make_column_transformer
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from fastpd import Explainer, Forest, measures
from fastpd.report import _maps
from fastpd.report._grouping import grouped, pooled
from fastpd.results._axis import Axis
from oracles import Split, forest


@pytest.mark.parametrize("outputs", ["one", "vector"])
def test_importance_is_that_of_the_explainer(outputs: str):
    model, rows = drawn(outputs=outputs)
    ex = explainer_of(model, rows)
    data = ex.report(rows).data
    expected = ex.importance(rows)
    assert data.importance.names == expected.names
    np.testing.assert_array_equal(data.importance.scores, expected.scores)


def test_importance_over_the_background_takes_its_weights():
    model, rows = drawn()
    weights = np.random.default_rng(1).random(len(rows))
    ex = explainer_of(model, rows, weights=weights)
    data = ex.report().data
    np.testing.assert_array_equal(data.importance.scores, ex.importance().scores)
    assert data.summary.weighted
    parts = ex.components(rows, 1)
    left = np.abs(ex.predict(rows) - parts.intercept - parts.array.sum(axis=1))
    np.testing.assert_allclose(data.orders[0].missed, np.average(left, weights=weights), rtol=1e-9)


def test_curves_have_the_levels_and_shares_of_the_effect():
    model, rows = drawn()
    ex = explainer_of(model, rows)
    for curve in ex.report(rows).data.curves:
        effect = ex.effect(curve.feature)
        assert not curve.merged
        np.testing.assert_array_equal(curve.low[:, 0], effect.component_steps[1:])
        np.testing.assert_array_equal(curve.high, curve.low)
        np.testing.assert_array_equal(curve.missing, effect.component_steps[:1])
        np.testing.assert_array_equal(curve.edges[1:-1], effect.edges)
        at = effect.axes[0].steps(rows[:, curve.index])
        np.testing.assert_allclose(
            curve.shares, np.bincount(at, minlength=len(effect.levels) + 1)[1:] / len(rows)
        )
        assert curve.missing_share == pytest.approx(np.mean(at == 0))


def test_maps_have_the_cells_of_the_effect():
    model, rows = drawn()
    ex = explainer_of(model, rows)
    maps = ex.report(rows).data.maps
    assert len(maps) == 6
    for one in maps:
        effect = ex.effect(one.across.feature, one.up.feature)
        assert one.largest_merged == 0
        middle = [(side.edges[:-1] + side.edges[1:]) / 2 for side in (one.across, one.up)]
        found = effect.component(middle[0][:, None], middle[1][None, :])
        np.testing.assert_array_equal(one.cells[..., 0], found)


@pytest.mark.parametrize("outputs", ["one", "scalar"])
def test_rows_explained_add_up_to_their_predictions(outputs: str):
    model, rows = drawn(outputs=outputs)
    ex = explainer_of(model, rows)
    data = ex.report(rows, rows=[3], max_order=1).data
    predictions = ex.predict(rows).reshape(len(rows), -1)
    for story in data.stories:
        total = story.start + sum(bar.amount for bar in story.bars)
        truth = predictions[story.row, story.output]
        assert total == pytest.approx(story.prediction, abs=1e-12)
        assert story.prediction == pytest.approx(truth, abs=1e-12)
    for output in range(predictions.shape[1]):
        mine = {story.why: story.row for story in data.stories if story.output == output}
        assert mine["asked for"] == 3
        assert predictions[mine["highest prediction"], output] == predictions[:, output].max()
        assert predictions[mine["lowest prediction"], output] == predictions[:, output].min()


def test_bars_are_the_components_of_the_row():
    model, rows = drawn()
    ex = explainer_of(model, rows)
    story = ex.report(rows).data.stories[0]
    parts = ex.components(rows[story.row : story.row + 1], 2)
    named = [bar for bar in story.bars if bar.features]
    assert len(named) == 10
    for bar in named:
        assert bar.amount == pytest.approx(parts[bar.features][0], abs=1e-12)


def test_what_orders_miss_is_the_discrepancy():
    model, rows = drawn(depth=4)
    ex = explainer_of(model, rows)
    orders = ex.report(rows, max_order=3).data.orders
    predictions = ex.predict(rows)
    for order in orders:
        parts = ex.components(rows, order.order)
        np.testing.assert_allclose(order.missed[0], parts.discrepancy, rtol=1e-9)
        kept = 1 - parts.remainder.var() / predictions.var()
        np.testing.assert_allclose(order.explained[0], kept, rtol=1e-9)


def test_adequacy_is_that_of_the_explainer():
    model, rows = drawn()
    ex = explainer_of(model, rows)
    found, expected = ex.report(rows).data.adequacy, ex.adequacy(rows)
    assert found is not None
    assert found.names == expected.names
    np.testing.assert_array_equal(found.standard_error, expected.standard_error)
    np.testing.assert_array_equal(found.change, expected.change)


def test_tables_show_what_the_explainer_says():
    model, rows = drawn()
    ex = explainer_of(model, rows)
    report = ex.report(rows)
    tables = Tables(report.html).tables
    times = " \N{MULTIPLICATION SIGN} "
    importance, shown = ex.importance(rows), tables["importances"][1:]
    assert [row[0] for row in shown] == [times.join(names) for names in importance.names]
    close([row[2] for row in shown], importance.scores)
    shares = ex.variance_shares(rows)
    close([row[3] for row in shown], np.array([shares[names] for names in importance.names]))
    overall, joint = ex.h_statistic(X=rows), ex.h_statistic(X=rows, order=2).by_strength()
    for name, found in (("h-features", overall), ("h-pairs", joint)):
        assert [row[0] for row in tables[name][1:]] == [times.join(one) for one in found.names]
        close([row[1] for row in tables[name][1:]], found.h)
        close([row[2] for row in tables[name][1:]], found.strength)
    sure = ex.adequacy(rows)
    close([row[1] for row in tables["adequacy"][1:]], sure.importance[:15])
    close([row[2] for row in tables["adequacy"][1:]], sure.standard_error[:15])
    steps = [table for table in tables.values() if table[0][:2] == ["from", "below"]]
    assert len(steps) == len(report.data.curves) > 0
    for table, curve in zip(steps, report.data.curves, strict=True):
        effect = ex.effect(curve.feature)
        body = table[1:-1]
        close([row[2] for row in body], effect.component_steps[1:])
        edges = np.array([number(row[0]) for row in body[1:]])
        np.testing.assert_allclose(edges, effect.edges, rtol=1e-5)
        close([table[-1][1]], effect.component_steps[:1])


def test_amounts_on_the_page_are_those_of_the_row():
    model, rows = drawn()
    report = explainer_of(model, rows).report(rows)
    tables = Tables(report.html).tables
    falls = [table for table in tables.values() if table[1][0].startswith("mean prediction")]
    for table, story in zip(falls, report.data.stories, strict=True):
        amounts = [story.start, *(bar.amount for bar in story.bars), story.prediction]
        close([row[2] for row in table[1:]], np.array(amounts))


def test_labels_keep_their_names_levels_and_shares():
    model = Forest.from_arrays(
        feature=[[0, 1, -1, -1, -1]],
        threshold=[[0.0, 0.5, 0, 0, 0]],
        left=[[1, 2, -1, -1, -1]],
        right=[[4, 3, -1, -1, -1]],
        value=[[0.0, 0, 1, 2, 5]],
        left_codes=[{0: [0, 2]}],
        categories={"city": ["Rome", "Oslo", "Bern", "Bonn"]},
        feature_names=["city", "size"],
    )
    rows = pd.DataFrame(
        {"city": ["Rome", "Bern", "Oslo", "Rome", "Bonn"], "size": [0.0, 1, 0, 1, 0]}
    )
    ex = Explainer(model, rows, progress=False)
    curve = next(one for one in ex.report(rows).data.curves if one.feature == "city")
    by_label = ex.effect("city").by_label()
    assert curve.labels is not None
    found = dict(zip(curve.labels, zip(curve.low[:, 0], curve.shares, strict=True), strict=True))
    base = ex.expected_value
    for name, (level, share) in found.items():
        for label in name.split(", "):
            assert level + base == pytest.approx(by_label[label])
        assert share == pytest.approx(rows["city"].isin(name.split(", ")).mean())
    values = {
        value
        for story in ex.report(rows).data.stories
        for bar in story.bars
        for value in bar.values
    }
    assert "Rome" in values or "Bern" in values or "Oslo" in values or "Bonn" in values


def test_without_rows_of_ones_own_values_are_steps():
    model = forest([Split(0, 1.5, 0.0, Split(0, 2.5, 1.0, 3.0))], 1)
    ex = explainer_of(model, np.array([[1.0], [2.0], [3.0], [4.0]]))
    values = {story.why: story.bars[0].values for story in ex.report().data.stories}
    assert values["lowest prediction"] == ("below 1.5",)
    assert values["highest prediction"] == ("2.5 or more",)
    assert values["median prediction"] == ("1.5 to 2.5",)


def test_rows_outside_the_background_are_told():
    model = forest([Split(0, 1.5, 0.0, Split(0, 2.5, 1.0, 3.0))], 1)
    background = np.tile([[1.0], [2.0]], (60, 1))
    ex = explainer_of(model, background)
    notes = ex.report(np.tile([[1.0], [2.0], [9.0], [2.0]], (30, 1))).data.notes
    far = [note for note in notes if "outside" in note.title]
    assert len(far) == 1
    assert "25.0%" in far[0].detail
    assert not [note for note in ex.report(background).data.notes if "outside" in note.title]


def test_features_that_go_together_are_told():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500)
    rows = np.column_stack([x, x + 0.1 * rng.normal(size=500), rng.normal(size=500)])
    cuts = np.linspace(-2, 2, 9)
    model = forest([Split(k, c, 0.0, 1.0) for k in range(3) for c in cuts.tolist()], 3)
    ex = explainer_of(model, rows)
    data = ex.report(rows).data
    assert set(data.pairs[0].features) == {"x0", "x1"}
    steps = [ex.effect(k).axes[0].steps(rows[:, k]) for k in (0, 1)]
    order = [np.unique(one, return_inverse=True)[1].astype(float) for one in steps]
    assert data.pairs[0].association == pytest.approx(
        pd.Series(order[0]).corr(pd.Series(order[1]), method="spearman")
    )
    assert data.pairs[0].empty > 0.5
    assert any("go together" in note.title for note in data.notes)


def test_measures_without_rows_take_rows():
    model, rows = drawn()
    ex = Explainer(model, measure=measures.Product(rows), progress=False)
    data = ex.report(rows).data
    np.testing.assert_array_equal(data.importance.scores, ex.importance(rows).scores)
    assert data.adequacy is None
    assert any("sure" in one.what for one in data.lost)


def test_steps_that_are_too_many_are_spans_from_low_to_high():
    rng = np.random.default_rng(0)
    edges = np.sort(rng.normal(size=5000))
    axis = Axis("x", edges, "float64", np.nan)
    levels = rng.normal(size=5002)
    shares = np.full(5002, 1 / 5002)
    chosen = grouped(axis, shares, (-6.0, 6.0), 300)
    assert chosen.n_groups <= 450
    low, high = (pooled(ufunc, levels, chosen) for ufunc in (np.minimum, np.maximum))
    x = rng.uniform(-6, 6, 2000)
    at = np.searchsorted(chosen.edges, x, side="right") - 1
    true = levels[axis.steps(x)]
    assert (low[at] <= true).all()
    assert (true <= high[at]).all()
    assert low.min() == levels[1:].min()
    assert pooled(np.add, shares, chosen).sum() == pytest.approx(shares[1:].sum())


def test_columns_that_a_pipeline_encodes_have_their_effect_at_their_values():
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(
        {"city": rng.choice(["Rome", "Oslo", "Bern"], 200), "size": rng.normal(size=200)}
    )
    y = (rows["city"] == "Oslo") * rows["size"] + 2.0 * (rows["city"] == "Bern")
    encode = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
    model = make_pipeline(encode, GradientBoostingRegressor(n_estimators=20)).fit(rows, y)
    ex = Explainer(model, rows, progress=False)
    data = ex.report(rows).data
    curve = next(one for one in data.curves if one.feature == "city")
    component = ex.components(rows, 1)["city"]
    assert curve.labels is not None
    assert set(curve.labels) == {"Rome", "Oslo", "Bern"}
    for label, low, high, share in zip(
        curve.labels, curve.low, curve.high, curve.shares, strict=True
    ):
        here = (rows["city"] == label).to_numpy()
        np.testing.assert_allclose(component[here], low[0], atol=1e-9)
        assert low == high
        assert share == pytest.approx(here.mean())
    assert any("city and size" in one.what for one in data.lost)
    values = {value for story in data.stories for bar in story.bars for value in bar.values}
    assert values & {"Rome", "Oslo", "Bern"}
    assert any("city" in one.what for one in ex.report().data.lost)


def test_grids_too_large_to_make_are_shown_at_single_steps(monkeypatch: pytest.MonkeyPatch):
    model, rows = drawn()
    ex = explainer_of(model, rows, precision="double")
    whole = ex.report(rows).data.maps
    monkeypatch.setattr(_maps, "_WHOLE", 1)
    for one, other in zip(whole, ex.report(rows).data.maps, strict=True):
        np.testing.assert_allclose(one.cells, other.cells, atol=1e-12)
        np.testing.assert_array_equal(one.shares, other.shares)
        assert np.isnan(other.largest_merged)


def test_cells_of_several_steps_are_means_over_their_rows(monkeypatch: pytest.MonkeyPatch):
    model, _ = drawn()
    rows = np.random.default_rng(1).normal(size=(2000, 4)).astype(np.float32).astype(np.float64)
    monkeypatch.setattr(_maps, "_CELLS", 4)
    monkeypatch.setattr(_maps, "_FEWEST_STEPS", 3)
    ex = explainer_of(model, rows)
    parts = ex.components(rows, 2)
    merged = 0
    for one in ex.report(rows).data.maps:
        sides = [(one.across, rows[:, int(one.across.feature[1])])]
        sides += [(one.up, rows[:, int(one.up.feature[1])])]
        places = [np.searchsorted(side.edges[1:-1], x, side="right") for side, x in sides]
        component = parts[one.across.feature, one.up.feature]
        for i, j in np.ndindex(one.shares.shape):
            here = (places[0] == i) & (places[1] == j)
            assert one.shares[i, j] == pytest.approx(here.mean())
            if here.any():
                assert one.cells[i, j, 0] == pytest.approx(component[here].mean(), abs=1e-8)
                assert np.ptp(component[here]) <= one.largest_merged + 1e-8
        merged += one.largest_merged > 0
    assert merged


def test_steps_of_rows_right_at_an_edge_can_be_seen():
    model = forest([Split(0, 0.0, -3.0, Split(0, 1.0, 0.0, 2.0))], 1)
    rows = np.repeat([[-1e-9], [0.5], [1.0]], 50, axis=0)
    (curve,) = explainer_of(model, rows).report(rows).data.curves
    assert curve.domain[0] < -0.02
    assert curve.domain[1] > 1.02
    beside = np.repeat([[0.2], [0.8]], 50, axis=0)
    (curve,) = explainer_of(model, rows).report(beside).data.curves
    assert curve.domain == (0.2, 0.8)


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_values_are_called_as_in_the_table(library: str):
    model = Forest.from_arrays(
        feature=[[0, 1, -1, -1, -1]],
        threshold=[[0.0, 2.5, 0, 0, 0]],
        left=[[1, 2, -1, -1, -1]],
        right=[[4, 3, -1, -1, -1]],
        value=[[0.0, 0, 1, 2, 5]],
        left_codes=[{0: [0]}],
        categories={"city": ["Rome", "Oslo"]},
        feature_names=["city", "size"],
    )
    columns = {"city": ["Rome", None, "Oslo", "Rome"], "size": [1, 2, 3, 4]}
    module = importlib.import_module(library)
    rows = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
    data = Explainer(model, rows, progress=False).report(rows, rows=[0, 1, 2, 3]).data
    found: dict[int, set[str]] = {}
    for story in data.stories:
        for bar in story.bars:
            found.setdefault(story.row, set()).update(bar.values)
    assert found == {0: {"Rome", "1"}, 1: {"missing", "2"}, 2: {"Oslo", "3"}, 3: {"Rome", "4"}}
