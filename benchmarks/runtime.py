"""SHAP of all features over the whole background, stage by stage, beside prediction and peers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any

import numpy as np

import fastpd
from benchmarks.environment import all_threads
from benchmarks.models import FLOAT32, LARGE, LARGER, PAPER, SMALL, Setup, rows_of, trained
from benchmarks.peers import PEERS, Peer, predictor
from benchmarks.report import Column, Report, Table, Target, almost
from benchmarks.timing import Measured, growing, seconds

__all__ = ["measure"]

_STAGES = ("import", "fit", "tables", "evaluation", "total")


@dataclass
class Case:
    """One setup at one size, on one number of threads: what everything took, in seconds."""

    setup: Setup
    n_rows: int
    n_threads: int
    stages: dict[str, float]
    predict: float
    gap: float  # between base value + sum of values and XGBoost's prediction, in its ranges
    peers: dict[str, Measured] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """What a table calls it."""
        return f"{self.setup.title}, n = {self.n_rows:,}"


def measure(quick: bool) -> Report:
    """Time fastpd and all peers on the setups, with one thread and with all."""
    budget = 1.0 if quick else 45.0
    sizes = [*_sizes(quick)]
    counts = sorted({1, all_threads()})
    by_threads = {k: [_case(*size, k, budget, quick) for size in sizes] for k in counts}
    tables = [_times(cases, k) for k, cases in by_threads.items()]
    tables += [_ratios(cases, k) for k, cases in by_threads.items()]
    tables.append(_agreement(by_threads[1]))
    title = "SHAP of all features over the whole background (n rows explained over the same n rows)"
    targets = [*_targets(by_threads[1]), *_checks(by_threads[1])]
    return Report("runtime", title, tables, targets, quick)


def _sizes(quick: bool) -> Iterator[tuple[Setup, int]]:
    if quick:
        yield from ((PAPER, 1000), (SMALL, 1000))
        return
    yield from ((PAPER, n) for n in range(1000, 8001, 1000))
    yield from ((LARGE, LARGE.n_train), (LARGER, LARGER.n_train))


def _case(setup: Setup, n_rows: int, n_threads: int, budget: float, quick: bool) -> Case:
    model, X = trained(setup), rows_of(setup, n_rows)
    stages, predict = _rounds(model, X, n_threads, 0.5 if quick else 5.0)
    explainer = fastpd.Explainer(model, X, n_jobs=n_threads, progress=False)
    raw = np.asarray(predictor(model, n_threads)(X), dtype=np.float64)
    total = explainer.expected_value + explainer.shap(X).values.sum(axis=1)
    gap = float(np.abs(total - raw).max() / np.ptp(raw))
    case = Case(setup, n_rows, n_threads, stages, predict, gap)
    for peer in PEERS:
        if not peer.installed or (n_threads > 1 and not peer.threads):
            continue
        run = peer.prepare(model, X, n_threads)
        found = growing(run, X, budget * peer.share, peer.first)
        case.peers[peer.name] = found
        part = slice(found.n_run)
        case.errors[peer.name] = _error(peer, found, explainer.shap(X[part]).values, raw)
    return case


def _error(peer: Peer, found: Measured, ours: Any, raw: Any) -> float:
    """Return the largest difference of two answers, as a share of the prediction's range.

    TreeSHAP-path answers another question, so only its sum is compared: with the prediction.
    """
    difference = found.answer - ours if peer.interventional else found.answer.sum(axis=1)
    if not peer.interventional:
        difference = difference - raw[: found.n_run]
    return float(np.abs(difference).max() / np.ptp(raw))


def _rounds(
    model: Any, X: FLOAT32, n_threads: int, budget: float, most: int = 50
) -> tuple[dict[str, float], float]:
    """Return the best time of every stage and of predicting, taken in turns."""
    run = predictor(model, n_threads)
    start, rounds, predictions = perf_counter(), list[dict[str, float]](), list[float]()
    while len(rounds) < 3 or (len(rounds) < most and perf_counter() - start < budget):
        predictions += [seconds(lambda: run(X)) for _ in range(3)]
        rounds.append(_stages(model, X, n_threads))
    return {name: min(one[name] for one in rounds) for name in _STAGES}, min(predictions)


def _stages(model: Any, X: FLOAT32, n_threads: int) -> dict[str, float]:
    """Time one explainer from the model to the values of all rows."""
    start = perf_counter()
    explainer = fastpd.Explainer(model, n_jobs=n_threads, progress=False)
    imported = perf_counter()
    explainer.update(X)
    fitted = perf_counter()
    first = seconds(lambda: explainer.shap(X[:1]))
    warm = min(seconds(lambda: explainer.shap(X[:1])) for _ in range(3))
    evaluation = min(seconds(lambda: explainer.shap(X)) for _ in range(2))
    fit, tables = fitted - imported, max(first - warm, 0.0)
    total = fit + tables + evaluation
    return dict(zip(_STAGES, (imported - start, fit, tables, evaluation, total), strict=True))


def _times(cases: list[Case], n_threads: int) -> Table:
    peers = [peer.name for peer in PEERS if peer.installed and (n_threads == 1 or peer.threads)]
    rows = [
        [
            case.title,
            *(case.stages[stage] for stage in _STAGES),
            case.predict,
            *(_peer_time(case.peers[name]) for name in peers),
        ]
        for case in cases
    ]
    names = ["setup", "model import", *_STAGES[1:], "inplace_predict", *peers]
    columns: list[Column] = [(name, "time" if i else "") for i, name in enumerate(names)]
    note = "fit = the pass over the background; total = fit + tables + evaluation. "
    note += "inplace_predict and pred_contribs are XGBoost's."
    if n_threads > 1:
        note += " woodelf and shap use one thread: see above."
    return Table(f"Times, {_threads(n_threads)}", columns, rows, note)


def _ratios(cases: list[Case], n_threads: int) -> Table:
    peers = [peer.name for peer in PEERS if peer.installed and (n_threads == 1 or peer.threads)]
    rows = [
        [
            case.title,
            case.stages["total"] / case.predict,
            case.stages["evaluation"] / case.predict,
            *(_speedup(case, name) for name in peers),
        ]
        for case in cases
    ]
    names = ["total / inplace_predict", "evaluation / inplace_predict"]
    names += [f"{name} / total" for name in peers]
    columns: list[Column] = [("setup", ""), *((name, "ratio") for name in names)]
    return Table(f"Ratios, {_threads(n_threads)}", columns, rows)


def _agreement(cases: list[Case]) -> Table:
    peers = [peer for peer in PEERS if peer.installed]
    rows = [
        [case.title, *(x for p in peers for x in (case.errors[p.name], case.peers[p.name].n_run))]
        for case in cases
    ]
    columns: list[Column] = [("setup", "")]
    for peer in peers:
        what = peer.name if peer.interventional else f"{peer.name} (sum, with prediction)"
        columns += [(what, "error"), ("rows", "count")]
    note = "XGBoost's pred_contribs is TreeSHAP-path, another quantity; only its sum is comparable."
    title = "Largest difference from fastpd's answer, as a share of the prediction's range"
    return Table(title, columns, rows, note)


def _peer_time(found: Measured) -> Any:
    return almost(found.seconds) if found.estimated else found.seconds


def _speedup(case: Case, name: str) -> Any:
    found = case.peers[name]
    ratio = found.seconds / case.stages["total"]
    return almost(ratio) if found.estimated else ratio


def _threads(n_threads: int) -> str:
    return "one thread" if n_threads == 1 else f"{n_threads} threads"


def _targets(cases: list[Case]) -> Iterator[Target]:
    """Compare with what was asked for, on one thread; of several sizes the worst counts."""
    for setup in dict.fromkeys(case.setup for case in cases):
        own = [case for case in cases if case.setup == setup]
        end = f"{setup.title}" + (", every n" if len(own) > 1 else "")
        total = max(case.stages["total"] / case.predict for case in own)
        evaluation = max(case.stages["evaluation"] / case.predict for case in own)
        if not setup.paper:
            yield Target(f"total / inplace_predict: {end}", total, 5.0, "ratio")
        yield Target(f"evaluation / inplace_predict: {end}", evaluation, 2.0, "ratio")
        for name, limit in (("woodelf", 30.0), ("pred_contribs", 20.0)):
            found = [
                case.peers[name].seconds / case.stages["total"]
                for case in own
                if name in case.peers
            ]
            what = f"{name} / total: {end}"
            yield Target(what, min(found, default=None), limit, "ratio", at_most=False)


def _checks(cases: list[Case]) -> Iterator[Target]:
    """Hold the answers against XGBoost's prediction on all rows, and against the arbiters."""
    gap = max(case.gap for case in cases)
    yield Target("values add up to XGBoost's prediction", gap, 1e-6, "error", check=True)
    for peer in (peer for peer in PEERS if peer.arbiter):
        found = [case.errors[peer.name] for case in cases if peer.name in case.errors]
        if found:
            yield Target(f"agreement with {peer.name}", max(found), 1e-5, "error", check=True)
