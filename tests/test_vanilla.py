import math
from itertools import combinations, permutations

import numpy as np
import pytest

from fastpd import vanilla
from fastpd.errors import BackgroundError, DataError, FeatureError, OptionError, WeightError

INDICES = ["SII", "STII", "FSII", "BII", "Moebius"]


def powerset(items):
    items = tuple(items)
    return [s for size in range(len(items) + 1) for s in combinations(items, size)]


def random_game(d, seed=0, outputs=None):
    """A model whose partial dependence at ones, with zeros behind, is a random set function."""
    shape = (2**d,) if outputs is None else (2**d, outputs)
    table = np.random.default_rng(seed).normal(size=shape)
    bits = 2 ** np.arange(d)

    def predict(x):
        return table[(x @ bits).astype(int)]

    game = {s: table[sum(2**k for k in s)] for s in powerset(range(d))}
    return predict, np.zeros((1, d)), np.ones((1, d)), game


def polynomial(x):
    return x[:, 0] + 2 * x[:, 0] * x[:, 1] - x[:, 1] * x[:, 2] ** 2 + np.sin(x[:, 0] * x[:, 2])


@pytest.fixture
def sample():
    rng = np.random.default_rng(7)
    return rng.normal(size=(23, 3)), rng.normal(size=(5, 3)), rng.uniform(0.1, 2, size=23)


def two_trees(x):
    left, low = x[:, 0] < 0.5, x[:, 1] < 0.3
    return np.where(left == low, 10.0, -5.0)


TWO_TREES = np.array([[0, 0], [0, 0.4], [0.7, 0], [0.7, 0.4]])
COUNTS = np.array([500, 250, 250, 1500])


class TestPaper:
    def test_decomposition_of_the_first_example(self):
        table = {(0, 0): 5.0, (1, 0): 10.0, (0, 1): 3.0, (1, 1): 12.0}
        parts = vanilla.components(
            lambda x: np.array([table[tuple(row)] for row in x.astype(int)]), [[0, 0]], [[1, 1]]
        )
        assert {s: float(m[0]) for s, m in parts.items()} == {(): 5, (0,): 5, (1,): -2, (0, 1): 4}

    @pytest.mark.parametrize("repeat", [True, False])
    def test_two_trees_of_the_appendix(self, repeat):
        background = np.repeat(TWO_TREES, COUNTS, axis=0) if repeat else TWO_TREES
        given = (two_trees, background, [[0.1, 0.2]], None if repeat else COUNTS)
        v = {s: float(x[0]) for s, x in vanilla.values(*given).items()}
        assert v == pytest.approx({(): 7, (0,): -0.5, (1,): -0.5, (0, 1): 10})
        assert vanilla.shap(*given)[0, 0] == pytest.approx(1.5)

    def test_components_of_the_cancellation_example(self):
        background = np.array([[-1.0, -3.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 3.0]])
        weights = np.array([2.0, 1.0, 1.0, 2.0])
        weights /= weights.sum()
        np.testing.assert_allclose(weights @ background, 0, atol=1e-15)
        product = weights @ (background[:, 0] * background[:, 1])
        rows = np.array([[0.3, -2.0], [4.0, 5.0], [0.0, 0.0]])
        given = (lambda x: x[:, 0] + 2 * x[:, 0] * x[:, 1], background, rows, weights)
        a, b = rows.T
        expected = {
            (): np.full(3, 2 * product),
            (0,): a - 2 * product,
            (1,): np.full(3, -2 * product),
            (0, 1): 2 * a * b + 2 * product,
        }
        for subset, part in vanilla.components(*given).items():
            np.testing.assert_allclose(part, expected[subset], atol=1e-14)
        np.testing.assert_allclose(vanilla.shap(*given)[:, 0], a + a * b - product)


