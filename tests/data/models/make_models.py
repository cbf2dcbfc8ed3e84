"""Write the frozen models of one XGBoost version, and the raw predictions that it makes itself.

Run it once in an environment of each version (1.7.6, 2.0.3, 2.1.4, 3.0.5, 3.1.3, 3.2.0 and 3.4.1,
with scikit-learn and, below XGBoost 3, NumPy 1):

    python make_models.py

It writes `<version>.zip`, which holds the models and `margins.json`, the raw predictions of each
model on the rows of `rows.csv`; those are the same for all versions. An archive is written once and
never again: its models must load for ever.
"""

import json
import pathlib
import tempfile
import warnings
import zipfile

import numpy as np
import xgboost as xgb

HERE = pathlib.Path(__file__).parent
VERSION = tuple(int(part) for part in xgb.__version__.split("."))
NAMES = ["age", "résumé", "hours", "income"]


def training_rows():
    """Return columns that trees can split, a tenth of their values missing."""
    random = np.random.RandomState(2024)
    X = random.normal(size=(120, 4)).astype(np.float32)
    signal = np.abs(X[:, 0]) + 0.5 * X[:, 1] * (X[:, 2] > 0) + 0.3 * random.normal(size=120)
    X[random.uniform(size=X.shape) < 0.1] = np.nan
    return X, signal


X, SIGNAL = training_rows()
POSITIVE = np.exp(SIGNAL / 2)
BINARY = (SIGNAL > 0.8).astype(float)
CLASSES = np.digitize(SIGNAL, [0.4, 1.2])
TARGETS = np.column_stack([SIGNAL, POSITIVE, 5 - SIGNAL])
LOST = X[np.isnan(X).any(axis=1)]
ROWS = np.vstack([X[:4], LOST[:5], np.full((1, 4), np.nan), np.zeros((1, 4))]).astype(np.float32)
MARGINS = {}
MODELS = {}


def save(name, model, suffix, margins=None):
    """Write a model and note what it predicts on the rows."""
    booster = model if isinstance(model, xgb.Booster) else model.get_booster()
    if margins is None:
        margins = booster.predict(matrix(ROWS, booster.feature_names), output_margin=True)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model" + suffix)
        model.save_model(path)
        MODELS[name + suffix] = path.read_bytes()
    MARGINS[name + suffix] = np.asarray(margins, np.float64).reshape(len(ROWS), -1).tolist()


def matrix(rows, names=None, **info):
    """Return rows in the form that boosters take."""
    return xgb.DMatrix(rows, feature_names=names, nthread=1, **info)


def train(label, params, rounds=2, names=None, **info):
    """Train a small booster."""
    data = matrix(X, names, **info) if label is None else matrix(X, names, label=label, **info)
    small = {"max_depth": 2, "nthread": 1, "tree_method": "hist", "eta": 0.5}
    return xgb.train({**small, **params}, data, rounds)


def objectives():
    """One round of every objective, with its own base score and with one that is given."""
    labels = {
        "reg:squarederror": SIGNAL,
        "reg:squaredlogerror": POSITIVE,
        "reg:logistic": BINARY,
        "reg:pseudohubererror": SIGNAL,
        "reg:absoluteerror": SIGNAL,
        "binary:logistic": BINARY,
        "binary:logitraw": BINARY,
        "binary:hinge": BINARY,
        "count:poisson": np.round(POSITIVE),
        "survival:cox": POSITIVE,
        "reg:gamma": POSITIVE,
        "reg:tweedie": POSITIVE,
    }
    for number, (objective, label) in enumerate(labels.items()):
        name = objective.replace(":", "-")
        suffix = (".json", ".ubj")[number % 2]
        params = {"objective": objective, "max_depth": 1}
        save(name, train(label, params, 1), suffix)
        save(name + "-given", train(label, {**params, "base_score": 0.3}, 1), ".ubj")
    bounds = {"label_lower_bound": POSITIVE, "label_upper_bound": POSITIVE + 1}
    for given in ({}, {"base_score": 0.3}):
        name = "survival-aft" + ("-given" if given else "")
        save(
            name,
            train(None, {"objective": "survival:aft", "max_depth": 1, **given}, 1, **bounds),
            ".ubj",
        )
    ranks = {"objective": "rank:pairwise", "max_depth": 1}
    save("rank-pairwise", train(BINARY, ranks, 1, group=[60, 60]), ".ubj")
    if VERSION >= (2, 0):
        quantiles = {"objective": "reg:quantileerror", "quantile_alpha": [0.2, 0.7], "max_depth": 1}
        save("reg-quantileerror", train(SIGNAL, quantiles, 1), ".json")


