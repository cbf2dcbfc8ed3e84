"""Live boosters and scikit-learn wrappers of the installed XGBoost."""

import locale
import time

import numpy as np
import pandas as pd
import pytest
import xgboost as xgb

from fastpd.errors import ModelError, ModelMismatchError, OptionError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.check import tolerance
from fastpd.forest.importers.xgboost import _importer as importer
from fastpd.forest.walk import predict

RNG = np.random.default_rng(7)
X = RNG.normal(size=(200, 4)).astype(np.float32)
SIGNAL = np.abs(X[:, 0]) + X[:, 1] * (X[:, 2] > 0)
X[RNG.random(X.shape) < 0.1] = np.nan
BINARY = (SIGNAL > 0.8).astype(int)
CLASSES = np.digitize(SIGNAL, [0.4, 1.2])
TARGETS = np.column_stack([SIGNAL, 5 - SIGNAL])
SMALL = {"max_depth": 3, "nthread": 1}


def train(label=SIGNAL, rounds=4, names=None, **params):
    data = xgb.DMatrix(X, label, feature_names=names, nthread=1)
    return xgb.train({**SMALL, **params}, data, rounds)


def margins(booster, rows=X, **options):
    data = xgb.DMatrix(rows, nthread=1, feature_names=booster.feature_names)
    return booster.predict(data, output_margin=True, **options).reshape(len(rows), -1)


def assert_predicts(forest, expected, rows=X):
    apart = np.abs(predict(forest, rows) - np.reshape(expected, (len(rows), -1)))
    assert np.all(apart <= tolerance(forest))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"base_score": 7.5},
        {"booster": "dart", "rate_drop": 0.5, "one_drop": 1},
        {"num_parallel_tree": 3, "subsample": 0.5},
        {"grow_policy": "lossguide", "max_leaves": 5, "max_depth": 0},
        {"tree_method": "exact", "gamma": 2.0},
        {"max_depth": 8, "min_child_weight": 0},
    ],
)
def test_a_regression_booster_is_read_as_it_predicts(params):
    booster = train(**params)
    assert_predicts(import_model(booster), margins(booster))


@pytest.mark.parametrize("params", [{}, {"booster": "dart", "rate_drop": 0.5}])
@pytest.mark.parametrize("objective", ["multi:softprob", "multi:softmax"])
def test_every_class_is_an_output(objective, params):
    booster = train(CLASSES, objective=objective, num_class=3, **params)
    forest = import_model(booster)
    assert forest.output_names == ("0", "1", "2")
    assert forest.link == "softmax"
    assert_predicts(forest, margins(booster))


@pytest.mark.parametrize("strategy", ["one_output_per_tree", "multi_output_tree"])
def test_every_target_is_an_output(strategy):
    booster = train(TARGETS, multi_strategy=strategy, tree_method="hist")
    forest = import_model(booster)
    assert forest.output_names == ("0", "1")
    assert_predicts(forest, margins(booster))


def test_an_own_objective_has_raw_predictions():
    def squared(margin, data):
        return margin - data.get_label(), np.ones_like(margin)

    booster = xgb.train(SMALL, xgb.DMatrix(X, SIGNAL), 3, obj=squared)
    forest = import_model(booster)
    assert forest.link == "identity"
    assert_predicts(forest, margins(booster))


@pytest.mark.parametrize("score", [0.1, 0.3, 1e-7, 0.9999999])
def test_a_base_score_is_mapped_as_the_library_maps_it(score):
    booster = train(BINARY, 1, objective="binary:logistic", base_score=score, gamma=1e9)
    forest = import_model(booster)
    expected = margins(booster, iteration_range=(1, 1))[0, 0]
    assert forest.base[0] == pytest.approx(expected, rel=2e-7)


@pytest.mark.parametrize("objective", ["binary:logistic", "count:poisson", "reg:squarederror"])
@pytest.mark.parametrize("given", [{}, {"base_score": 0.25}])
def test_a_booster_without_trees_predicts_its_base(objective, given):
    booster = train(BINARY, 0, objective=objective, **given)
    forest = import_model(booster)
    assert forest.n_trees == 0
    assert_predicts(forest, margins(booster))