class TestValue:
    def test_is_the_mean_over_mixed_rows(self, sample):
        background, rows, weights = sample
        for subset in powerset(range(3)):
            expected = []
            for row in rows:
                mixed = background.copy()
                mixed[:, list(subset)] = row[list(subset)]
                expected.append(np.average(polynomial(mixed), weights=weights))
            got = vanilla.value(polynomial, background, rows, subset, weights)
            np.testing.assert_allclose(got, expected)

    def test_does_not_depend_on_the_block(self, sample, monkeypatch):
        background, rows, weights = sample
        whole = vanilla.values(polynomial, background, rows, weights)
        seen = []

        def predict(x):
            seen.append(len(x))
            return polynomial(x)

        monkeypatch.setattr("fastpd.vanilla._partial_dependence._BLOCK", 7)
        for subset, part in vanilla.values(predict, background, rows, weights).items():
            np.testing.assert_allclose(part, whole[subset])
        assert max(seen) <= 7

    def test_order_of_the_set_does_not_matter(self, sample):
        background, rows, _ = sample
        one = vanilla.value(polynomial, background, rows, (0, 2))
        np.testing.assert_array_equal(one, vanilla.value(polynomial, background, rows, [2, 0]))

    def test_does_not_write_into_its_arguments(self, sample):
        background, rows, weights = sample
        for array in sample:
            array.setflags(write=False)

        def predict(x):
            x[:] = 0
            return x[:, 0]

        vanilla.values(predict, background, rows, weights)

    def test_missing_values_reach_the_model(self):
        background, rows = [[np.nan, 1.0], [2.0, np.nan]], [[1.0, np.nan]]
        got = vanilla.value(lambda x: np.isnan(x).sum(axis=1), background, rows, (0,))
        np.testing.assert_array_equal(got, [0.5])

    def test_a_row_of_weight_zero_does_not_count(self):
        got = vanilla.value(lambda x: x[:, 0], [[1.0], [np.inf], [3.0]], [[0.0]], (), [1, 0, 3])
        np.testing.assert_array_equal(got, [2.5])

    def test_no_rows(self):
        for outputs in [(), (2,)]:
            got = vanilla.shap(
                lambda x, shape=outputs: np.ones((len(x), *shape)), np.ones((4, 3)), np.ones((0, 3))
            )
            assert got.shape == (0, 3, *outputs)

    def test_single_precision_stays_so_for_the_model(self):
        seen = set()

        def predict(x):
            seen.add(x.dtype)
            return x[:, 0]

        vanilla.values(predict, np.ones((3, 2), np.float32), np.ones((3, 2), np.float32))
        assert seen == {np.dtype(np.float32)}


class TestAxioms:
    def test_components_add_up_to_the_prediction(self, sample):
        background, rows, weights = sample
        parts = vanilla.components(polynomial, background, rows, weights)
        np.testing.assert_allclose(sum(parts.values()), polynomial(rows))

    def test_components_of_every_subset_add_up_to_its_value(self, sample):
        background, rows, weights = sample
        parts = vanilla.components(polynomial, background, rows, weights)
        for subset, v in vanilla.values(polynomial, background, rows, weights).items():
            np.testing.assert_allclose(sum(parts[u] for u in powerset(subset)), v)

    def test_shap_is_efficient(self, sample):
        background, rows, weights = sample
        phi = vanilla.shap(polynomial, background, rows, weights)
        mean = np.average(polynomial(background), weights=weights)
        np.testing.assert_allclose(phi.sum(axis=1), polynomial(rows) - mean)

    def test_shap_is_the_mean_over_orders_of_joining(self):
        predict, background, rows, game = random_game(4)
        phi = np.zeros(4)
        for order in permutations(range(4)):
            for position, k in enumerate(order):
                before = tuple(sorted(order[:position]))
                phi[k] += game[tuple(sorted((*before, k)))] - game[before]
        np.testing.assert_allclose(vanilla.shap(predict, background, rows)[0], phi / 24)

    def test_shap_shares_components_equally(self, sample):
        background, rows, weights = sample
        phi = vanilla.shap(polynomial, background, rows, weights)
        parts = vanilla.components(polynomial, background, rows, weights)
        for k in range(3):
            expected = sum(part / len(s) for s, part in parts.items() if k in s)
            np.testing.assert_allclose(phi[:, k], expected)

    @pytest.mark.parametrize("index", INDICES)
    def test_a_dummy_feature_gets_nothing(self, sample, index):
        background, rows, weights = sample

        def predict(x):
            return x[:, 0] * np.exp(x[:, 2])

        np.testing.assert_allclose(
            vanilla.shap(predict, background, rows, weights)[:, 1], 0, atol=1e-14
        )
        scores = vanilla.interactions(predict, background, rows, 2, index, weights)
        for subset in [(1,), (0, 1), (1, 2)]:
            np.testing.assert_allclose(scores[subset], 0, atol=1e-14)

    def test_symmetric_features_get_the_same(self):
        background = np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 2.0]])
        phi = vanilla.shap(
            lambda x: x[:, 0] * x[:, 1] * x[:, 2], background, np.array([[3.0, 3.0, 1.0]])
        )
        assert phi[0, 0] == pytest.approx(phi[0, 1])

    @pytest.mark.parametrize("scale", [1, 1e-308, 1e307])
    def test_weights_are_repeated_rows(self, sample, scale):
        background, rows, _ = sample
        counts = np.arange(len(background)) % 4
        weighted = vanilla.shap(polynomial, background, rows, counts * scale)
        repeated = vanilla.shap(polynomial, np.repeat(background, counts, axis=0), rows)
        np.testing.assert_allclose(weighted, repeated)

    def test_outputs_are_explained_each_on_its_own(self, sample):
        background, rows, weights = sample

        def both(x):
            return np.column_stack([polynomial(x), x[:, 2] ** 2])

        singles = [polynomial, lambda x: x[:, 2] ** 2]
        for function in [vanilla.values, vanilla.components]:
            got = function(both, background, rows, weights)
            for output, predict in enumerate(singles):
                for subset, part in function(predict, background, rows, weights).items():
                    np.testing.assert_allclose(got[subset][:, output], part, atol=1e-14)
        phi = vanilla.shap(both, background, rows, weights)
        assert phi.shape == (5, 3, 2)
        for output, predict in enumerate(singles):
            single = vanilla.shap(predict, background, rows, weights)
            np.testing.assert_allclose(phi[:, :, output], single, atol=1e-14)


