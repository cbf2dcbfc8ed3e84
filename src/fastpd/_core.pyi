"""
The compiled core of fastpd; called by the Python layers, which validate.
"""

from typing import Annotated

import numpy
from numpy.typing import NDArray


class Compiled:
    """A forest on bins, cut into pattern blocks."""

    def __init__(self, column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], cut: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], right: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], default_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], roots: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], first_member: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], members: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], player_of_column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], thresholds: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], feature: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], single: bool, missing: float) -> None: ...

    @property
    def n_counts(self) -> int: ...

    @property
    def n_blocks(self) -> int: ...

    @property
    def n_leaves(self) -> int: ...

    @property
    def nbytes(self) -> int: ...

    @property
    def largest_path(self) -> int: ...

    @property
    def deep_sizes(self) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def describe_block(compiled: Compiled, block: int) -> dict: ...

def patterns(compiled: Compiled, rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], block: int) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,))]: ...

def isa_names() -> list[str]:
    """Instruction sets that this processor can run, best first."""

def isa_in_use() -> str:
    """The instruction set that calls use now."""

class Measure:
    """How likely players pass the paths to the leaves."""

    @staticmethod
    def counted(patterns: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], total: float, deep_offsets: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], deep_masks: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], deep_counts: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Measure: ...

    @staticmethod
    def independent(chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Measure: ...

    @staticmethod
    def joint(chances: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Measure: ...

def leaves(compiled: Compiled) -> tuple:
    """(nodes, first_clause, n_clauses, players of all clauses)."""

def leaf_sides(compiled: Compiled, leaf: int) -> list: ...

def player_weights(compiled: Compiled, measure: Measure) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Weight of the rows that pass each clause."""

def leaf_weights(compiled: Compiled, measure: Measure) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]:
    """Weight of the rows that reach each leaf."""

def count_patterns(compiled: Compiled, rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, counts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int, progress: object | None) -> None:
    """Add the rows' weights to the pattern counts of every block."""

def count_deep(compiled: Compiled, rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], weights: Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, max_failing: int, limit: int, n_jobs: int, progress: object | None) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.uint64], dict(shape=(None,))], Annotated[NDArray[numpy.int64], dict(shape=(None,))]] | None:
    """
    Distinct masks at the deep leaves: (offsets, masks, counts), or None beyond the limit.
    """

class Query:
    """What a query asks for every set of players."""

    @staticmethod
    def value() -> Query: ...

    @staticmethod
    def index(moebius: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rule_sizes: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], points: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deep_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], deep_size: int) -> Query: ...

class Tables:
    """A query compiled to lookup tables."""

    @property
    def nbytes(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

class LowOrder:
    """Probabilities of every leaf for at most two players."""

    @property
    def expected_value(self) -> float: ...

def compile_tables(compiled: Compiled, measure: Measure, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], base: float, query: Query, set_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_players: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], fixed_point: bool, n_jobs: int, progress: object | None) -> Tables: ...

def estimate_table_bytes(compiled: Compiled, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], query: Query, set_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], set_players: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], fixed_point: bool) -> int: ...

def evaluate_tables(compiled: Compiled, tables: Tables, rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray, dict(shape=(None, None), device='cpu')], n_jobs: int, progress: object | None) -> None: ...

def predict(compiled: Compiled, values: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], tree_output: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], base: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray, dict(shape=(None, None), device='cpu')], n_jobs: int, progress: object | None) -> None: ...

def low_order(compiled: Compiled, measure: Measure, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_jobs: int, progress: object | None) -> LowOrder: ...

def main_effects(compiled: Compiled, low: LowOrder, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,))]: ...

def pair_effects(compiled: Compiled, low: LowOrder, pairs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], n_jobs: int, progress: object | None) -> None: ...

def evaluate_effects(compiled: Compiled, columns: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], mains: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], main_offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], pairs: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], offsets: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')] | Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu')], steps: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu')], rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], out: Annotated[NDArray, dict(shape=(None, None), device='cpu')], n_jobs: int, progress: object | None) -> None: ...

def bin_column(compiled: Compiled, rows: Annotated[NDArray, dict(shape=(None, None), device='cpu', writable=False)], column: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None,))]: ...

def present_sets(compiled: Compiled, values: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], order: int, limit: int) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,))], Annotated[NDArray[numpy.int32], dict(shape=(None,))]] | None: ...