def test_thresholds_keep_full_precision_and_equality_goes_right():
    booster = train(rounds=1, max_depth=1)
    forest = import_model(booster)
    threshold = np.float32(forest.threshold[0])
    assert float(threshold) == forest.threshold[0]
    rows = np.zeros((3, 4), np.float32)
    column = forest.feature[0]
    rows[:, column] = [np.nextafter(threshold, -np.inf), threshold, np.nan]
    assert_predicts(forest, margins(booster, rows), rows)
    below, at, _ = predict(forest, rows).ravel()
    assert below != at


@pytest.mark.parametrize("rounds", [(0, 0), (0, 2), (1, 3), (2, 0), (3, 3), (4, 4), (0, 4)])
@pytest.mark.parametrize("parallel", [1, 2])
def test_rounds_are_chosen_as_the_library_chooses_them(rounds, parallel):
    booster = train(CLASSES, objective="multi:softprob", num_class=3, num_parallel_tree=parallel)
    forest = import_model(booster, iteration_range=rounds)
    assert_predicts(forest, margins(booster, iteration_range=rounds))


@pytest.mark.parametrize("rounds", [(0, 5), (3, 2), (5, 0), (-1, 2)])
def test_rounds_that_are_not_there_are_refused(rounds):
    with pytest.raises(OptionError, match="the model has 4 rounds"):
        import_model(train(), iteration_range=rounds)


@pytest.mark.parametrize("params", [{}, {"booster": "dart", "rate_drop": 0.5, "one_drop": 1}])
def test_a_slice_of_a_booster_has_its_trees_alone(params):
    booster = train(rounds=6, **params)[2:5]
    forest = import_model(booster)
    assert forest.n_trees == 3
    assert_predicts(forest, margins(booster))


def stopped(**params):
    model = xgb.XGBRegressor(
        n_estimators=60, learning_rate=1.0, early_stopping_rounds=3, n_jobs=1, **params
    )
    model.fit(X[:120], SIGNAL[:120], eval_set=[(X[120:], SIGNAL[120:])], verbose=False)
    return model


def test_a_stopped_wrapper_counts_to_its_best_round_and_its_booster_counts_all(tmp_path):
    model = stopped()
    booster = model.get_booster()
    assert model.best_iteration + 1 < booster.num_boosted_rounds()
    assert_predicts(import_model(model), model.predict(X, output_margin=True))
    assert_predicts(import_model(booster), margins(booster))
    every = import_model(model, iteration_range=(0, 0))
    assert every.n_trees == booster.num_boosted_rounds()
    of_wrapper, of_booster = tmp_path / "wrapper.json", tmp_path / "booster.ubj"
    model.save_model(of_wrapper)
    booster.save_model(of_booster)
    assert import_model(of_wrapper).n_trees == model.best_iteration + 1
    assert import_model(of_booster).n_trees == booster.num_boosted_rounds()


@pytest.mark.parametrize("number", [-999.0, 0.1, float("nan")])
def test_the_number_that_a_wrapper_takes_for_missing_is_missing(number):
    rows = np.where(np.isnan(X), number, X).astype(np.float64)
    model = xgb.XGBRegressor(n_estimators=3, max_depth=3, missing=number, n_jobs=1)
    model.fit(rows, SIGNAL)
    forest = import_model(model)
    np.testing.assert_equal(forest.missing, float(np.float32(number)))
    both = np.vstack([rows, np.full((1, 4), np.nan)])
    assert_predicts(forest, model.predict(both, output_margin=True), both)


def test_classes_and_columns_have_their_names():
    frame = pd.DataFrame(X, columns=["age", "sex", "hours", "income"])
    model = xgb.XGBClassifier(n_estimators=2, n_jobs=1).fit(frame, CLASSES)
    forest = import_model(model)
    assert forest.feature_names == ("age", "sex", "hours", "income")
    assert forest.output_names == ("0", "1", "2")
    assert import_model(train()).feature_names == ("f0", "f1", "f2", "f3")


