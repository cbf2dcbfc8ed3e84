"""Other measures than a background, each against a definition that shares no code with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import chain, combinations, product
from math import comb
from typing import Any

import numpy as np
import pytest

import fastpd
from fastpd import BackgroundError, Explainer, Forest, MergeError, ModelError, OptionError, vanilla
from fastpd.measures import Gaussian, Path, Product
from oracles import (
    Floats,
    Split,
    forest,
    oracle,
    path_forest,
    predict_forest,
    random_forest,
    rows_for,
)

Subset = tuple[int, ...]
Games = dict[Subset, Floats]
CLOSE: dict[str, Any] = {"rtol": 0, "atol": 1e-11}
INDICES = ("SII", "STII", "FSII", "BII", "Moebius")


def subsets(players: Any) -> list[Subset]:
    given = tuple(players)
    return list(chain.from_iterable(combinations(given, k) for k in range(len(given) + 1)))


def with_covers(model: Forest, seed: int = 0) -> Forest:
    """Draw covers such that children share what their parent has."""
    rng = np.random.default_rng(seed)
    cover = np.zeros(len(model.feature))
    cover[model.roots] = 100.0
    for node in range(len(model.feature)):  # parents stand before their children
        if model.feature[node] >= 0:
            share = rng.uniform(0.1, 0.9)
            cover[model.left[node]] = share * cover[node]
            cover[model.right[node]] = (1 - share) * cover[node]
    return replace(model, cover=cover)


def counted(model: Forest, rows: Floats, weights: Floats | None = None) -> Forest:
    """Return a forest whose covers are the weight of the rows that reach its nodes."""
    cover = np.zeros(len(model.feature))
    for root in model.roots:
        for row, weight in zip(
            rows, np.ones(len(rows)) if weights is None else weights, strict=True
        ):
            node = int(root)
            cover[node] += weight
            while model.feature[node] >= 0:
                node = step(model, node, row)
                cover[node] += weight
    return replace(model, cover=cover)


def step(model: Forest, node: int, row: Floats) -> int:
    """Return where a single row goes, as a stump made of the node predicts."""
    stump = replace(
        forest([Split(0, 0.0, 0.0, 1.0)], model.n_features),
        feature=np.array([model.feature[node], -1, -1], np.int32),
        threshold=np.array([model.threshold[node], 0.0, 0.0]),
        default_left=np.array([model.default_left[node], False, False]),
        missing=model.missing,
        comparison=model.comparison,
        splits=model.splits.renumbered(
            np.zeros(len(model.feature), int), np.arange(len(model.feature)) == node
        ),
    )
    right = predict_forest(stump, row[None, :])[0] > 0
    return int(model.right[node] if right else model.left[node])


def path_games(model: Forest, rows: Floats) -> Games:
    """Friedman's traversal: a held feature decides, at others both children count by cover."""
    games = {s: np.full(len(rows), model.base[0]) for s in subsets(range(model.n_features))}
    for s, root, (k, row) in product(games, model.roots.tolist(), enumerate(rows)):
        waiting = [(root, 1.0)]
        while waiting:
            node, weight = waiting.pop()
            if model.feature[node] < 0:
                games[s][k] += weight * model.value[node, 0]
            elif model.feature[node] in s:
                waiting.append((step(model, node, row), weight))
            else:
                sides = model.left[node], model.right[node]
                total = model.cover[sides[0]] + model.cover[sides[1]]
                waiting += [(int(side), weight * model.cover[side] / total) for side in sides]
    return games


def components_of(games: Games) -> Games:
    return {s: sum((-1) ** (len(s) - len(t)) * games[t] for t in subsets(s)) for s in games}  # type: ignore[misc]


def index_of(games: Games, index: str, order: int) -> Games:
    """Sum the components of supersets by the weights that define each index."""
    parts = components_of(games)

    def weight(size: int, u: int) -> float:
        if index == "SII":
            return 1 / (u - size + 1)
        if index == "BII":
            return 0.5 ** (u - size)
        if index == "STII" and size == order:
            return 1 / comb(u, order)
        if index == "FSII" and u > order:
            sign = (-1) ** (order - size)
            lead = sign * size / (order + size) * comb(order, size)
            return lead * comb(u - 1, order) / comb(u + order - 1, order + size)
        return float(u == size)

    return {
        s: sum(weight(len(s), len(u)) * parts[u] for u in parts if set(s) <= set(u))
        for s in parts
        if 1 <= len(s) <= order
    }  # type: ignore[misc]


