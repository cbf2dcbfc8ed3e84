"""Texts of LightGBM models made by hand."""

from pathlib import Path

STUMP = {
    "num_leaves": "2",
    "num_cat": "0",
    "split_feature": "0",
    "split_gain": "1",
    "threshold": "0.5",
    "decision_type": "2",
    "left_child": "-1",
    "right_child": "-2",
    "leaf_value": "1 2",
    "leaf_weight": "3 4",
    "leaf_count": "3 4",
    "internal_value": "0",
    "internal_weight": "7",
    "internal_count": "7",
    "is_linear": "0",
    "shrinkage": "1",
}
ENDING = "feature_importances:\na=1\n\nparameters:\n[boosting: gbdt]\n\nend of parameters\n"


def stump(**changes):
    """Return the fields of a tree with one split; None leaves a field out."""
    return {key: value for key, value in {**STUMP, **changes}.items() if value is not None}


def text(*trees, ending=ENDING, labels="null", names="a b", **changes):
    """Return a model's text; None leaves a line of the header out."""
    blocks = [
        f"Tree={number}\n" + "".join(f"{key}={value}\n" for key, value in tree.items()) + "\n\n"
        for number, tree in enumerate(trees)
    ]
    header = {
        "version": "v4",
        "num_class": "1",
        "num_tree_per_iteration": "1",
        "label_index": "0",
        "max_feature_idx": str(names.count(" ")),
        "objective": "regression",
        "feature_names": names,
        "feature_infos": " ".join(["[-1:1]"] * len(names.split(" "))),
        "tree_sizes": " ".join(str(len(block.encode())) for block in blocks),
        **changes,
    }
    lines = [f"{key}={value}\n" for key, value in header.items() if value is not None]
    last = "" if labels is None else f"\npandas_categorical:{labels}\n"
    return "tree\n" + "".join(lines) + "\n" + "".join(blocks) + "end of trees\n\n" + ending + last


def write(folder: Path, content, name="model.txt"):
    """Write a text or bytes to a file and return its path."""
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path