def derivative(game, subset, outside):
    """The discrete derivative of a set function along `subset`, at `outside`."""
    return sum(
        (-1) ** (len(subset) - len(part)) * game[tuple(sorted((*outside, *part)))]
        for part in powerset(subset)
    )


def rest(d, subset):
    return powerset(k for k in range(d) if k not in subset)


def sii(game, d, subset, order):
    s = len(subset)
    total = 0
    for outside in rest(d, subset):
        t = len(outside)
        weight = math.factorial(d - t - s) * math.factorial(t) / math.factorial(d - s + 1)
        total += weight * derivative(game, subset, outside)
    return total


def bii(game, d, subset, order):
    return np.mean([derivative(game, subset, outside) for outside in rest(d, subset)], axis=0)


def moebius(game, d, subset, order):
    return derivative(game, subset, ())


def stii(game, d, subset, order):
    if len(subset) < order:
        return derivative(game, subset, ())
    return sum(
        order / d * derivative(game, subset, outside) / math.comb(d - 1, len(outside))
        for outside in rest(d, subset)
    )


def stii_by_permutations(game, d, subset, order):
    if len(subset) < order:
        return derivative(game, subset, ())
    total = 0
    for joining in permutations(range(d)):
        before = joining[: min(joining.index(k) for k in subset)]
        total += derivative(game, subset, before)
    return total / math.factorial(d)


def fsii(game, d, subset, order):
    """Faith-SHAP as it is defined: the best fit of order `order` under the Shapley kernel."""
    terms = [s for s in powerset(range(d)) if len(s) <= order]
    coalitions = powerset(range(d))
    design = np.array([[set(t) <= set(c) for t in terms] for c in coalitions], dtype=float)
    target = np.array([game[c] for c in coalitions])
    kernel = np.array([1 / (math.comb(d, c) * c * (d - c)) for c in map(len, coalitions[1:-1])])
    inner, exact = design[1:-1], design[[0, -1]]
    normal = inner.T @ (kernel[:, None] * inner)
    system = np.block([[normal, exact.T], [exact, np.zeros((2, 2))]])
    right = np.concatenate([inner.T @ (kernel * target[1:-1]), target[[0, -1]]])
    return np.linalg.solve(system, right)[terms.index(subset)]


DEFINITIONS = [
    ("SII", sii),
    ("BII", bii),
    ("Moebius", moebius),
    ("STII", stii),
    ("STII", stii_by_permutations),
    ("FSII", fsii),
]


class TestInteractions:
    @pytest.mark.parametrize(("index", "definition"), DEFINITIONS)
    @pytest.mark.parametrize(("d", "order"), [(1, 1), (3, 1), (4, 2), (4, 3), (5, 2), (5, 3)])
    def test_follows_the_definition(self, index, definition, d, order):
        if definition is fsii and d == order:
            definition = moebius
        predict, background, rows, game = random_game(d, seed=d)
        got = vanilla.interactions(predict, background, rows, order, index)
        assert list(got) == [s for s in powerset(range(d)) if 1 <= len(s) <= order]
        for subset, score in got.items():
            np.testing.assert_allclose(score[0], definition(game, d, subset, order), atol=1e-12)

    @pytest.mark.parametrize("index", ["SII", "STII", "FSII"])
    def test_order_one_is_shap(self, sample, index):
        background, rows, weights = sample
        got = vanilla.interactions(polynomial, background, rows, 1, index, weights)
        phi = vanilla.shap(polynomial, background, rows, weights)
        np.testing.assert_allclose(np.stack(list(got.values()), axis=1), phi)

    @pytest.mark.parametrize("index", ["STII", "FSII"])
    @pytest.mark.parametrize("order", [1, 2, 3])
    def test_efficient_indices_add_up(self, sample, index, order):
        background, rows, weights = sample
        got = vanilla.interactions(polynomial, background, rows, order, index, weights)
        mean = np.average(polynomial(background), weights=weights)
        np.testing.assert_allclose(sum(got.values()), polynomial(rows) - mean)

    @pytest.mark.parametrize("index", INDICES)
    def test_full_order_of_several_outputs(self, index):
        predict, background, rows, _ = random_game(3, outputs=2)
        got = vanilla.interactions(predict, background, rows, 3, index)
        for output in range(2):
            single = vanilla.interactions(
                lambda x, k=output: predict(x)[:, k], background, rows, 3, index
            )
            for subset, score in single.items():
                np.testing.assert_allclose(got[subset][:, output], score)