def check(ex: Explainer, games: Games, rows: Floats) -> None:
    """Hold values, components, SHAP values and indices against the games."""
    sets = list(games)
    np.testing.assert_allclose(ex.value(sets, rows), np.stack(list(games.values()), 1), **CLOSE)
    np.testing.assert_allclose(ex.expected_value, games[()][0], **CLOSE)
    d = len(ex.feature_names)
    parts, found = components_of(games), ex.components(rows, max_order=d)
    for s in sets:
        key = tuple(ex.feature_names[k] for k in s)
        if key in found:
            np.testing.assert_allclose(found[key], parts[s], **CLOSE)
        elif s:
            np.testing.assert_allclose(parts[s], 0, **CLOSE)
    shap = index_of(games, "SII", 1)
    expected = np.stack([shap[(k,)] for k in range(d)], 1)
    np.testing.assert_allclose(ex.shap(rows).values, expected, **CLOSE)
    for index in INDICES:
        answer = ex.interactions(rows, order=2, index=index)
        for s, part in index_of(games, index, 2).items():
            key = tuple(ex.feature_names[k] for k in s)
            if key in answer:
                np.testing.assert_allclose(answer[key], part, **CLOSE)
            else:
                np.testing.assert_allclose(part, 0, **CLOSE)


MODELS: dict[str, Callable[[], Forest]] = {
    "numbers": lambda: random_forest(np.random.default_rng(1), 3, 3),
    "categories": lambda: random_forest(np.random.default_rng(2), 3, 3, categories=5),
    "float64 and a missing number": lambda: random_forest(
        np.random.default_rng(3), 3, 2, comparison="float64", missing=-0.5
    ),
    "deep leaves": lambda: path_forest(9, seed=4),
}
MODEL = pytest.mark.parametrize("make", MODELS.values(), ids=MODELS.keys())


class TestPath:
    @MODEL
    def test_covers_of_the_model(self, make: Callable[[], Forest]):
        model = with_covers(make())
        rows = rows_for(model, 4, np.random.default_rng(0))
        check(Explainer(model, measure=Path(), precision="double"), path_games(model, rows), rows)

    @MODEL
    def test_covers_counted_anew(self, make: Callable[[], Forest]):
        model = make()
        rng = np.random.default_rng(1)
        data = rows_for(model, 3000 if model.n_features == 9 else 400, rng)
        weights = rng.exponential(size=len(data))
        recounted = counted(model, data, weights)
        if np.any((recounted.cover == 0) & ~model.is_leaf):
            with pytest.raises(BackgroundError, match="no row reaches some node"):
                Explainer(model, measure=Path(data, weights))
            return
        rows = rows_for(model, 3, rng)
        ex = Explainer(model, measure=Path(data, weights), precision="double")
        check(ex, path_games(recounted, rows), rows)

    def test_a_fully_grown_example_is_reached_everywhere(self):
        model = forest([Split(0, 0.0, Split(1, 0.0, 1.0, 2.0), Split(1, 1.0, 3.0, 5.0))], 2)
        data = np.array([[-1.0, -1], [-1, 1], [1, 0], [1, 2], [1, 3]])
        rows = np.array([[-1.0, 2.0], [3.0, 0.5]])
        ex = Explainer(model, measure=Path(data), precision="double")
        check(ex, path_games(counted(model, data), rows), rows)
        assert ex.n_background == 5

    def test_nodes_that_no_row_reaches_are_refused(self):
        model = forest([Split(0, 0.0, Split(1, 0.0, 1.0, 2.0), 3.0)], 2)
        with pytest.raises(
            BackgroundError, match=r"no row reaches some node.*Path\(cover='model'\)"
        ):
            Explainer(model, measure=Path(np.array([[1.0, 1.0]])))

    def test_models_that_keep_no_covers_are_refused(self):
        model = random_forest(np.random.default_rng(1))
        model = replace(model, cover=np.zeros(len(model.feature)))
        with pytest.raises(ModelError, match=r"Count rows instead: Path\(data\)"):
            Explainer(model, measure=Path(cover="model"))

    def test_rows_in_batches_and_merged(self):
        model = random_forest(np.random.default_rng(5), 3, 2, stop=0.5)
        data = rows_for(model, 600, np.random.default_rng(0))
        whole = Explainer(model, measure=Path(data))
        batches = Explainer(model, measure=Path(iter([data[:300], data[300:]])))
        one, other = (Explainer(model, measure=Path(data[k::2])) for k in range(2))
        one.merge(other)
        for ex in (batches, one):
            np.testing.assert_array_equal(whole.shap(data[:9]).values, ex.shap(data[:9]).values)

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"cover": "rows"}, "expected 'model'"),
            ({"data": np.ones((1, 2)), "cover": "model"}, "expected one of the two"),
            ({"weights": np.ones(3)}, "weights without rows"),
        ],
    )
    def test_options_are_checked(self, options: dict[str, Any], said: str):
        with pytest.raises(OptionError, match=said):
            Path(**options)


