"""Live boosters and scikit-learn wrappers of the installed LightGBM."""

import time

import numpy as np
import pytest

from fastpd import Explainer
from fastpd.errors import (
    DataError,
    ModelError,
    ModelMismatchError,
    OptionError,
    UnsupportedModelError,
)
from fastpd.forest import import_model
from fastpd.forest.importers.lightgbm import from_booster, from_file
from fastpd.forest.walk import predict

lgb = pytest.importorskip("lightgbm")

RNG = np.random.default_rng(7)
X = RNG.normal(size=(200, 3))
SIGNAL = X[:, 0] + X[:, 1] * X[:, 2]
X[RNG.random(X.shape) < 0.1] = np.nan
CLASSES = np.digitize(SIGNAL, [-0.5, 0.5])
SMALL = {"num_leaves": 6, "min_data_in_leaf": 4, "verbose": -1, "num_threads": 1}
WRAPPED = {"num_leaves": 6, "min_child_samples": 4, "verbose": -1, "n_jobs": 1}


def train(label=SIGNAL, rounds=4, rows=X, names="auto", group=None, **params):
    options = {"feature_name": names, "group": group, "params": {"verbose": -1}}
    return lgb.train(SMALL | params, lgb.Dataset(rows, label, **options), rounds)


def assert_predicts(forest, expected, rows=X):
    found = predict(forest, rows)
    np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=1e-12, atol=1e-12)


RF = {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"boosting": "dart", "drop_rate": 0.5},
        {"data_sample_strategy": "goss"},
        {"extra_trees": True},
        {"monotone_constraints": [1, -1, 0], "monotone_constraints_method": "advanced"},
        {"interaction_constraints": [[0], [1, 2]]},
        {"zero_as_missing": True},
        {"use_missing": False},
        {"boost_from_average": False},
        {"path_smooth": 2.0, "linear_tree": False},
        {"use_quantized_grad": True},
        {"max_depth": 1},
    ],
)
def test_a_booster_is_read_as_it_predicts(params):
    booster = train(**params)
    assert_predicts(import_model(booster), booster.predict(X, raw_score=True))


POSITIVE, SHARE = np.abs(SIGNAL) + 0.1, 1 / (1 + np.exp(-SIGNAL))
OBJECTIVES = {
    "regression": (SIGNAL, {}, "identity", 1.0),
    "regression_l1": (SIGNAL, {}, "identity", 1.0),
    "huber": (SIGNAL, {}, "identity", 1.0),
    "fair": (SIGNAL, {}, "identity", 1.0),
    "quantile": (SIGNAL, {}, "identity", 1.0),
    "mape": (SIGNAL, {}, "identity", 1.0),
    "poisson": (POSITIVE, {}, "log", 1.0),
    "gamma": (POSITIVE, {}, "log", 1.0),
    "tweedie": (POSITIVE, {}, "log", 1.0),
    "binary": (SIGNAL > 0, {"sigmoid": 1.7}, "logit", 1.7),
    "cross_entropy": (SHARE, {}, "logit", 1.0),
    "multiclass": (CLASSES, {"num_class": 3}, "softmax", 1.0),
    "multiclassova": (CLASSES, {"num_class": 3, "sigmoid": 0.5}, "logit", 0.5),
    "lambdarank": (CLASSES, {"sigmoid": 3.0}, "identity", 1.0),
    "rank_xendcg": (CLASSES, {}, "identity", 1.0),
}
INVERSE = {
    "identity": lambda raw: raw,
    "log": np.exp,
    "logit": lambda raw: 1 / (1 + np.exp(-raw)),
    "softmax": lambda raw: np.exp(raw) / np.exp(raw).sum(axis=1, keepdims=True),
}


@pytest.mark.parametrize("boosting", [{}, RF])
@pytest.mark.parametrize("objective", OBJECTIVES)
def test_link_and_slope_lead_to_what_predict_returns(objective, boosting):
    """Of a random forest as well: the raw score is the mean of the trees."""
    label, params, link, slope = OBJECTIVES[objective]
    group = [50] * 4 if link == "identity" and label is CLASSES else None
    label = label.astype(float)
    if objective == "poisson" and boosting:
        label = np.round(label)
    booster = train(label, group=group, objective=objective, **params, **boosting)
    forest = import_model(booster)
    assert (forest.link, forest.slope) == (link, slope)
    expected = booster.predict(X)
    found = INVERSE[link](slope * predict(forest, X))
    np.testing.assert_allclose(found, expected.reshape(found.shape), rtol=1e-9)


@pytest.mark.parametrize(
    "params", [{"objective": "cross_entropy_lambda"}, {"objective": "regression", "reg_sqrt": True}]
)
def test_scores_on_a_scale_of_their_own_stay_there(params):
    booster = train(SHARE, **params)
    forest = import_model(booster)
    assert forest.link == "identity"
    assert_predicts(forest, booster.predict(X, raw_score=True))


