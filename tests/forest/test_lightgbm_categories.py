"""Labels of pandas categories: which column they belong to, and what a table of them means."""

import numpy as np
import pytest
from lightgbm_texts import stump, text, write

from fastpd import Explainer
from fastpd.errors import DataError, ModelFileError
from fastpd.forest import Categories, import_model

lgb = pytest.importorskip("lightgbm")
pd = pytest.importorskip("pandas")

RNG = np.random.default_rng(3)
N = 300
AGE = RNG.normal(40, 10, N)
CITY = RNG.choice(list("xyz"), N)
GRADE = RNG.choice([10, 20, 30], N)
FLAG = RNG.integers(0, 2, N)
CODE = RNG.integers(0, 3, N)
TARGET = AGE / 10 + 3.0 * (CITY == "y") + GRADE / 10 + 2 * FLAG + (CODE == 1)


def city():
    return pd.Categorical(CITY)


def grade(*, ordered=True):
    return pd.Categorical(GRADE, ordered=ordered)


def trained(table, categorical="auto"):
    model = lgb.LGBMRegressor(
        n_estimators=3, num_leaves=6, min_child_samples=3, verbose=-1, n_jobs=1, cat_smooth=1
    )
    return model.fit(table, TARGET, categorical_feature=categorical)


def labels_of(table, categorical="auto"):
    """Return the labels that the columns are taken to have; ``?`` where there may be any."""
    forest = import_model(trained(table, categorical))
    known = forest.categories or (None,) * forest.n_features
    return [None if one is None else one.labels or "?" for one in known]


XYZ, GRADES = ("x", "y", "z"), (10, 20, 30)


def test_unordered_categories_are_split_as_such():
    assert labels_of(pd.DataFrame({"age": AGE, "city": city()})) == [None, XYZ]


def test_ordered_categories_are_numbers_with_labels():
    """Only the values seen tell which column of numbers they are."""
    table = pd.DataFrame({"age": AGE, "city": city(), "grade": grade()})
    assert labels_of(table) == [None, XYZ, GRADES]


def test_a_column_that_no_split_uses_keeps_its_labels():
    table = pd.DataFrame({"k": pd.Categorical(["s"] * N), "age": AGE, "city": city()})
    assert labels_of(table) == [("s",), None, XYZ]


def test_codes_in_a_frame_have_no_labels():
    table = pd.DataFrame({"age": AGE, "code": CODE, "flag": FLAG})
    assert labels_of(table, ["code"]) == [None, "?", None]


def test_codes_beside_labels_of_another_number_of_categories():
    table = pd.DataFrame({"code": CODE, "big": RNG.integers(5, 20, N), "city": city()})
    assert labels_of(table, ["big", "city"]) == [None, "?", XYZ]


def test_codes_that_might_be_the_labelled_column_leave_no_label():
    table = pd.DataFrame({"code": CODE, "age": AGE, "city": city()})
    assert labels_of(table, ["code", "city"]) == ["?", None, "?"]


def test_labels_are_known_where_others_are_not():
    table = pd.DataFrame({"code": CODE, "grade": grade(), "city": city()})
    assert labels_of(table) == ["?", "?", XYZ]


def test_a_number_that_is_no_code_of_the_ordered_labels_is_none():
    """A flag may hold two of three codes, but the column that holds all three is the better one."""
    table = pd.DataFrame({"flag": FLAG, "grade": grade()})
    assert labels_of(table) == ["?", GRADES]


@pytest.mark.parametrize("categorical", ["auto", ["code"], ["city"], ["code", "city"], []])
@pytest.mark.parametrize("ordered", [True, False])
def test_a_table_as_in_training_is_read_as_lightgbm_reads_it_or_refused(categorical, ordered):
    """Whatever the user set as categorical, and whichever columns have the dtype."""
    parts = {"flag": FLAG, "code": CODE, "grade": grade(ordered=ordered), "city": city()}
    refused = 0
    for names in (["flag", "grade"], ["code", "grade"], ["grade", "code"], ["code", "flag"]):
        table = pd.DataFrame({name: parts[name] for name in [*names, "city"]})
        chosen = "auto" if categorical == "auto" else [one for one in categorical if one in table]
        model = trained(table, chosen)
        try:
            found = Explainer(model, table[:20]).predict(table)
        except DataError as error:
            found = error
        if isinstance(found, DataError):
            assert "has labels" in str(found) or "expected the labels" in str(found)
            refused += 1
        else:
            np.testing.assert_allclose(found, model.predict(table), atol=1e-6)
    assert refused < (3 if categorical == "auto" else 4)


def test_unseen_and_absent_labels_are_missing():
    model = trained(pd.DataFrame({"age": AGE, "city": city()}))
    rows = pd.DataFrame({"age": AGE[:4], "city": pd.Categorical(["z", "q", None, "y"])})
    explainer = Explainer(model, pd.DataFrame({"age": AGE, "city": city()}))
    np.testing.assert_allclose(explainer.predict(rows), model.predict(rows), atol=1e-6)


def test_labels_may_be_given_where_they_are_not_known():
    table = pd.DataFrame({"code": CODE, "age": AGE, "city": city()})
    model = trained(table, ["code", "city"])
    with pytest.raises(DataError, match=r"Explainer\(\.\.\., categories="):
        Explainer(model, table)
    explainer = Explainer(model, table, categories={"city": ["x", "y", "z"]})
    np.testing.assert_allclose(explainer.predict(table), model.predict(table), atol=1e-6)


def test_a_file_keeps_the_labels(tmp_path):
    model = trained(pd.DataFrame({"age": AGE, "city": city()}))
    model.booster_.save_model(tmp_path / "model.txt")
    assert import_model(tmp_path / "model.txt").categories == (None, Categories(XYZ))


def test_labels_that_lightgbm_cannot_write_are_refused():
    table = pd.DataFrame({"age": AGE, "band": pd.cut(GRADE, 3)})
    model = lgb.Booster({"verbose": -1}, lgb.Dataset(table, TARGET, params={"verbose": -1}))
    model.update()
    with pytest.raises(Exception, match="does not write its text"):
        import_model(model)


@pytest.mark.parametrize("info", ["0:1", "none", "-1:1:0", "[0:1]", "[-inf:inf]", "[nan:nan]"])
def test_what_was_seen_of_a_column_is_read_in_all_forms(tmp_path, info):
    forest = import_model(write(tmp_path, text(stump(), feature_infos=f"{info} none")))
    assert bool(forest.categories) == (info in ("0:1", "-1:1:0"))


@pytest.mark.parametrize("info", ["[0:1", "[0;1]", "", "0:1.5", "[x:1]", "zero", "1:"])
def test_other_forms_are_damage(tmp_path, info):
    with pytest.raises(ModelFileError, match="feature"):
        import_model(write(tmp_path, text(stump(), feature_infos=f"{info} none")))


@pytest.mark.parametrize(
    "labels", ['[["a", "a"]]', "[[null]]", "[[[1]]]", "[1]", "{}", "nul", "", "[" * 9999]
)
def test_labels_that_are_none_are_damage(tmp_path, labels):
    with pytest.raises(ModelFileError, match=r"labels|pandas_categorical|followed"):
        import_model(write(tmp_path, text(stump(), labels=labels)))
