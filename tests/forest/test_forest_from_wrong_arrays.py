"""Arrays that describe no trees are refused, with the tree, the node and what was expected."""

import math

import numpy as np
import pytest
from hand_made import PAIR, STUMP

from fastpd import Forest
from fastpd.errors import FeatureError, OptionError

NAN, INF = math.nan, math.inf


def stump(**changes):
    return Forest.from_arrays(**{**STUMP, **changes})


def pair(**changes):
    return Forest.from_arrays(**{**PAIR, **changes})


WRONG_TREES = {
    "a child beyond the nodes": ({"right": [3, -1, -1]}, "node 0 has right 3; expected a node fr"),
    "a child below -1": ({"left": [1, -2, -1]}, "node 1 has left -2"),
    "a child beyond 64 bits": (
        {"left": np.array([2**63, 0, 0], np.uint64)},
        r"node 0 has left 9223372036854775808",
    ),
    "one child": ({"left": [1, 2, -1]}, "node 1 has a child on one side only"),
    "twice a child": ({"right": [1, -1, -1]}, "node 1 is a child 2 times"),
    "a root as child": ({"right": [0, -1, -1]}, r"node 0 is a root and a child, too \(a cycle\)"),
    "a node left out": (
        {**{k: [*v, -1] for k, v in STUMP.items()}},
        "node 3 is neither a root nor a child",
    ),
    "a cycle beside the root": (
        {
            "feature": [-1, 0, 0],
            "left": [-1, 2, 1],
            "right": [-1, 2, 1],
        },
        "node 1 is a child 2 times",
    ),
    "a feature below zero": ({"feature": [-1, 0, 0]}, "node 0 splits on feature -1; expected one"),
    "a feature beyond the names": (
        {"feature": [4, -1, -1], "feature_names": ["a", "b"]},
        "node 0 splits on feature 4; expected one from 0 to 1",
    ),
    "features of fractions": ({"feature": [0.0, -1, -1]}, "feature is .*float64; expected an arr"),
    "features of bools": (
        {"feature": [True, False, False]},
        "dtype bool; expected an array of who",
    ),
    "children of fractions": ({"left": [1.0, -1, -1]}, "left is .*; expected an array of whole"),
    "text": ({"threshold": ["a", "b", "c"]}, "threshold is .*; expected an array of numbers"),
    "a table": ({"threshold": [[1.0, 2.0]]}, "threshold is .* rows and columns; expected"),
    "ragged lists": ({"value": [[1.0], [1.0, 2.0], [1]]}, "value is .*; expected an array of num"),
    "one number": ({"left": 1}, "left is 1, .*; expected an array"),
    "nothing": ({"right": None}, "right is None, .*; expected an array"),
    "a mask": ({"value": np.ma.masked_array([0.0, 1, 2])}, "value is masked"),
    "too few": ({"threshold": [0.5]}, "threshold has 1 entries, but feature has 3"),
    "too many": ({"cover": [1.0] * 4}, "cover has 4 entries, but feature has 3"),
    "no threshold": ({"threshold": [NAN, 0, 0]}, "node 0 has the threshold nan; expected a finite"),
    "an infinite threshold": ({"threshold": [INF, 0, 0]}, "node 0 has the threshold inf"),
    "a threshold above all": (
        {"threshold": [np.finfo(float).max, 0, 0]},
        "node 0 has the threshold 1.79.*, which only infinity is above in float64",
    ),
    "a threshold above all of 32 bits": (
        {"threshold": [1e39, 0, 0], "comparison": "float32"},
        "only infinity is above in float32",
    ),
    "a threshold that would be rounded": ({"threshold": [2**53 + 1, 0, 0]}, "float64 would round"),
    "a leaf value that is none": ({"value": [0, NAN, 1]}, r"node 1 has the leaf value \[nan\]"),
    "an infinite leaf": ({"value": [0, 1, -INF]}, r"node 2 has the leaf value \[-inf\]"),
    "a value that overflows": ({"value": [0, 1, 1e308], "tree_weights": 10}, "node 2 has the leaf"),
    "leaves without values": ({"value": np.empty((3, 0))}, "value has 0 columns"),
    "a cover below zero": ({"cover": [3, -1, 2]}, "node 1 has the cover -1.0"),
    "flags that are none": ({"default_left": [2, 0, 0]}, "node 0 has default_left 2"),
    "a flag of text": ({"default_left": "yes"}, "default_left is 'yes'"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG_TREES.values(), ids=WRONG_TREES)
def test_arrays_that_are_no_tree_are_refused_with_the_node(changes, message):
    with pytest.raises(OptionError, match=message), np.errstate(over="ignore"):
        stump(**changes)


def test_a_cycle_that_hangs_on_nothing_is_refused():
    arrays = {
        "feature": [-1, 0, -1, 0, -1],
        "threshold": [0] * 5,
        "left": [-1, 2, -1, 4, -1],
        "right": [-1, 3, -1, 1, -1],
        "value": [0.0] * 5,
    }
    with pytest.raises(OptionError, match=r"node 1 cannot be reached from a root \(a cycle\)"):
        Forest.from_arrays(**arrays)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left": [[1, -1, 5, -1, -1], [1, -1, -1]]}, "node 2 of tree 0 has left 5; expected a no"),
        ({"right": [[2, -1, 4, -1, -1], [3, -1, -1]]}, "node 0 of tree 1 has right 3"),
        ({"left": [[1, -1, 3, -1, -1]]}, "left has 1 entries; expected a list of 2 arrays"),
        ({"left": np.zeros(8, int)}, "left has no list; expected a list of 2 arrays"),
        ({"value": [[0.0] * 5, [0.0] * 4]}, "value of tree 1 has 4 entries, but feature has 3"),
        ({"value": [np.zeros((5, 2)), np.zeros(3)]}, "another number of outputs"),
        ({"feature": [[0, -1, 1, -1, -1], []]}, "tree 1 has no nodes"),
        ({"feature": [[0, -1, 1, -1, -1], [0.5]]}, "feature of tree 1 is .*float64"),
        ({"roots": [0, 5]}, "roots is given beside a list of trees"),
        ({"left_codes": {0: [1]}}, "left_codes is a dict; expected 2 mappings, one a tree"),
        ({"left_codes": [{0: [1]}, {3: [1]}]}, "left_codes names node 3; expected one from 0 to 2"),
        ({"left_codes": [{}, {1: [1]}]}, "node 1 of tree 1 has left_codes, but is a leaf"),
        ({"tree_output": [0]}, "tree_output is .*; expected the number of an output for each of 2"),
        ({"tree_output": [0, -1]}, "tree_output is"),
        ({"tree_output": [0.0, 1.0]}, "tree_output is"),
        ({"tree_output": [[0], [0, 1]]}, "tree_output is"),
        ({"tree_output": [0, 2**40]}, "tree_output is"),
        (
            {"tree_output": [0, 2], "output_names": ["a", "b"]},
            "tree_output has 2; expected outputs",
        ),
        ({"tree_weights": [1, 2, 3]}, "tree_weights has 3 entries; expected 1 or 2, one a tree"),
        ({"tree_weights": NAN}, "tree_weights is nan; expected finite numbers"),
    ],
)
def test_lists_of_trees_that_do_not_fit_are_refused_with_the_tree(changes, message):
    with pytest.raises(OptionError, match=message):
        pair(**changes)


