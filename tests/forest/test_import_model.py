import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from fastpd.errors import ModelFileError, OptionError, UnsupportedModelError
from fastpd.forest import import_model


def test_a_forest_keeps_its_numbers(small):
    again = import_model(small)
    for name in ("feature", "threshold", "left", "right", "value", "roots", "base"):
        np.testing.assert_array_equal(getattr(again, name), getattr(small, name))


def test_arrays_of_a_forest_get_the_types_that_the_core_takes(small):
    wide = replace(small, left=small.left.astype(np.int64), value=small.value.astype(np.float32))
    again = import_model(wide)
    assert again.left.dtype == np.int32
    assert again.value.dtype == np.float64


@pytest.mark.parametrize(
    "broken",
    [
        {"left": np.array([1, -1, 9, -1, -1], np.int32)},
        {"left": np.array([1.5, -1, 3, -1, -1])},
        {"threshold": np.array(["0.5", "0", "-1", "0", "0"])},
        {"value": np.full((5, 1), np.nan)},
    ],
)
def test_a_forest_that_is_no_forest_is_refused(small, broken):
    with pytest.raises(ModelFileError):
        import_model(replace(small, **broken))


def test_a_forest_has_no_rounds_to_choose_from(small):
    with pytest.raises(OptionError, match="no boosting"):
        import_model(small, iteration_range=(0, 1))


@pytest.mark.parametrize("model", [None, 3, [1, 2], object(), b"bytes"])
def test_an_unknown_type_is_named_beside_what_is_supported(model):
    with pytest.raises(UnsupportedModelError, match=type(model).__name__) as caught:
        import_model(model)
    assert "XGBoost, LightGBM, CatBoost or scikit-learn" in str(caught.value)


def test_a_type_is_known_by_module_and_name_not_by_name_alone():
    class Booster:
        pass

    with pytest.raises(UnsupportedModelError):
        import_model(Booster())


def test_no_model_library_is_imported_to_look_up_a_type():
    code = (
        "import sys, fastpd.forest as f\n"
        "try: f.import_model(object())\n"
        "except TypeError: pass\n"
        "assert 'xgboost' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", ["model.txt", "model.cbm", "model\0.onnx", "."])
def test_a_file_that_cannot_be_read_is_called_that_of_no_library(tmp_path, name):
    with pytest.raises(
        ModelFileError, match=r"^The model file .* cannot be read: .*Check the path"
    ):
        import_model(f"{tmp_path}/{name}")
