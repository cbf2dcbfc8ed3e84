import time

import pytest

from fastpd.errors import ModelFileError, ModelMismatchError, OptionError, UnsupportedModelError
from fastpd.forest import import_model
from fastpd.forest.importers.onnx import _importer
from fastpd.testing.cases.onnx import ORDERED
from fastpd.testing.onnx_models import model_of, regressor

onnx = pytest.importorskip("onnx")

node = onnx.helper.make_node


@pytest.mark.parametrize(
    "model",
    [
        model_of(node("Relu", ["X"], ["scores"])),
        model_of(node("Identity", ["nothing"], ["scores"])),
        model_of([regressor(ORDERED), regressor(ORDERED)]),
        model_of(regressor(ORDERED), inputs=("X", "X")),
        model_of(regressor(ORDERED), 2**40),
        onnx.ModelProto(),
    ],
)
def test_graphs_that_are_no_trees_are_refused(model):
    with pytest.raises((ModelFileError, UnsupportedModelError)):
        import_model(model)


def test_numbers_in_another_file_are_not_read(tmp_path):
    model = model_of(regressor(ORDERED, double=True), kind="DOUBLE")
    for one in model.graph.node[0].attribute:
        if one.name == "nodes_values_as_tensor":
            one.t.data_location = onnx.TensorProto.EXTERNAL
            one.t.ClearField("raw_data")
            entry = one.t.external_data.add()
            entry.key, entry.value = "location", "/etc/passwd"
    with pytest.raises(UnsupportedModelError, match="in another file"):
        import_model(model)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(UnsupportedModelError, match="in another file"):
        import_model(path)


@pytest.mark.parametrize("dims", [[3], [2**62, 4], [-1], [4, 1], []])
def test_tensors_whose_shape_is_not_theirs_are_refused(dims):
    model = model_of(regressor([("LEQ", 0, 0.5, 1.0, 2.0, 0)] * 2, double=True), kind="DOUBLE")
    for one in model.graph.node[0].attribute:
        if one.name == "target_weights_as_tensor":
            one.t.dims[:] = dims
    with pytest.raises(ModelFileError):
        import_model(model)


def test_functions_of_a_model_are_not_read():
    model = model_of(regressor(ORDERED))
    model.functions.add().name = "f"
    with pytest.raises(UnsupportedModelError, match="functions"):
        import_model(model)


def test_files(tmp_path):
    path = tmp_path / "model.onnx"
    data = model_of(regressor(ORDERED)).SerializeToString()
    path.write_bytes(data)
    assert import_model(path).n_trees == len(ORDERED)
    path.write_bytes(data[:-7])
    with pytest.raises(ModelFileError, match="no sound protocol buffer"):
        import_model(path)
    with pytest.raises(ModelFileError, match="cannot be read"):
        _importer.from_file(tmp_path / "absent.onnx")


def test_names_that_are_not_text_are_refused(tmp_path):
    data = model_of(regressor(ORDERED)).SerializeToString()
    path = tmp_path / "model.onnx"
    path.write_bytes(data.replace(b"nodes_modes", b"nodes_\xff\xfeode"))
    with pytest.raises(ModelFileError, match="not UTF-8"):
        import_model(path)


def test_there_are_no_rounds_to_choose_from():
    with pytest.raises(OptionError, match="no boosting rounds"):
        import_model(model_of(regressor(ORDERED)), iteration_range=(0, 1))


@pytest.mark.parametrize("nodes", [0, 1000])
def test_a_misread_model_is_found_by_the_reference_or_by_the_specification(monkeypatch, nodes):
    monkeypatch.setattr("fastpd.forest.importers.onnx.reference.NODES", nodes)
    model = model_of(regressor(ORDERED))
    assembled = _importer._assembled

    def misread(graph, source):
        forest = assembled(graph, source)
        forest.threshold[0] += 0.5
        return forest

    monkeypatch.setattr(_importer, "_assembled", misread)
    with pytest.raises(ModelMismatchError):
        import_model(model)


def test_a_big_model_is_imported_in_time():
    tree = 1.0
    for level in range(7):
        tree = ("LEQ", level % 3, level / 7, tree, tree, 0)
    model = model_of(regressor([tree] * 200))
    started = time.perf_counter()
    forest = import_model(model)
    assert time.perf_counter() - started < 2.0
    assert forest.n_trees == 200
