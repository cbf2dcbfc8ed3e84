import subprocess
import sys

import pytest

from fastpd.errors import OptionError, UnsupportedModelError
from fastpd.forest import import_model


def test_a_forest_is_returned_as_it_is(small):
    assert import_model(small) is small


def test_a_forest_has_no_rounds_to_choose_from(small):
    with pytest.raises(OptionError, match="no boosting"):
        import_model(small, iteration_range=(0, 1))


@pytest.mark.parametrize("model", [None, 3, [1, 2], object(), b"bytes"])
def test_an_unknown_type_is_named_beside_what_is_supported(model):
    with pytest.raises(UnsupportedModelError, match=type(model).__name__) as caught:
        import_model(model)
    assert "xgboost.Booster" in str(caught.value)


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