@pytest.mark.parametrize(
    ("kind", "label", "link", "outputs"),
    [
        (xgb.XGBClassifier, BINARY, "logit", 1),
        (xgb.XGBClassifier, CLASSES, "softmax", 3),
        (xgb.XGBRFRegressor, SIGNAL, "identity", 1),
        (xgb.XGBRFClassifier, BINARY, "logit", 1),
        (xgb.XGBRegressor, TARGETS, "identity", 2),
    ],
)
@pytest.mark.filterwarnings("ignore:`XGBRF:FutureWarning")
def test_wrappers_are_read_as_they_predict(kind, label, link, outputs):
    model = kind(n_estimators=5, max_depth=3, n_jobs=1).fit(X, label)
    forest = import_model(model)
    assert (forest.link, forest.n_outputs) == (link, outputs)
    assert_predicts(forest, model.predict(X, output_margin=True))


def test_a_ranker_is_read():
    model = xgb.XGBRanker(n_estimators=3, n_jobs=1).fit(X, BINARY, qid=np.repeat([0, 1], 100))
    assert_predicts(import_model(model), margins(model.get_booster()))


def test_a_subclass_of_a_wrapper_is_known():
    class Mine(xgb.XGBRegressor):
        pass

    assert import_model(Mine(n_estimators=2, n_jobs=1).fit(X, SIGNAL)).n_trees == 2


@pytest.mark.parametrize("kind", [xgb.XGBRegressor, xgb.XGBClassifier, xgb.XGBRanker])
def test_an_unfitted_wrapper_is_refused(kind):
    with pytest.raises(ModelError, match=f"{kind.__name__} is not fitted"):
        import_model(kind())


def test_an_untrained_booster_is_refused():
    with pytest.raises(ModelError, match="Train it first"):
        import_model(xgb.Booster())


def test_a_linear_booster_is_refused():
    full = np.nan_to_num(X)
    booster = xgb.train(
        {"booster": "gblinear", "nthread": 1, "verbosity": 0}, xgb.DMatrix(full, SIGNAL), 2
    )
    with pytest.raises(UnsupportedModelError, match="'gblinear', which is no sum of trees"):
        import_model(booster)


def test_a_model_that_was_misread_is_refused(monkeypatch):
    real = importer.base_margin
    monkeypatch.setattr(importer, "base_margin", lambda document: real(document) + 0.001)
    with pytest.raises(ModelMismatchError, match="was not read as it predicts"):
        import_model(train())


def test_leaves_lost_in_the_librarys_float32_sum_are_no_mismatch():
    booster = train(SIGNAL + 1e4, 3000, eta=0.001, max_depth=2)
    forest = import_model(booster)
    assert np.abs(predict(forest, X) - margins(booster)).max() > tolerance(forest)[0]


def test_the_users_booster_is_left_as_it_was(capfd):
    booster = train(names=["a", "b", "c", "d"])
    before = booster.save_config(), bytes(booster.save_raw("json"))
    import_model(booster)
    assert (booster.save_config(), bytes(booster.save_raw("json"))) == before
    assert capfd.readouterr() == ("", "")


def test_numbers_are_read_the_same_in_every_locale(tmp_path):
    path = tmp_path / "model.json"
    booster = train(BINARY, objective="binary:logistic")
    booster.save_model(path)
    before = locale.setlocale(locale.LC_ALL)
    available = [name for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C") if _set(name)]
    try:
        for name in available:
            locale.setlocale(locale.LC_ALL, name)
            assert_predicts(import_model(path), margins(booster))
    finally:
        locale.setlocale(locale.LC_ALL, before)


def _set(name):
    before = locale.setlocale(locale.LC_ALL)
    try:
        locale.setlocale(locale.LC_ALL, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_ALL, before)
    return True


def test_a_thousand_trees_are_read_in_half_a_second():
    rows = RNG.normal(size=(1000, 6)).astype(np.float32)
    data = xgb.DMatrix(rows, rows[:, 0] * rows[:, 1] + RNG.normal(size=1000))
    booster = xgb.train({"max_depth": 6, "eta": 0.05, "nthread": 1}, data, 1000)
    start = time.perf_counter()
    forest = import_model(booster)
    elapsed = time.perf_counter() - start
    assert forest.n_trees == 1000
    assert elapsed < 0.5