class TestPathOfLibraries:
    @pytest.mark.parametrize("objective", ["reg:squarederror", "binary:logistic"])
    def test_is_what_xgboost_contributes(self, objective: str):
        xgb = pytest.importorskip("xgboost")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(500, 5)).astype(np.float32)
        X[rng.random(X.shape) < 0.1] = np.nan
        y = (np.nansum(X[:, :2], axis=1) * np.nan_to_num(X[:, 2]) > 0).astype(float)
        params = {"objective": objective, "max_depth": 4, "nthread": 1}
        booster = xgb.train(params, xgb.DMatrix(X, y), 20)
        ex = Explainer(booster, measure=Path())
        expected = booster.predict(xgb.DMatrix(X), pred_contribs=True)
        np.testing.assert_allclose(ex.shap(X).values, expected[:, :-1], atol=3e-6)
        np.testing.assert_allclose(ex.expected_value, expected[0, -1], atol=3e-6)
        pairs = booster.predict(xgb.DMatrix(X[:50]), pred_interactions=True)
        found = ex.interactions(X[:50], order=2, index="SII")
        for a, b in combinations(range(5), 2):
            if (key := (f"f{a}", f"f{b}")) in found:
                np.testing.assert_allclose(found[key] / 2, pairs[:, a, b], atol=3e-6)

    def test_is_what_lightgbm_contributes(self):
        lgb = pytest.importorskip("lightgbm")
        rng = np.random.default_rng(0)
        X = rng.normal(size=(600, 5))
        X[rng.random(X.shape) < 0.1] = np.nan
        y = np.nansum(X[:, :2], axis=1) * np.nan_to_num(X[:, 2])
        params = {"num_leaves": 12, "num_threads": 1, "verbose": -1}
        booster = lgb.train(params, lgb.Dataset(X, y), 20)
        expected = booster.predict(X, pred_contrib=True)
        ex = Explainer(booster, measure=Path(cover="model"))
        np.testing.assert_allclose(ex.shap(X).values, expected[:, :-1], atol=1e-6)
        np.testing.assert_allclose(ex.expected_value, expected[0, -1], atol=1e-6)

    def test_is_what_shap_finds_along_the_paths(self):
        shap = pytest.importorskip("shap")
        xgb = pytest.importorskip("xgboost")
        X = np.random.default_rng(0).normal(size=(400, 4)).astype(np.float32)
        params = {"max_depth": 4, "nthread": 1}
        booster = xgb.train(params, xgb.DMatrix(X, X[:, 0] * X[:, 1] + X[:, 2]), 20)
        theirs = shap.TreeExplainer(booster, feature_perturbation="tree_path_dependent")
        ex = Explainer(booster, measure=Path())
        np.testing.assert_allclose(ex.shap(X).values, theirs.shap_values(X), atol=3e-6)
        pairs = theirs.shap_interaction_values(X[:50])
        found = ex.interactions(X[:50], order=2, index="SII")
        for a, b in combinations(range(4), 2):
            np.testing.assert_allclose(found[f"f{a}", f"f{b}"] / 2, pairs[:, a, b], atol=3e-6)


class TestProduct:
    @pytest.mark.parametrize("name", [name for name in MODELS if name != "deep leaves"])
    def test_is_the_background_of_all_combinations(self, name: str):
        model = MODELS[name]()
        rng = np.random.default_rng(2)
        data, weights = rows_for(model, 4, rng), rng.exponential(size=4)
        rows = rows_for(model, 5, rng)
        places = np.array(list(product(range(4), repeat=model.n_features)))
        every = np.take_along_axis(data, places, axis=0)
        shares = weights[places].prod(axis=1)
        games = {
            s: vanilla.value(oracle(model), every, rows, s, shares)
            for s in subsets(range(model.n_features))
        }
        ex = Explainer(model, measure=Product(data, weights), precision="double")
        check(ex, games, rows)

    def test_deep_leaves(self):
        model = path_forest(9, seed=6)
        rng = np.random.default_rng(2)
        data, rows = rows_for(model, 2, rng), rows_for(model, 3, rng)
        places = np.array(list(product(range(2), repeat=9)))
        every = np.take_along_axis(data, places, axis=0)
        ex = Explainer(model, measure=Product(data), precision="double")
        expected = vanilla.shap(oracle(model), every, rows)
        np.testing.assert_allclose(ex.shap(rows).values, expected, **CLOSE)

    def test_a_group_keeps_the_dependence_within(self):
        model = forest([Split(0, 0.0, Split(1, 0.0, 0.0, 1.0), Split(1, 0.0, 1.0, 0.0))], 2)
        data = np.array([[-1.0, -1.0], [1.0, 1.0]])
        apart = Explainer(model, measure=Product(data))
        together = Explainer(model, measure=Product(data), groups={"both": ["x0", "x1"]})
        assert apart.expected_value == pytest.approx(0.5)
        assert together.expected_value == pytest.approx(0.0)


