"""Ways to damage a model file, each drawn by a seed so that it can be drawn again."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

# Numbers at which readers go wrong: counts that are absurd, indices just outside, no numbers.
NUMBERS = [
    *(b"-1", b"0", b"1", b"7", b"255", b"65536", b"2147483647", b"2147483648", b"-2147483649"),
    *(b"4294967296", b"9223372036854775808", b"1e308", b"1e400", b"-1e-320", b"nan", b"NaN"),
    *(
        b"inf",
        b"-Infinity",
        b"0x10",
        b"1_000",
        b"",
        b'"1"',
        b"null",
        b"true",
        b"1.5",
        b"[1]",
        b"{}",
    ),
]
_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def flipped(data: bytes, rng: random.Random) -> bytes:
    """Flip a few bits."""
    damaged = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def cut_off(data: bytes, rng: random.Random) -> bytes:
    """Keep the beginning only."""
    return data[: rng.randrange(len(data))]


def lost(data: bytes, rng: random.Random) -> bytes:
    """Leave a piece out."""
    start = rng.randrange(len(data))
    return data[:start] + data[start + rng.choice([1, 2, 4, 8, 100, 1000]) :]


def doubled(data: bytes, rng: random.Random) -> bytes:
    """Repeat a piece, somewhere else."""
    start, at = rng.randrange(len(data)), rng.randrange(len(data))
    piece = data[start : start + rng.choice([1, 4, 16, 200])]
    return data[:at] + piece + data[at:]


def overwritten(data: bytes, rng: random.Random) -> bytes:
    """Write bytes that mean much in binary formats over some others."""
    start = rng.randrange(len(data))
    piece = rng.choice([b"\xff" * 4, b"\x00" * 8, b"\x7f\xff\xff\xff", b"\x80", b"[[[[", b"}}}}"])
    return data[:start] + piece + data[start + len(piece) :]


def renumbered(data: bytes, rng: random.Random) -> bytes:
    """Replace a number of a text."""
    found = list(_NUMBER.finditer(data))
    if not found:
        return flipped(data, rng)
    for match in sorted(rng.sample(found, min(len(found), rng.choice([1, 1, 3]))), key=_start)[
        ::-1
    ]:
        data = data[: match.start()] + rng.choice(NUMBERS) + data[match.end() :]
    return data


def swapped_lines(data: bytes, rng: random.Random) -> bytes:
    """Exchange two lines, or the parts between commas where there is one line only."""
    mark = b"\n" if data.count(b"\n") > 3 else b","
    parts = data.split(mark)
    one, other = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[one], parts[other] = parts[other], parts[one]
    return mark.join(parts)


def _start(match: re.Match[bytes]) -> int:
    return match.start()


MUTATIONS: list[Callable[[bytes, random.Random], bytes]] = [
    *(flipped, cut_off, lost, doubled, overwritten, renumbered, renumbered, swapped_lines)
]


def mutated(data: bytes, seed: int) -> bytes:
    """Return a file damaged once or twice."""
    rng = random.Random(seed)
    for _ in range(rng.choice([1, 1, 2])):
        data = rng.choice(MUTATIONS)(data, rng) or b"x"
    return data
