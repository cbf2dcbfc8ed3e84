"""Variance shares, models without some features, and the ranks of components."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fastpd import Explainer, FeatureError, MemoryLimitError, OptionError, vanilla
from fastpd.measures import Gaussian, Product
from oracles import Split, forest, oracle, path_forest, random_forest, rows_for

RNG = np.random.default_rng(11)
# Main effects of sex and age, and an interaction of both.
PAIR = forest(
    [Split(0, 0.5, 0.0, Split(1, 0.5, 0.0, 8.0)), Split(2, 0.5, 0.0, 2.0)],
    4,
    names=("sex", "age", "pay", "shoe"),
)
GRID = np.array([[a, b, c, 0.0] for a in (0, 1.0) for b in (0, 1.0) for c in (0, 1.0)])


@pytest.fixture(params=["one", "scalar", "vector"])
def outputs(request: pytest.FixtureRequest) -> str:
    return request.param


class TestVarianceShares:
    def test_by_hand(self):
        found = Explainer(PAIR, GRID).variance_shares()
        np.testing.assert_allclose(found.total, 13)
        assert found["age", "sex"] == pytest.approx(4 / 13)
        assert found["sex"] == found["age"] == pytest.approx(4 / 13)
        assert found["pay"] == pytest.approx(1 / 13)
        assert found.names[-1] == ("pay",)
        np.testing.assert_allclose(found.variance, found.share * 13)
        assert found.remainder_share == pytest.approx(0, abs=1e-9)

    @pytest.mark.parametrize("weighted", [False, True])
    @pytest.mark.parametrize("order", [1, 2, 4])
    def test_it_is_what_brute_force_says(self, outputs: str, order: int, weighted: bool):
        rng = np.random.default_rng(1)
        model = random_forest(rng, 4, 7, outputs=outputs)
        rows = rows_for(model, 40, rng)
        weights = rng.exponential(size=40) if weighted else None
        ex = Explainer(model, rows, weights=weights, precision="double")
        found = ex.variance_shares(max_order=order)
        parts = vanilla.components(oracle(model), rows, rows, weights)

        def cov(a: Any, b: Any) -> Any:
            a, b = (one - np.average(one, axis=0, weights=weights) for one in (a, b))
            return np.average(a * b, axis=0, weights=weights)

        f = np.sum(list(parts.values()), axis=0)
        for at, names in enumerate(found.names):
            part = parts[tuple(int(name[1:]) for name in names)]
            np.testing.assert_allclose(found.variance[at], cov(part, part), atol=1e-12)
            np.testing.assert_allclose(found.share[at], cov(part, f) / cov(f, f), atol=1e-12)
        rest = np.sum([np.zeros_like(f), *(m for s, m in parts.items() if len(s) > order)], axis=0)
        np.testing.assert_allclose(found.remainder_variance, cov(rest, rest), atol=1e-12)
        np.testing.assert_allclose(found.remainder_share, cov(rest, f) / cov(f, f), atol=1e-12)
        np.testing.assert_allclose(found.share.sum(axis=0) + found.remainder_share, 1)
        np.testing.assert_allclose(found.total, cov(f, f))

    def test_correlated_features_may_take_back(self):
        model = forest([Split(0, 0.5, 0.0, 3.0), Split(1, 0.5, 0.0, -1.0)], 2)
        found = Explainer(model, [[0.0, 0.0], [1.0, 1.0]]).variance_shares()
        assert found["x0"] == pytest.approx(1.5)
        assert found["x1"] == pytest.approx(-0.5)

    def test_a_prediction_that_does_not_vary_has_no_shares(self):
        found = Explainer(PAIR, GRID).variance_shares(GRID[:1])
        assert np.isnan(found.share).all()
        assert not found.variance.any()
        assert found.total == 0

    def test_an_output_that_does_not_vary_leaves_the_order_to_the_others(self):
        small, large = Split(0, 0.5, 0.0, 1.0), Split(1, 0.5, 0.0, 3.0)
        model = forest([small, large, 7.0], 2, n_outputs=2, tree_output=[0, 0, 1])
        found = Explainer(model, GRID[:, :2]).variance_shares()
        assert list(found) == [("x1",), ("x0",)]
        np.testing.assert_allclose(found["x1"], [0.9, np.nan])
        assert "90.00%" in repr(found)

    def test_a_model_that_tests_nothing(self):
        found = Explainer(forest([2.0], 1), [[0.0], [1.0]]).variance_shares()
        assert (len(found), found.total) == (0, 0)
        assert "(more than 2 features)" in repr(found)

    def test_the_remainder_is_a_row_of_its_own(self):
        found = Explainer(PAIR, GRID).variance_shares(max_order=1)
        frame = found.to_frame("polars")
        assert frame["features"].to_list()[-1] == "(more than 1 features)"
        assert frame["order"].to_list() == [1, 1, 1, None]
        assert frame["share"].sum() == pytest.approx(1)
        assert repr(found).splitlines()[-1].split()[0] == "30.77%"
        assert "(more than 1 features)" in found._repr_html_()

    def test_long_lists_are_cut_but_for_the_remainder(self):
        model = path_forest(8)
        lines = repr(Explainer(model, rows_for(model, 20, RNG)).variance_shares()).splitlines()
        assert lines[-2] == "... and 16 more"
        assert "more than 2 features" in lines[-1]


class TestWithout:
    def test_by_hand(self):
        fair = Explainer(PAIR, GRID).without("sex")
        np.testing.assert_allclose(fair.predict(GRID[:4]), [0, 2, 4, 6], atol=1e-7)
        np.testing.assert_allclose(fair.removed(GRID[4:]), [0, 0, 4, 4], atol=1e-7)
        found = fair.summary()
        assert found.share == pytest.approx(8 / 13)
        assert found.mean_change == pytest.approx(2)
        assert found.largest_change == pytest.approx(4)
        assert (fair.features, fair.kept) == (("sex",), ("age", "pay", "shoe"))
        assert repr(fair) == "<Without sex: 3 of 4 features kept, identity scale>"
        assert "61.54% of the variance removed, mean change 2, largest 4" in repr(found)

    @pytest.mark.parametrize("removed", [["x1"], ["x3", "x0"], [0, 1, 2]])
    def test_removed_are_all_components_that_touch(self, outputs: str, removed: list[Any]):
        rng = np.random.default_rng(3)
        model = random_forest(rng, 4, 7, outputs=outputs)
        background, rows = rows_for(model, 30, rng), rows_for(model, 9, rng)
        weights = rng.exponential(size=30)
        ex = Explainer(model, background, weights=weights, precision="double")
        fair = ex.without(removed)
        parts = vanilla.components(oracle(model), background, rows, weights)
        gone = {int(str(one)[-1]) for one in removed}
        kept = np.sum([m for s, m in parts.items() if not gone & set(s)], axis=0)
        np.testing.assert_allclose(fair.predict(rows), kept, atol=1e-12)
        np.testing.assert_allclose(fair.removed(rows), ex.predict(rows) - kept, atol=1e-12)
        whole = ex.variance_shares(rows, max_order=4)
        names = {f"x{k}" for k in gone}
        touching = [at for at, one in enumerate(whole.names) if names & set(one)]
        shares = whole.share[touching].sum(axis=0)
        np.testing.assert_allclose(fair.summary(rows).share, shares, atol=1e-9)

    def test_its_summary_is_weighted_as_the_background_is(self):
        ex = Explainer(PAIR, GRID, weights=[1, 1, 1, 1, 1, 1, 3, 3.0], precision="double")
        fair = ex.without("sex")
        shares = np.array([1, 1, 1, 1, 1, 1, 3, 3]) / 12
        assert fair.summary().mean_change == pytest.approx(abs(fair.removed(GRID)) @ shares)

    def test_it_keeps_to_the_background_of_its_making(self):
        ex = Explainer(PAIR, GRID)
        fair = ex.without("sex")
        before = fair.summary()
        ex.update(GRID[:1])
        assert fair.summary() is not before
        assert fair.summary().n_rows == before.n_rows == 8

    def test_a_group_goes_as_one(self):
        ex = Explainer(PAIR, GRID, groups={"who": ["sex", "age"]})
        expected = Explainer(PAIR, GRID).without(["sex", "age"]).predict(GRID)
        np.testing.assert_allclose(ex.without("who").predict(GRID), expected, atol=1e-9)

    def test_features_in_no_tree_take_nothing(self):
        fair = Explainer(PAIR, GRID, precision="double").without("shoe")
        np.testing.assert_allclose(fair.removed(GRID), 0, atol=1e-12)
        assert fair.summary().share == pytest.approx(0, abs=1e-12)

    def test_probabilities_are_means_over_the_background(self):
        xgboost = pytest.importorskip("xgboost")
        X = RNG.normal(size=(60, 3))
        data = xgboost.DMatrix(X, X[:, 0] * X[:, 1] > 0, feature_names=["a", "b", "c"])
        model = xgboost.train({"objective": "binary:logistic", "max_depth": 3}, data, 5)
        ex = Explainer(model, X)
        found = ex.without("b").predict(X[:5], scale="probability")
        expected = ex.value(("a", "c"), X[:5], scale="probability")
        np.testing.assert_array_equal(found, expected)
        with pytest.raises(OptionError, match="scale is 'response'"):
            ex.without("b").predict(X, scale="response")

    def test_deep_leaves_are_as_exact_or_refused_in_words(self):
        model = path_forest(9, n_trees=2)
        rows = rows_for(model, 15, RNG)
        fair = Explainer(model, rows, precision="double").without(["x2", "x5"])
        kept = [k for k in range(9) if k not in (2, 5)]
        expected = vanilla.value(oracle(model), rows, rows, kept)
        np.testing.assert_allclose(fair.predict(rows), expected, atol=1e-11)
        deep = path_forest(30, n_trees=2)
        tight = Explainer(deep, rows_for(deep, 4000, RNG), memory_limit=300_000)
        with pytest.raises(MemoryLimitError, match=r"the prediction without x3 needs.*300,000"):
            tight.without("x3").predict(rows_for(deep, 2, RNG))

    def test_other_measures(self):
        product = Explainer(PAIR, measure=Product(GRID)).without("sex")
        np.testing.assert_allclose(product.predict(GRID[:4]), [0, 2, 4, 6], atol=1e-7)
        assert product.summary().n_rows == 8
        gaussian = Explainer(PAIR, measure=Gaussian(np.zeros(4), np.eye(4))).without("sex")
        assert gaussian.summary(GRID).n_rows == 8
        with pytest.raises(OptionError, match=r"no rows to average over.*summary\(X\)"):
            gaussian.summary()

    def test_none_and_one_row(self):
        fair = Explainer(PAIR, GRID).without("sex")
        assert fair.predict(GRID[:0]).shape == (0,)
        assert np.isnan(fair.summary(GRID[:1]).share)
        with pytest.raises(OptionError, match="X has no rows"):
            fair.summary(GRID[:0])

    def test_its_summary_is_a_table(self, outputs: str):
        model = random_forest(np.random.default_rng(0), 3, outputs=outputs)
        ex = Explainer(model, rows_for(model, 20, RNG))
        found = ex.without("x0").summary()
        frame = found.to_frame("pandas")
        assert list(frame["output"]) == list(ex.output_names)
        assert len(repr(found).splitlines()) == 1 + len(ex.output_names)
        assert found.features == ("x0",)
        assert "Without x0" in found._repr_html_()

    @pytest.mark.parametrize(
        ("features", "error", "words"),
        [
            ([], OptionError, "no features"),
            (["sex", "age", "pay", "shoe"], OptionError, r"all 4 features.*expected_value"),
            (["sexx"], FeatureError, "Did you mean 'sex'"),
            (["sex", 0], FeatureError, "twice"),
            (9, FeatureError, "out of range"),
            (None, FeatureError, "NoneType"),
        ],
    )
    def test_what_it_refuses(self, features: Any, error: type[Exception], words: str):
        with pytest.raises(error, match=words):
            Explainer(PAIR, GRID).without(features)


class TestImportance:
    def test_shares_and_ranks(self):
        found = Explainer(PAIR, GRID).importance()
        assert found.shares.sum() == pytest.approx(1)
        assert found.rank("pay") == 4
        assert [found.rank(one) for one in found] == [1, 2, 3, 4]
        with pytest.raises(FeatureError, match="Did you mean 'pay'"):
            found.rank("pays")

    def test_of_one_order(self):
        model = random_forest(np.random.default_rng(2), 5, outputs="vector")
        whole = Explainer(model, rows_for(model, 30, RNG)).importance(max_order=3)
        for order in (1, 2, 3):
            part = whole.of_order(order)
            assert part.names == tuple(one for one in whole if len(one) == order)
            assert all((part[one] == whole[one]).all() for one in part)
        assert len(whole.of_order(4)) == 0

    def test_shares_of_nothing_are_zero(self):
        ex = Explainer(forest([Split(0, 0.5, 1.0, 2.0)], 1), [[0.0], [0.25]])
        assert ex.importance().shares.tolist() == [0.0]


class TestTopInteractions:
    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_they_are_the_first_of_all(self, outputs: str, order: int):
        model = random_forest(np.random.default_rng(5), 6, 9, outputs=outputs)
        weights = RNG.exponential(size=40)
        ex = Explainer(model, rows_for(model, 40, RNG), weights=weights, precision="double")
        whole = ex.importance(max_order=order).of_order(order)
        found = ex.top_interactions(4, order)
        assert found.names == whole.names[:4]
        np.testing.assert_allclose(found.scores, whole.scores[:4], rtol=1e-12)
        assert found.max_order == order

    def test_over_rows(self):
        found = Explainer(PAIR, GRID).top_interactions(X=GRID[:1])
        assert list(found.items()) == [(("sex", "age"), pytest.approx(2))]

    def test_there_may_be_fewer_or_none(self):
        ex = Explainer(PAIR, GRID)
        assert len(ex.top_interactions(100, 1)) == 3
        assert len(ex.top_interactions(order=3)) == 0

    def test_hundreds_of_features(self):
        model = random_forest(np.random.default_rng(0), 500, 60, depth=5)
        ex = Explainer(model, rows_for(model, 200, RNG, edges=False), precision="double")
        found = ex.top_interactions(5, order=3)
        whole = ex.components(rows_for(model, 0, RNG), max_order=3)
        assert len([one for one in whole if len(one) == 3]) > 1000
        assert found.names == ex.importance(max_order=3).of_order(3).names[:5]

    @pytest.mark.parametrize("options", [{"k": 0}, {"k": 1.5}, {"order": 0}, {"X": GRID[:0]}])
    def test_what_it_refuses(self, options: dict[str, Any]):
        with pytest.raises(OptionError):
            Explainer(PAIR, GRID).top_interactions(**options)