class TestGaussian:
    def test_two_correlated_features_are_exact(self):
        stats = pytest.importorskip("scipy.stats")
        integrate = pytest.importorskip("scipy.integrate")
        model = forest([Split(0, 0.3, Split(1, -0.2, 1.0, 2.0), Split(1, 0.7, 4.0, 8.0))], 2)
        mean, cov = np.array([0.1, -0.3]), np.array([[1.5, 0.6], [0.6, 0.8]])
        ex = Explainer(model, measure=Gaussian(mean, cov), precision="double")
        slope = cov[0, 1] / cov[0, 0]
        rest = np.sqrt(cov[1, 1] - slope * cov[0, 1])

        def below(x: float) -> float:  # the prediction's mean over the second feature
            point = -0.2 if x < np.float32(0.3) else 0.7
            low, high = (1.0, 2.0) if x < np.float32(0.3) else (4.0, 8.0)
            share = stats.norm.cdf(point, mean[1] + slope * (x - mean[0]), rest)
            density = stats.norm.pdf(x, mean[0], np.sqrt(cov[0, 0]))
            return float((low * share + high * (1 - share)) * density)

        expected = integrate.quad(below, -12, 12, points=[0.3], epsabs=1e-13, limit=300)[0]
        np.testing.assert_allclose(ex.expected_value, expected, atol=1e-7)
        first = ex.value((1,), np.array([[0.0, 0.0]]))[0]
        share = stats.norm.cdf((0.3 - 0.1) / np.sqrt(1.5))
        np.testing.assert_allclose(first, 2 * share + 4 * (1 - share), atol=1e-7)

    @pytest.mark.parametrize("correlation", [-0.9, 0.0, 0.4, 0.999])
    def test_rectangles_are_those_of_numerical_integration(self, correlation: float):
        stats = pytest.importorskip("scipy.stats")
        from fastpd.measures._boxes import BoxProbability

        cov = np.array([[1.0, correlation], [correlation, 1.0]])
        exact = BoxProbability(np.zeros(2), cov, 1e-5)
        values = [-np.inf, -1.3, 0.0, 0.4, np.inf]
        for box in product(list(combinations(values, 2)), repeat=2):
            found = exact.of({0: [box[0]], 1: [box[1]]})
            low, high = np.transpose(box)
            expected = stats.multivariate_normal(cov=cov, abseps=1e-9, seed=0).cdf(
                high, lower_limit=low
            )
            np.testing.assert_allclose(found, expected, atol=1e-8)

    def test_is_the_limit_of_samples(self):
        pytest.importorskip("scipy")
        model = random_forest(np.random.default_rng(8), 3, 4, depth=3)
        cov = np.array([[1.0, 0.7, 0.2], [0.7, 1.0, 0.0], [0.2, 0.0, 1.0]])
        rng = np.random.default_rng(0)
        data = rng.multivariate_normal(np.zeros(3), cov, size=400_000)
        rows = rows_for(model, 20, rng)
        limit = Explainer(model, measure=Gaussian(np.zeros(3), cov)).shap(rows).values
        sampled = Explainer(model, data).shap(rows).values
        np.testing.assert_allclose(limit, sampled, atol=0.01)
        assert np.abs(Explainer(model, data[:400]).shap(rows).values - limit).max() > 0.02

    def test_independent_features_are_their_product(self):
        stats = pytest.importorskip("scipy.stats")
        model = forest(
            [Split(0, 0.5, Split(1, 0.5, Split(2, 0.5, 8.0, 0.0), 0.0), 0.0)],
            3,
            comparison="float64",
        )
        ex = Explainer(model, measure=Gaussian(np.zeros(3), np.eye(3)), precision="double")
        np.testing.assert_allclose(ex.expected_value, 8 * stats.norm.cdf(0.5) ** 3, **CLOSE)

    @pytest.mark.parametrize(
        ("mean", "cov", "said"),
        [
            ([0.0], np.eye(2), r"the model has 2 columns"),
            (np.zeros(2), np.ones((2, 2)), "symmetric and positive definite"),
            (np.zeros(2), [[1.0, 0.5], [0.1, 1.0]], "symmetric and positive definite"),
            (np.array([0.0, np.nan]), np.eye(2), "holds what is no finite number"),
            (np.zeros(2), "spread", "got a ndarray and a str; expected arrays of numbers"),
        ],
    )
    def test_parameters_are_checked(self, mean: Any, cov: Any, said: str):
        pytest.importorskip("scipy")
        model = forest([Split(0, 0.5, 1.0, 2.0)], 2)
        with pytest.raises(OptionError, match=said):
            Explainer(model, measure=Gaussian(mean, cov))

    def test_deep_leaves_are_refused(self):
        pytest.importorskip("scipy")
        with pytest.raises(fastpd.MemoryLimitError, match="smaller max_depth"):
            Explainer(path_forest(9), measure=Gaussian(np.zeros(9), np.eye(9)))