def shapes():
    """Boosters of every shape: several outputs, weights, forests, pruned trees, single leaves."""
    classes = {"objective": "multi:softprob", "num_class": 3}
    save("classes", train(CLASSES, classes), ".json")
    save(
        "classes-forest",
        train(CLASSES, {**classes, "num_parallel_tree": 2, "subsample": 0.5}),
        ".ubj",
    )
    save(
        "softmax-given",
        train(CLASSES, {**classes, "objective": "multi:softmax", "base_score": 0.3}, 1),
        ".ubj",
    )
    save("targets", train(TARGETS, {"objective": "reg:squarederror"}), ".ubj")
    named = train(SIGNAL, {"objective": "reg:squarederror", "max_depth": 3}, names=NAMES)
    save("named", named, ".json")
    save("named", named, ".ubj")
    dart = {"booster": "dart", "rate_drop": 0.5, "one_drop": 1, "seed": 3}
    save("dart", train(SIGNAL, dart, 4), ".ubj")
    save("dart-classes", train(CLASSES, {**dart, **classes, "max_depth": 1}, 3), ".json")
    pruned = {"tree_method": "exact", "gamma": 3.0, "max_depth": 3, "eta": 0.3}
    save("pruned", train(SIGNAL, pruned), ".json")
    save("single-leaf", train(SIGNAL, {"gamma": 1e9, "base_score": 0.1}, 1), ".ubj")
    save("sliced", train(CLASSES, classes, 3)[1:3], ".ubj")
    if VERSION >= (2, 0):
        vector = {"multi_strategy": "multi_output_tree"}
        save("vector-leaves", train(TARGETS, vector), ".json")
        save("vector-leaves", train(TARGETS, vector), ".ubj")
        save(
            "vector-single-leaf",
            train(TARGETS, {**vector, "gamma": 1e9, "base_score": 0.1}, 1),
            ".ubj",
        )


def wrappers():
    """Models of the scikit-learn wrappers, which stop at their best round."""
    common = {"max_depth": 2, "n_jobs": 1, "learning_rate": 1.0, "tree_method": "hist"}
    stopped = {**common, "n_estimators": 30, "early_stopping_rounds": 2}
    binary = xgb.XGBClassifier(**stopped)
    binary.fit(
        X[:80], BINARY[:80].astype(int), eval_set=[(X[80:], BINARY[80:].astype(int))], verbose=False
    )
    several = xgb.XGBClassifier(**stopped)
    several.fit(X[:80], CLASSES[:80], eval_set=[(X[80:], CLASSES[80:])], verbose=False)
    plain = xgb.XGBRegressor(**common, n_estimators=2).fit(X, SIGNAL)
    forest = xgb.XGBRFRegressor(max_depth=2, n_jobs=1, n_estimators=3).fit(X, SIGNAL)
    models = {
        "stopped": binary,
        "stopped-classes": several,
        "wrapper": plain,
        "wrapper-forest": forest,
    }
    for number, (name, model) in enumerate(models.items()):
        save(name, model, (".json", ".ubj")[number % 2], model.predict(ROWS, output_margin=True))


def main():
    """Write everything of the installed version."""
    warnings.simplefilter("ignore")
    np.savetxt(HERE / "rows.csv", ROWS.astype(np.float64), "%.9g", delimiter=",")
    objectives()
    shapes()
    wrappers()
    MODELS["margins.json"] = json.dumps(MARGINS, separators=(",", ":")).encode()
    # A fixed date keeps the archive the same from run to run.
    with zipfile.ZipFile(HERE / f"{xgb.__version__}.zip", "w") as archive:
        for name, content in MODELS.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