class TestMaxOrder:
    @pytest.mark.parametrize("function", [vanilla.values, vanilla.components])
    @pytest.mark.parametrize("order", [0, 1, 2, 3, 9])
    def test_only_leaves_out(self, sample, function, order):
        background, rows, weights = sample
        everything = function(polynomial, background, rows, weights)
        got = function(polynomial, background, rows, weights, max_order=order)
        assert list(got) == [s for s in powerset(range(3)) if len(s) <= order]
        for subset, part in got.items():
            np.testing.assert_array_equal(part, everything[subset])

    def test_importance(self, sample):
        background, rows, weights = sample
        parts = vanilla.components(polynomial, background, rows, weights)
        got = vanilla.importance(polynomial, background, rows, weights, max_order=2)
        assert list(got) == [s for s in powerset(range(3)) if 1 <= len(s) <= 2]
        for subset, score in got.items():
            assert score == pytest.approx(sum(abs(x) for x in parts[subset]) / 5)

    def test_importance_of_several_outputs(self):
        predict, background, rows, _ = random_game(2, outputs=3)
        got = vanilla.importance(predict, background, rows)
        assert {score.shape for score in got.values()} == {(3,)}


class TestRefusals:
    background = np.ones((3, 2))
    rows = np.ones((1, 2))

    def call(
        self, predict=lambda x: x[:, 0], background=None, rows=None, subset=(0,), weights=None
    ):
        background = self.background if background is None else background
        rows = self.rows if rows is None else rows
        return vanilla.value(predict, background, rows, subset, weights)

    def test_empty_background(self):
        with pytest.raises(BackgroundError, match="no rows"):
            self.call(background=np.ones((0, 2)))

    @pytest.mark.parametrize(
        ("weights", "said"),
        [
            ([1, -1, 1], r"weights\[1\] is -1"),
            ([1, 1, np.nan], r"weights\[2\] is nan"),
            ([np.inf, 1, 1], r"weights\[0\] is inf"),
            ([0, 0, 0], "all zero"),
            ([1, 1], r"shape \(2,\); expected \(3,\)"),
            (1.0, r"shape \(\)"),
        ],
    )
    def test_weights(self, weights, said):
        with pytest.raises(WeightError, match=said):
            self.call(weights=weights)

    @pytest.mark.parametrize(
        ("subset", "said"),
        [
            ((0, 0), "twice"),
            ((2,), "2 of the set .* indices 0 to 1"),
            ((-1,), "-1"),
            (("age",), "'age'"),
            ((0.0,), "0.0"),
        ],
    )
    def test_feature_sets(self, subset, said):
        with pytest.raises(FeatureError, match=said):
            self.call(subset=subset)

    @pytest.mark.parametrize(
        "rows", [np.ones(2), np.ones((1, 3)), np.array([["a", "b"]]), np.ones((1, 2), complex)]
    )
    def test_rows(self, rows):
        with pytest.raises(DataError, match="expected"):
            self.call(rows=rows)

    def test_no_columns(self):
        with pytest.raises(DataError, match="at least one"):
            self.call(background=np.ones((3, 0)), rows=np.ones((1, 0)), subset=())

    @pytest.mark.parametrize(
        "predict", [len, lambda x: x[:1, 0], lambda x: np.ones((len(x), 1, 1))]
    )
    def test_predictions_of_another_shape(self, predict):
        with pytest.raises(DataError, match="predict returned shape"):
            self.call(predict=predict)

    @pytest.mark.parametrize("order", [0, -1, 1.5, 3])
    def test_order(self, order):
        with pytest.raises(OptionError, match=f"order={order}"):
            vanilla.interactions(lambda x: x[:, 0], self.background, self.rows, order)

    @pytest.mark.parametrize("order", [-1, 0.5])
    def test_max_order(self, order):
        with pytest.raises(OptionError, match=f"max_order={order}"):
            vanilla.values(lambda x: x[:, 0], self.background, self.rows, max_order=order)

    def test_index(self):
        with pytest.raises(OptionError, match="'sii' is none of 'SII', 'STII'"):
            vanilla.interactions(lambda x: x[:, 0], self.background, self.rows, index="sii")

    def test_importance_over_no_rows(self):
        with pytest.raises(DataError, match="no row"):
            vanilla.importance(lambda x: x[:, 0], self.background, np.ones((0, 2)))