def test_the_raw_score_of_a_forest_is_not_the_sum_that_lightgbm_calls_so():
    booster = train(**RF)
    assert_predicts(import_model(booster), booster.predict(X))
    assert_predicts(import_model(booster), booster.predict(X, raw_score=True) / 4)
    last = import_model(booster, iteration_range=(2, 4))
    assert_predicts(last, booster.predict(X, start_iteration=2, num_iteration=2))


def test_an_objective_of_the_users_own():
    def gradient(scores, data):
        scores = scores.reshape(len(X), -1, order="F")
        return scores - data.get_label()[:, None], np.ones_like(scores)

    booster = train(objective=gradient, num_class=3)
    forest = import_model(booster)
    assert (forest.link, forest.output_names) == ("identity", ("0", "1", "2"))
    assert_predicts(forest, booster.predict(X, raw_score=True))


@pytest.fixture(scope="module")
def stopped():
    label = SIGNAL + RNG.normal(size=len(X))
    data = lgb.Dataset(X[:100], label[:100], params={"verbose": -1})
    return lgb.train(
        SMALL | {"learning_rate": 0.5},
        data,
        60,
        valid_sets=[lgb.Dataset(X[100:], label[100:], reference=data)],
        callbacks=[lgb.early_stopping(3, verbose=False)],
        keep_training_booster=True,
    )


def test_by_default_the_rounds_that_predict_uses_count(stopped):
    assert stopped.best_iteration < stopped.num_trees()
    forest = import_model(stopped)
    assert forest.n_trees == stopped.best_iteration
    assert_predicts(forest, stopped.predict(X))


def test_other_rounds_count_on_request(stopped):
    every = import_model(stopped, iteration_range=(0, 0))
    assert_predicts(every, stopped.predict(X, num_iteration=-1))
    some = import_model(stopped, iteration_range=(1, 3))
    assert_predicts(some, stopped.predict(X, start_iteration=1, num_iteration=2))
    assert import_model(stopped, iteration_range=(2, 2)).n_trees == 0
    with pytest.raises(OptionError, match="iteration_range"):
        import_model(stopped, iteration_range=(0, 99))


def test_a_best_round_beyond_the_last_means_all():
    booster = train()
    booster.best_iteration = 99
    assert import_model(booster).n_trees == 4


def test_a_file_holds_the_best_rounds(stopped, tmp_path):
    stopped.save_model(tmp_path / "model.txt")
    forest = from_file(tmp_path / "model.txt")
    assert_predicts(forest, stopped.predict(X))


def test_rounds_of_several_classes():
    booster = train(CLASSES, objective="multiclass", num_class=3)
    forest = import_model(booster, iteration_range=(1, 3))
    assert forest.tree_output.tolist() == [0, 1, 2, 0, 1, 2]
    expected = booster.predict(X, raw_score=True, start_iteration=1, num_iteration=2)
    assert_predicts(forest, expected)


def test_wrappers_name_their_classes():
    labels = np.array(["low", "mid", "top"])[CLASSES]
    model = lgb.LGBMClassifier(n_estimators=3, **WRAPPED).fit(X, labels)
    forest = import_model(model)
    assert forest.output_names == ("low", "mid", "top")
    assert_predicts(forest, model.predict(X, raw_score=True))
    two = lgb.LGBMClassifier(n_estimators=3, **WRAPPED).fit(X, labels == "low")
    assert import_model(two).output_names == ("prediction",)


@pytest.mark.parametrize("kind", ["LGBMRegressor", "LGBMClassifier", "LGBMRanker", "LGBMModel"])
def test_every_wrapper(kind):
    objective = {"objective": "regression"} if kind == "LGBMModel" else {}
    model = getattr(lgb, kind)(n_estimators=3, **objective, **WRAPPED)
    options = {"group": [50] * 4} if kind == "LGBMRanker" else {}
    model.fit(X, CLASSES, **options)
    assert_predicts(import_model(model), model.predict(X, raw_score=True))


def test_scores_to_start_from_are_no_part_of_the_model():
    model = lgb.LGBMRegressor(n_estimators=3, **WRAPPED).fit(X, SIGNAL, init_score=SIGNAL * 3)
    assert_predicts(import_model(model), model.predict(X))


@pytest.mark.parametrize("stops", [True, "true", "+"])
def test_predictions_that_leave_trees_out_are_refused(stops):
    model = lgb.LGBMClassifier(n_estimators=3, pred_early_stop=stops, **WRAPPED).fit(X, SIGNAL > 0)
    with pytest.raises(UnsupportedModelError, match="pred_early_stop"):
        import_model(model)
    assert_predicts(
        import_model(model.set_params(pred_early_stop=False)), model.predict(X, raw_score=True)
    )


def test_a_wrapper_that_is_not_fitted_is_refused():
    with pytest.raises(ModelError, match="Call `fit` first"):
        import_model(lgb.LGBMRegressor())


def test_a_booster_before_its_first_round_predicts_zero():
    data = lgb.Dataset(X, SIGNAL, params={"verbose": -1})
    booster = lgb.Booster(SMALL, data)
    forest = import_model(booster)
    assert (forest.n_trees, forest.n_features) == (0, 3)
    assert_predicts(forest, booster.predict(X))
    with pytest.raises(OptionError, match="mean of trees"):
        import_model(lgb.Booster(SMALL | RF, data))


