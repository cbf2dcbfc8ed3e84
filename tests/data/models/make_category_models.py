"""Write the frozen models of one XGBoost version that split by categories.

Run it as `make_models.py` beside it. It writes `<version>-categories.zip` with the models and
`margins.json`, the raw predictions of each on the rows of `category_rows.csv`.
"""

import json
import pathlib
import tempfile
import warnings
import zipfile

import numpy as np
import xgboost as xgb

HERE = pathlib.Path(__file__).parent
NAMES = ["age", "city", "sex"]
TYPES = ["q", "c", "c"]
# Codes of training and beyond, in fractions, negative, where float32 has no fractions left.
CODES = [*range(6), 17, 38, 39, 40, 63, 64, 5000, 2**24 - 1, 2**24, 1e30, -1, -0.5, -0.0, 0.5, 2.9]
MARGINS = {}
MODELS = {}


def training_rows():
    """Return a number, one of 40 categories and one of 3, some of them missing, and a label."""
    random = np.random.RandomState(7)
    X = np.column_stack(
        [random.normal(size=300), random.randint(0, 40, 300), random.randint(0, 3, 300)]
    )
    label = np.sin(X[:, 1] * 2.0) + (X[:, 2] == 1) * X[:, 0] + 0.1 * random.normal(size=300)
    X[random.uniform(size=X.shape) < 0.05] = np.nan
    return X.astype(np.float32), label


X, LABEL = training_rows()
CITIES = np.column_stack([np.full(len(CODES), 0.3), CODES, np.ones(len(CODES))])
SEXES = np.column_stack([np.full(len(CODES), -0.3), np.full(len(CODES), 3.0), CODES])
LOST = np.array([[np.nan, 1, 2], [0.1, np.nan, 1], [0.1, 7, np.nan], [np.nan] * 3])
ROWS = np.vstack([X[:20], CITIES, SEXES, LOST]).astype(np.float32)


def save(name, suffix, **params):
    """Train and write a model, and note what it predicts on the rows."""
    data = xgb.DMatrix(X, LABEL, feature_types=TYPES, feature_names=NAMES)
    common = {"tree_method": "hist", "max_depth": 4, "nthread": 1, "eta": 0.7}
    booster = xgb.train({**common, **params}, data, 3)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "model" + suffix)
        booster.save_model(path)
        MODELS[name + suffix] = path.read_bytes()
    rows = xgb.DMatrix(ROWS, feature_types=TYPES, feature_names=NAMES)
    margins = booster.predict(rows, output_margin=True)
    MARGINS[name + suffix] = np.asarray(margins, np.float64).reshape(len(ROWS), -1).tolist()


def main():
    """Write everything of the installed version."""
    warnings.simplefilter("ignore")
    np.savetxt(HERE / "category_rows.csv", ROWS.astype(np.float64), "%.9g", delimiter=",")
    save("sets", ".json", max_cat_to_onehot=1)
    save("sets", ".ubj", max_cat_to_onehot=1)
    save("one-each", ".json", max_cat_to_onehot=100)
    save("some-of-both", ".ubj", max_cat_to_onehot=5, booster="dart", rate_drop=0.5, one_drop=1)
    save("pruned", ".json", max_cat_to_onehot=1, gamma=4.0, tree_method="approx")
    MODELS["margins.json"] = json.dumps(MARGINS, separators=(",", ":")).encode()
    # A fixed date keeps the archive the same from run to run.
    with zipfile.ZipFile(HERE / f"{xgb.__version__}-categories.zip", "w") as archive:
        for name, content in MODELS.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED, 9)


if __name__ == "__main__":
    main()
