"""The experiments: their names, what of the paper each repeats, and at what size the paper did."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CATALOGUE", "NAMES", "Entry", "as_table", "name_of"]


@dataclass(frozen=True)
class Entry:
    """One experiment.

    Attributes
    ----------
    name
        Its module.
    paper
        What of the paper it repeats, such as ``"figure 3"``; figures from 7 on are the appendix's.
    size
        The paper's own size, or what `--repeats` and `--searches` mean here.
    """

    name: str
    paper: tuple[str, ...]
    size: str


CATALOGUE = (
    Entry("proposition1", ("proposition 1", "figure 11"), "none given; repeats are samples"),
    Entry("differences", ("figure 2", "figure 9"), "--repeats 100 --searches 50"),
    Entry("errors", ("figure 3", "figure 7", "figure 8"), "--repeats 100 --searches 50"),
    Entry("runtime", ("figure 4",), "--repeats 100; not tuned, so without searches"),
    Entry("components", ("figure 5", "figure 10"), "--repeats 150 --searches 50"),
    Entry("suites", ("section 5.1",), "--searches 100; repeats are small backgrounds"),
    Entry("adult", ("figure 6", "section 5.2"), "--searches 25; repeats are fits"),
    Entry("complexity", ("table 1",), "none: the paper states, here is measured"),
    Entry("consistency", ("proposition 2",), "none given; repeats are backgrounds"),
    Entry("coverage", ("check of the background",), "none given; repeats are backgrounds"),
    Entry("readings", ("equation 5",), "none: it takes a second"),
)
NAMES = tuple(entry.name for entry in CATALOGUE)


def name_of(wanted: str) -> str:
    """Return the name of the experiment that is meant by a name, a number or a place.

    Raises
    ------
    ValueError
        Where there is none, with what there is.

    Examples
    --------
    >>> name_of("3"), name_of("figure 3"), name_of("proposition2")
    ('errors', 'errors', 'consistency')
    """
    key = wanted.lower().replace(" ", "").replace("fig.", "figure")
    key = f"figure{key.removeprefix('fig')}" if key.removeprefix("fig").isdigit() else key
    for entry in CATALOGUE:
        if key in {entry.name, *(place.replace(" ", "") for place in entry.paper)}:
            return entry.name
    if key == "figure1":
        raise ValueError("figure 1 draws the algorithm and has no numbers to repeat.")
    known = "; ".join(f"{entry.name} ({', '.join(entry.paper)})" for entry in CATALOGUE)
    raise ValueError(
        f"{wanted!r} is no experiment. Known, by name, place or figure number: {known}."
    )


def as_table() -> str:
    """Return the catalogue as lines of text, for the help."""
    lines = [f"  {entry.name:<13} {', '.join(entry.paper):<30} {entry.size}" for entry in CATALOGUE]
    head = f"  {'name':<13} {'of the paper':<30} the paper's size"
    return "\n".join([head, *lines])
