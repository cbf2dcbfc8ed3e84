"""Sound model files to damage: small, with everything in them that a reader must check."""

from __future__ import annotations

import importlib.util
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np

RNG = np.random.default_rng(5)
X = RNG.normal(size=(60, 3)).astype(np.float32)
X[RNG.random(X.shape) < 0.1] = np.nan
X[:, 2] = RNG.integers(0, 5, 60)
Y = np.nan_to_num(X[:, 0]) + (X[:, 2] % 2)
CLASSES = np.digitize(Y, [0.0, 1.0])


def xgboost_file(suffix: str) -> bytes:
    import xgboost as xgb

    data = xgb.DMatrix(X, CLASSES, feature_types=["q", "q", "c"], feature_names=["a", "b", "c"])
    params = {"objective": "multi:softprob", "num_class": 3, "max_depth": 3, "nthread": 1}
    booster = xgb.train(params | {"max_cat_to_onehot": 2}, data, 2)
    return bytes(booster.save_raw(suffix))


def xgboost_labels_file(suffix: str) -> bytes:
    import pandas as pd
    import xgboost as xgb

    letters = pd.Categorical.from_codes(X[:, 2].astype(int), list("zyxwv"))
    numbers = pd.Categorical(X[:, 2].astype(int) * 10)
    table = pd.DataFrame({"a": X[:, 0], "letter": letters, "number": numbers})
    data = xgb.DMatrix(table, Y, enable_categorical=True)
    params = {"max_depth": 3, "nthread": 1, "max_cat_to_onehot": 1, "booster": "dart"}
    return bytes(xgb.train(params | {"rate_drop": 0.5}, data, 3).save_raw(suffix))


def lightgbm_file() -> bytes:
    import lightgbm as lgb

    data = lgb.Dataset(X.astype(float), Y, categorical_feature=[2], params={"verbose": -1})
    params = {"num_leaves": 5, "min_data_in_leaf": 3, "min_data_per_group": 1, "verbose": -1}
    params |= {"num_threads": 1, "cat_smooth": 1}
    text: str = lgb.train(params, data, 3).model_to_string()
    return text.encode()


def catboost_file(kind: str) -> bytes:
    import catboost

    cells = [[float(a), float(b), f"label {int(c)}"] for a, b, c in X]
    data = catboost.Pool(cells, CLASSES, cat_features=[2])
    options = {"iterations": 3, "depth": 3, "one_hot_max_size": 2, "max_ctr_complexity": 1}
    options |= {"thread_count": 1, "verbose": False, "allow_writing_files": False}
    model = catboost.CatBoostClassifier(**options).fit(data)
    return saved(lambda path: model.save_model(str(path), format=kind), f"model.{kind}")


def onnx_file() -> bytes:
    from skl2onnx import to_onnx
    from sklearn.ensemble import RandomForestClassifier

    rows = np.nan_to_num(X)
    model = RandomForestClassifier(3, max_depth=3, random_state=0).fit(rows, CLASSES)
    return bytes(to_onnx(model, rows[:1]).SerializeToString())


def onnx_sum_file() -> bytes:
    import onnx.helper

    from fastpd.testing.cases.onnx import EQUAL, ORDERED
    from fastpd.testing.onnx_models import model_of, regressor

    nodes = [
        onnx.helper.make_node("Cast", ["X"], ["Z"], to=11),
        regressor(ORDERED, given="Z", scores="one", double=True),
        regressor(EQUAL, given="Z", scores="other", double=True, base_values=[0.5]),
        onnx.helper.make_node("Mul", ["other", "factor"], ["scaled"]),
        onnx.helper.make_node("Add", ["one", "scaled"], ["scores"]),
    ]
    model = model_of(nodes, constants={"factor": np.array([2.0])})
    return bytes(model.SerializeToString())


def onnx_set_file() -> bytes:
    from fastpd.testing.cases.onnx import MEMBERS
    from fastpd.testing.onnx_models import model_of, tree_ensemble

    return bytes(model_of(tree_ensemble(MEMBERS), opset=5).SerializeToString())


SEEDS: dict[str, tuple[str, str, Callable[[], bytes]]] = {
    "xgboost-json": ("xgboost", "model.json", lambda: xgboost_file("json")),
    "xgboost-ubj": ("xgboost", "model.ubj", lambda: xgboost_file("ubj")),
    "xgboost-labels-json": ("xgboost", "model.json", lambda: xgboost_labels_file("json")),
    "xgboost-labels-ubj": ("xgboost", "model.ubj", lambda: xgboost_labels_file("ubj")),
    "lightgbm-text": ("lightgbm", "model.txt", lightgbm_file),
    "catboost-json": ("catboost", "model.json", lambda: catboost_file("json")),
    "catboost-cbm": ("catboost", "model.cbm", lambda: catboost_file("cbm")),
    "onnx": ("skl2onnx", "model.onnx", onnx_file),
    "onnx-sum": ("onnx", "model.onnx", onnx_sum_file),
    "onnx-sets": ("onnx", "model.onnx", onnx_set_file),
}


def known() -> list[str]:
    """Return the kinds of files that can be made here."""
    return [kind for kind, (package, _, _) in SEEDS.items() if importlib.util.find_spec(package)]


def saved(save: Callable[[Path], object], name: str) -> bytes:
    """Return what a library writes into a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        save(path)
        return path.read_bytes()
