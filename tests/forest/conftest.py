import json
import zipfile

import pytest
from hand_made import MODELS, make_forest


@pytest.fixture
def frozen(tmp_path):
    """Write a frozen model to a file and return its path."""

    def extract(version, name):
        with zipfile.ZipFile(MODELS / f"{version}.zip") as archive:
            path = tmp_path / name
            path.write_bytes(archive.read(name))
        return path

    return extract


@pytest.fixture
def document(frozen):
    """Return the content of a frozen JSON model, to be damaged."""

    def read(name="named.json", version="3.2.0"):
        return json.loads(frozen(version, name).read_text())

    return read


@pytest.fixture
def write(tmp_path):
    """Write content to a file, as JSON unless it is bytes, and return its path."""

    def to_file(content, name="model.json"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
        return path

    return to_file


@pytest.fixture
def small():
    """Return a tree of two splits and three leaves over two columns."""
    return make_forest()