class TestEveryQuery:
    model = with_covers(random_forest(np.random.default_rng(9), 3, 4, outputs="scalar"))
    rows = rows_for(model, 30, np.random.default_rng(0))
    chosen = pytest.mark.parametrize(
        "measure", [Path(), Product(rows), Gaussian(np.zeros(3), np.eye(3))], ids=repr
    )

    @chosen
    def test_agrees_with_every_other(self, measure: Any):
        pytest.importorskip("scipy")
        ex = Explainer(self.model, measure=measure, precision="double")
        phi, parts = ex.shap(self.rows), ex.components(self.rows, max_order=3)
        predicted = ex.predict(self.rows)
        np.testing.assert_allclose(phi.base_values + phi.values.sum(axis=1), predicted, **CLOSE)
        np.testing.assert_allclose(parts.shap().values, phi.values, **CLOSE)
        pd = ex.effect("x0").pd(self.rows[:, 0])
        np.testing.assert_allclose(pd, ex.value(("x0",), self.rows), **CLOSE)
        pair = ex.effect("x0", "x1").component(self.rows[:, 0], self.rows[:, 1])
        np.testing.assert_allclose(pair, parts["x0", "x1"], **CLOSE)
        shares = np.abs(parts["x0",]).mean(axis=0)
        ranked = ex.importance(self.rows, max_order=3)
        np.testing.assert_allclose(ranked["x0",], shares, **CLOSE)
        for n_jobs in (1, 3):
            other = Explainer(self.model, measure=measure, precision="double", n_jobs=n_jobs)
            np.testing.assert_array_equal(other.shap(self.rows).values, phi.values)

    @chosen
    def test_has_no_probability_scale(self, measure: Any):
        pytest.importorskip("scipy")
        model = replace(self.model, link="softmax")
        with pytest.raises(OptionError, match="Give a background instead"):
            Explainer(model, measure=measure).value(("x0",), self.rows, scale="probability")


class TestMisuse:
    model = with_covers(random_forest(np.random.default_rng(9)))
    rows = rows_for(model, 5, np.random.default_rng(0))

    def test_a_background_beside_a_measure(self):
        with pytest.raises(OptionError, match="both a background and the measure Path"):
            Explainer(self.model, self.rows, measure=Path())

    def test_what_is_no_measure(self):
        with pytest.raises(OptionError, match=r"expected fastpd.measures.Path\(\)"):
            Explainer(self.model, measure="path")  # type: ignore[arg-type]

    def test_rows_for_a_measure_that_needs_none(self):
        with pytest.raises(OptionError, match="known without any rows"):
            Explainer(self.model, measure=Path()).update(self.rows)

    def test_importance_over_no_rows(self):
        with pytest.raises(OptionError, match="no rows to average over"):
            Explainer(self.model, measure=Path()).importance()

    def test_different_measures_do_not_merge(self):
        one = Explainer(self.model, measure=Product(self.rows))
        for other in (Explainer(self.model, self.rows), Explainer(self.model, measure=Path())):
            with pytest.raises(MergeError, match="different measures"):
                one.merge(other)

    def test_it_says_what_it_is(self):
        assert "measure Path>" in repr(Explainer(self.model, measure=Path()))
        product_of = repr(Explainer(self.model, measure=Product(self.rows)))
        assert "measure Product, 5 background rows>" in product_of