@pytest.mark.parametrize("roots", [[1], [0, 3], [0, 0], [-1], [], [0.0], [[0]], "0"])
def test_roots_that_are_none_are_refused(roots):
    with pytest.raises(OptionError, match=r"roots is|is a root and a child"):
        stump(roots=roots)


def test_a_child_in_another_tree_is_refused():
    with pytest.raises(OptionError, match="node 0 has a child behind the root of another tree"):
        Forest.from_arrays(
            feature=[0, -1, -1, 0, -1, -1],
            threshold=[0.0] * 6,
            left=[1, -1, -1, 2, -1, -1],
            right=[4, -1, -1, 5, -1, -1],
            value=[0.0] * 6,
            roots=[0, 3],
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"left_if": "="}, "left_if is '='; expected one of '<', '<='"),
        ({"comparison": "float16"}, "comparison is 'float16'"),
        ({"link": "probit"}, "link is 'probit'"),
        ({"absent": None}, "absent is None"),
        ({"feature_names": "a"}, "feature_names is 'a'; expected a list of strings"),
        ({"feature_names": [1]}, "feature_names is"),
        ({"feature_names": np.array(3)}, "feature_names is"),
        ({"feature_names": ["a"], "n_features": np.zeros(3)}, "features are asked for"),
        ({"feature_names": ["a", "a"]}, "feature_names has 'a' twice"),
        ({"output_names": ["a", "a"]}, "output_names has 'a' twice"),
        ({"feature_names": ["a"], "n_features": 2}, "n_features is 2 for 1 feature_names"),
        ({"n_features": 0}, "0 features are asked for"),
        ({"n_features": 2.0}, "2.0 features are asked for"),
        ({"n_features": 10**12}, "expected a number from 1 to 10000000"),
        ({"feature": [2**31 - 2, -1, -1]}, "expected a number from 1 to 10000000"),
        ({"base": [1, 2], "output_names": ["a", "b", "c"]}, "base 2 entries"),
        ({"base": NAN}, "base is nan; expected finite numbers"),
        ({"base": "0"}, "base is '0'"),
        ({"base": [[1.0]]}, r"base is \[\[1.0\]\]"),
        ({"missing": "x"}, "missing is 'x'"),
        ({"missing": INF}, "missing is inf"),
        ({"left_codes": {0: []}}, r"node 0 has left_codes \[\]; .*If none goes left"),
        ({"left_codes": {0: [-1]}}, r"node 0 has left_codes \[-1\]"),
        ({"left_codes": {0: [0.5]}}, r"node 0 has left_codes \[0.5\]"),
        ({"left_codes": {0: "ab"}}, "node 0 has left_codes 'ab'"),
        ({"left_codes": {0: 1}}, "node 0 has left_codes 1"),
        ({"left_codes": {1: [1]}}, "node 1 has left_codes, but is a leaf"),
        ({"left_codes": {0.0: [1]}}, "left_codes names node 0.0"),
        ({"left_codes": {0: [2**53]}}, "node 0 has the code 9007199254740992"),
        ({"left_codes": {0: [2**24]}, "comparison": "float32"}, "codes below 16777216"),
        ({"left_codes": [0]}, "left_codes is a list; expected a mapping from a node"),
        (
            {"left_codes": {0: [1, 2]}, "categories": {"f0": ["a", "b"]}},
            "left_codes has the code 2 of 'f0', which has 2 categories; expected codes from 0 to 1",
        ),
        ({"categories": ["a"]}, "categories is a list"),
        ({"categories": {"f0": "ab"}}, "expected a list of labels, code 0 first"),
        ({"categories": {"f0": ["a", "a"]}}, "a label twice"),
        (
            {"value": np.zeros((3, 2)), "tree_output": [0]},
            "tree_output is given beside leaves of 2",
        ),
        ({"value": np.zeros((3, 2)), "base": [1, 2, 3]}, "value has 2 columns and base 3 entries"),
    ],
)
def test_options_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(OptionError, match=message):
        stump(**changes)


def test_categories_of_a_column_that_is_not_there_are_refused():
    with pytest.raises(FeatureError, match=r"'city', which is no feature"):
        stump(categories={"city": ["a"]})


def test_an_empty_forest_needs_to_know_its_columns():
    with pytest.raises(OptionError, match="0 features are asked for"):
        Forest.from_arrays(**{name: [] for name in STUMP})
