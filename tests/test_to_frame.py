"""Answers as tables, in the frame library that rows came in."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from fastpd import Explainer, FeatureError, MissingPackageError, OptionError, results
from fastpd.forest import Categories
from fastpd.measures import Gaussian, Path, Product
from oracles import Split, forest, random_forest

NAMES = ("age", "sex", "height")
MODEL = forest(
    [Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0)), Split(2, 0.25, 1.0, 2.0, missing="right")],
    3,
    names=NAMES,
)
ROWS = np.array([[0, 0, 0], [0, 1, 0.5], [1, 0, np.nan], [1, 1.0, 1.0]])
SEVERAL = random_forest(np.random.default_rng(0), 3, outputs="vector")

LIBRARIES: dict[str, tuple[type, Callable[[Any], Any]]] = {
    "pandas": (pd.DataFrame, lambda rows: pd.DataFrame(rows, columns=NAMES)),
    "polars": (pl.DataFrame, lambda rows: pl.DataFrame(rows, schema=list(NAMES))),
    "pyarrow": (pa.Table, lambda rows: pa.table(dict(zip(NAMES, rows.T, strict=True)))),
}


@pytest.fixture(scope="module")
def ex() -> Explainer:
    return Explainer(MODEL, ROWS, precision="double")


def answers(ex: Explainer, rows: Any) -> dict[str, Any]:
    return {
        "shap": ex.shap(rows),
        "components": ex.components(rows),
        "shap of components": ex.components(rows).shap(),
        "interactions": ex.interactions(rows),
        "effect": ex.effect("age"),
        "effect of two": ex.effect("age", "sex"),
        "errors of an effect": ex.standard_errors(2).effect("age"),
        "importance": ex.importance(rows),
        "importance of components": ex.components(rows).importance(),
        "importance over the background": ex.importance(),
        "adequacy": ex.adequacy(rows, folds=2),
        "plan": ex.plan(),
    }


def columns_of(frame: Any) -> dict[str, list[Any]]:
    return nw.from_native(frame, eager_only=True).to_dict(as_series=False)


@pytest.mark.parametrize("library", LIBRARIES)
class TestLibraries:
    def test_answers_go_back_where_rows_came_from(self, library: str):
        kind, make = LIBRARIES[library]
        rows = make(ROWS)
        for what, answer in answers(Explainer(MODEL, rows), rows).items():
            assert isinstance(answer.to_frame(), kind), what

    def test_or_where_they_are_asked_to_go(self, ex: Explainer, library: str):
        kind, _ = LIBRARIES[library]
        for what, answer in answers(ex, ROWS).items():
            frame = answer.to_frame(backend=library)
            assert isinstance(frame, kind), what
            assert columns_of(frame).keys() == columns_of(answer.to_frame()).keys()

    def test_arrays_go_where_the_background_came_from(self, library: str):
        kind, make = LIBRARIES[library]
        ex = Explainer(MODEL, make(ROWS))
        assert isinstance(ex.shap(ROWS).to_frame(), kind)
        assert isinstance(ex.importance(ROWS).to_frame(), kind)

    def test_batches_of_a_background_count_as_one(self, library: str):
        kind, make = LIBRARIES[library]
        ex = Explainer(MODEL, (make(part) for part in np.split(ROWS, 2)))
        assert isinstance(ex.effect("age").to_frame(), kind)

    def test_backgrounds_that_are_merged_or_added_count_as_well(self, library: str):
        kind, make = LIBRARIES[library]
        merged, updated = Explainer(MODEL), Explainer(MODEL)
        merged.merge(Explainer(MODEL, make(ROWS)))
        updated.update(make(ROWS))
        for ex in (merged, updated):
            assert isinstance(ex.effect("age").to_frame(), kind)
            assert isinstance(ex.shap(ROWS).to_frame(), kind)


class TestArrays:
    @pytest.mark.parametrize("there", [("pandas", "polars"), ("polars",), ("pyarrow",)])
    def test_they_go_to_the_first_library_there_is(
        self, ex: Explainer, there: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ):
        find = importlib.util.find_spec
        monkeypatch.setattr(
            importlib.util,
            "find_spec",
            lambda name: find(name) if name in there or name not in LIBRARIES else None,
        )
        assert isinstance(ex.shap(ROWS).to_frame(), LIBRARIES[there[0]][0])

    def test_without_any_the_message_says_what_to_install(
        self, ex: Explainer, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
        with pytest.raises(MissingPackageError, match="pip install pandas"):
            ex.shap(ROWS).to_frame()

    def test_a_library_that_is_not_there_is_named(
        self, ex: Explainer, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setitem(sys.modules, "polars", None)
        with pytest.raises(MissingPackageError, match="pip install polars"):
            ex.shap(ROWS).to_frame("polars")

    @pytest.mark.parametrize("backend", ["panda", 3, pd, ["pandas"]])
    def test_other_libraries_are_refused(self, ex: Explainer, backend: Any):
        with pytest.raises(OptionError, match="expected 'pandas', 'polars' or 'pyarrow'"):
            ex.shap(ROWS).to_frame(backend)


class TestRows:
    @pytest.mark.parametrize("index", [["d", "b", "b", "a"], [7, 5, 3, 1], pd.RangeIndex(4)])
    def test_pandas_rows_keep_their_labels(self, ex: Explainer, index: Any):
        table = pd.DataFrame(ROWS, columns=NAMES, index=index)
        for answer in (ex.shap(table), ex.components(table), ex.interactions(table)):
            frame = answer.to_frame()
            assert frame.index.equals(table.index)
            assert len(answer.to_frame("polars")) == 4
        np.testing.assert_array_equal(ex.shap(table).to_frame(), ex.shap(ROWS).values)

    def test_so_do_those_that_go_through_a_pipeline(self):
        table = pd.DataFrame(np.nan_to_num(ROWS), columns=NAMES, index=list("dcba"))
        steps = make_pipeline(StandardScaler(), RandomForestRegressor(3, random_state=0))
        ex = Explainer(steps.fit(table, ROWS[:, 0]), table)
        assert list(ex.shap(table).to_frame().index) == list("dcba")

    def test_columns_are_the_answer(self, ex: Explainer):
        phi, parts, pairs = ex.shap(ROWS), ex.components(ROWS), ex.interactions(ROWS)
        assert list(phi.to_frame("pandas")) == list(NAMES)
        assert list(parts.to_frame("pandas")) == ["age", "sex", "height", "age x sex"]
        np.testing.assert_array_equal(phi.to_frame("pandas"), phi.values)
        np.testing.assert_array_equal(parts.to_frame("pandas"), parts.array)
        np.testing.assert_array_equal(pairs.to_frame("pandas"), pairs.array)

    def test_parts_of_shap_values_add_up(self, ex: Explainer):
        table = pd.DataFrame(ROWS, columns=NAMES, index=list("dbca"))
        frame = ex.shap_parts("age", table).to_frame()
        assert list(frame) == ["shap", "main", "with sex", "higher"]
        assert list(frame.index) == list("dbca")
        np.testing.assert_allclose(frame["shap"], frame.drop(columns="shap").sum(axis=1))

    def test_several_outputs_have_a_column_each(self):
        ex = Explainer(SEVERAL, ROWS)
        phi, parts = ex.shap(ROWS), ex.components(ROWS)
        frame = phi.to_frame("polars")
        assert frame.columns[:4] == ["x0 [y0]", "x0 [y1]", "x0 [y2]", "x1 [y0]"]
        np.testing.assert_array_equal(frame["x1 [y0]"], phi.values[:, 1, 0])
        frame = parts.to_frame("polars")
        np.testing.assert_array_equal(
            frame[" x ".join(parts.names[-1]) + " [y2]"], parts.array[:, -1, 2]
        )

    def test_groups_are_one_column(self):
        ex = Explainer(MODEL, ROWS, groups={"body": ["age", "height"]})
        assert list(ex.shap(ROWS).to_frame("pandas")) == ["body", "sex"]
        assert "body x sex" in ex.components(ROWS).to_frame("pandas")

    def test_there_may_be_one_row_or_none(self, ex: Explainer):
        for n in (0, 1):
            for library, (_, make) in LIBRARIES.items():
                found = ex.shap(make(ROWS[:n])).to_frame()
                assert len(found) == n, library

    def test_titles_that_read_the_same_are_refused(self):
        tree = Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, Split(2, 0.5, 0, 1.0)))
        model = forest([tree], 3, names=["a", "b", "a x b"])
        table = pd.DataFrame(ROWS, columns=model.feature_names)
        ex = Explainer(model, np.tile(ROWS, (2, 1)))
        for answer in (ex.components(table), ex.importance(table), ex.adequacy(table, folds=2)):
            with pytest.raises(FeatureError, match="would be called 'a x b'"):
                answer.to_frame()

    def test_other_measures_have_the_library_of_their_rows(self):
        rows = LIBRARIES["polars"][1](ROWS)
        for measure in (Path(rows), Product(rows)):
            frame = Explainer(MODEL, measure=measure).effect("age").to_frame()
            assert isinstance(frame, pl.DataFrame)
        without_rows = Explainer(MODEL, measure=Gaussian(np.zeros(3), np.eye(3)))
        assert isinstance(without_rows.effect("age").to_frame(), pd.DataFrame)
        assert isinstance(without_rows.shap(rows).to_frame(), pl.DataFrame)


class TestEffects:
    def test_a_row_is_a_step(self, ex: Explainer):
        frame = ex.effect("height").to_frame("pandas")
        assert list(frame) == ["from", "to", "missing", "pd", "component"]
        np.testing.assert_array_equal(frame["from"], [-np.inf, 0.25, np.nan])
        np.testing.assert_array_equal(frame["to"], [0.25, np.inf, np.nan])
        np.testing.assert_array_equal(frame["missing"], [False, False, True])
        np.testing.assert_array_equal(frame["pd"], [3.0, 4.0, 4.0])
        np.testing.assert_allclose(frame["component"], [-0.75, 0.25, 0.25])

    def test_pairs_have_all_steps_of_both(self, ex: Explainer):
        effect = ex.effect("age", "sex")
        frame = effect.to_frame("pandas")
        titles = [f"{name} {end}" for name in ("age", "sex") for end in ("from", "to", "missing")]
        assert list(frame) == [*titles, "pd", "component"]
        assert len(frame) == 9
        inside = frame[~(frame["age missing"] | frame["sex missing"])]
        values = [inside[f"{name} to"].replace(np.inf, 9) - 0.1 for name in ("age", "sex")]
        np.testing.assert_array_equal(effect.pd(*values), inside["pd"])
        np.testing.assert_array_equal(effect.component(*values), inside["component"])

    def test_several_outputs_have_a_column_each(self):
        frame = Explainer(SEVERAL, ROWS).effect("x0").to_frame("pandas")
        assert list(frame)[3:] == [
            f"{what} [y{k}]" for what in ("pd", "component") for k in range(3)
        ]

    @pytest.mark.parametrize("labels", [("red", "blue", "green"), (1, "two", 3.5), (3, 2, 1)])
    def test_categories_have_their_labels(self, labels: tuple[Any, ...]):
        effect = coloured(Categories(labels)).effect("colour")
        for library in LIBRARIES:
            found = columns_of(effect.to_frame(library))
            assert list(found) == ["label", "missing", "pd", "component"]
            known = [
                str(one) if len({type(label) for label in labels}) > 1 else one for one in labels
            ]
            assert found["label"][:3] == known
            assert found["missing"] == [False, False, False, True]
            assert found["pd"] == [1.0, 2.0, 2.0, 5.0]

    def test_a_missing_label_may_be_a_category_of_its_own(self):
        effect = coloured(Categories(("red", "blue", "nan"), null=1.0)).effect("colour")
        assert columns_of(effect.to_frame())["pd"][-1] == 2.0

    def test_there_is_no_missing_step_where_that_is_refused(self):
        labelled = coloured(Categories(("red", "blue", "green"), null=None)).effect("colour")
        assert columns_of(labelled.to_frame())["missing"] == [False, False, False]
        steps = GradientBoostingRegressor().fit([[0.0], [1.0]], [0.0, 1.0])
        frame = Explainer(steps, [[0.0], [1.0]]).effect(0).to_frame("pandas")
        assert not frame["missing"].any()


def coloured(categories: Categories) -> Explainer:
    model = forest(
        [Split(0, 0.5, 1.0, Split(0, 99.0, 2.0, 5.0, missing="right"), missing="right")], 1
    )
    model = replace(model, feature_names=("colour",), categories=(categories,))
    return Explainer(model, np.array([[0.0], [1.0]]), precision="double")


class TestSummaries:
    def test_importance_is_ranked(self, ex: Explainer):
        ranked = ex.importance(ROWS)
        found = columns_of(ranked.to_frame("polars"))
        assert list(found) == ["rank", "features", "order", "importance"]
        assert found["rank"] == [1, 2, 3, 4]
        assert found["features"] == [" x ".join(one) for one in ranked.names]
        assert found["order"] == [len(one) for one in ranked.names]
        assert found["importance"] == ranked.scores.tolist()

    def test_of_several_outputs_each_has_its_own(self):
        frame = Explainer(SEVERAL, ROWS).importance(ROWS).to_frame("pandas")
        assert list(frame)[3:] == ["importance [y0]", "importance [y1]", "importance [y2]"]
        check = Explainer(SEVERAL, ROWS).adequacy(ROWS, folds=2)
        frame = check.to_frame("pandas")
        np.testing.assert_array_equal(frame["change [y1]"], check.change[:, 1])

    def test_adequacy_has_its_three_numbers(self, ex: Explainer):
        check = ex.adequacy(ROWS, folds=2)
        frame = check.to_frame("pandas")
        assert list(frame["features"]) == [" x ".join(one) for one in check.names]
        np.testing.assert_array_equal(frame["standard error"], check.standard_error)

    def test_a_plan_is_one_row(self, ex: Explainer):
        plan = ex.plan()
        found = columns_of(plan.to_frame())
        assert found["n_trees"] == [2]
        assert found["deep_order"] == [None]
        assert "library" not in found
        assert "library" not in repr(plan)

    def test_a_model_that_tests_nothing_has_no_parts(self):
        ex = Explainer(forest([3.0], 1), [[0.0]])
        assert len(ex.importance().to_frame()) == 0
        assert len(ex.components([[0.0]]).to_frame().columns) == 0
        assert ex.effect(0).to_frame("pandas")["pd"].tolist() == [3.0, 3.0]


def test_all_answers_are_tables():
    for name in results.__all__:
        assert {"to_frame", "_repr_html_"} <= set(dir(getattr(results, name))), name