def test_trees_of_one_leaf():
    booster = train(CLASSES, objective="multiclass", num_class=3, min_data_in_leaf=150)
    forest = import_model(booster)
    assert forest.n_trees == len(forest.feature) == 3
    assert_predicts(forest, booster.predict(X, raw_score=True))


def test_linear_trees_are_refused():
    with pytest.raises(UnsupportedModelError, match="linear_tree=False"):
        import_model(train(rows=np.nan_to_num(X), linear_tree=True))


def test_a_model_changed_by_hand_is_read_as_it_is_now():
    booster = train()
    booster.set_leaf_output(1, 2, 100.0).shuffle_models()
    assert_predicts(import_model(booster), booster.predict(X))


def test_names():
    assert import_model(train()).feature_names == ("f0", "f1", "f2")
    assert not import_model(train()).named
    forest = import_model(train(names=["Column_1", "Column_0", "Column_2"]))
    assert forest.feature_names == ("Column_1", "Column_0", "Column_2")
    # LightGBM itself writes an underscore for a space.
    assert import_model(train(names=["a b", "é", "c=d"])).feature_names == ("a_b", "é", "c=d")


def test_tables_go_by_name_where_lightgbm_goes_by_position():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=list("abc"))
    model = lgb.LGBMRegressor(n_estimators=3, **WRAPPED).fit(table, SIGNAL)
    explainer = Explainer(model, table[:20])
    np.testing.assert_allclose(
        explainer.predict(table[["c", "a", "b"]]), model.predict(table), atol=1e-6
    )
    with pytest.raises(DataError, match="lacks 1 of the model's 3 columns"):
        explainer.predict(table[["c", "a"]])


def test_a_table_may_have_the_spaces_in_its_names_that_lightgbm_took():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["hours per week", "b", "c"])
    model = lgb.LGBMRegressor(n_estimators=3, **WRAPPED).fit(table, SIGNAL)
    for given in (table, table.rename(columns=lambda name: name.replace(" ", "_"))):
        np.testing.assert_allclose(
            Explainer(model, given).predict(given), model.predict(table), atol=1e-6
        )


def test_absent_cells_of_sparse_matrices_are_zeros():
    sparse = pytest.importorskip("scipy.sparse")
    rows = np.where(RNG.random(X.shape) < 0.5, 0.0, X)
    booster = train(rows=rows, zero_as_missing=True)
    explainer = Explainer(booster, sparse.csr_matrix(rows))
    np.testing.assert_allclose(
        explainer.predict(sparse.csc_matrix(rows)), booster.predict(rows), atol=1e-6
    )


def test_the_training_counts_are_kept():
    forest = import_model(train())
    assert set(forest.cover[forest.roots]) == {200.0}
    inner = ~forest.is_leaf
    children = forest.cover[forest.left[inner]] + forest.cover[forest.right[inner]]
    np.testing.assert_array_equal(children, forest.cover[inner])


def test_a_misread_threshold_or_leaf_is_noticed(monkeypatch):
    """Even a tiny one: sample rows must reach the same leaves."""
    booster = train()
    sound = booster.model_to_string()
    numbers = sound.split("\nthreshold=")[1].split("\n")[0].split(" ")
    other = repr(float(np.nextafter(float(numbers[0]), np.inf)))
    assert len(other) <= len(numbers[0])
    changed = sound.replace(numbers[0], other.ljust(len(numbers[0]), "0"), 1)
    monkeypatch.setattr(lgb.Booster, "model_to_string", lambda *_, **__: changed)
    with pytest.raises(ModelMismatchError):
        from_booster(booster)


def test_a_booster_that_cannot_predict_is_refused(monkeypatch):
    booster = train()

    def fail(*_, **__):
        raise lgb.basic.LightGBMError("no")

    monkeypatch.setattr(lgb.Booster, "predict", fail)
    with pytest.raises(ModelError, match="cannot predict"):
        from_booster(booster)


def test_a_thousand_trees_take_a_moment():
    booster = train(rounds=1000)
    start = time.perf_counter()
    assert import_model(booster).n_trees == 1000
    assert time.perf_counter() - start < 2


def test_arrays_of_whole_numbers_are_rounded_as_lightgbm_rounds_them():
    whole = np.arange(2**24 - 40, 2**24 + 40)[:, None]
    signal = (whole[:, 0] > 2**24 + 11).astype(float)
    options = WRAPPED | {"min_child_samples": 1, "min_data_in_bin": 1, "max_bin": 1000}
    model = lgb.LGBMRegressor(n_estimators=2, **options).fit(whole.astype(float), signal)
    ex = Explainer(model, whole)
    rounded = model.predict(whole)
    assert np.abs(rounded - model.predict(whole.astype(float))).max() > 0
    np.testing.assert_allclose(ex.predict(whole), rounded)
    np.testing.assert_allclose(ex.predict(whole.tolist()), model.predict(whole.tolist()))
    for exact in (whole.astype(float), pytest.importorskip("pandas").DataFrame(whole)):
        np.testing.assert_allclose(ex.predict(exact), model.predict(whole.astype(float)))
