"""The 32-bit hash of a text that stands for a label where a model does not keep labels.

It is the lower half of CityHash64 in its first version, as CatBoost computes it.
"""

from __future__ import annotations

from itertools import count

__all__ = ["text_hash", "text_with_hash"]

_WORD = (1 << 64) - 1
_K0, _K1 = 0xC3A5C85C97CB3127, 0xB492B66FBE98F273
_K2, _K3 = 0x9AE16A3B2F90404F, 0xC949D7C7509E6557
_PAIR = 0x9DDFEA08EB382D69
_PAIR_INVERSE = pow(_PAIR, -1, 1 << 64)

Pair = tuple[int, int]


def text_hash(text: str) -> int:
    """Return the hash of a text, from 0 to 2**32 - 1.

    Examples
    --------
    >>> from fastpd.forest._text_hash import text_hash
    >>> text_hash("p")
    759035679
    """
    return _city(text.encode("utf-8", "surrogatepass")) & 0xFFFFFFFF


def text_with_hash(wanted: int) -> str:
    """Return some text of 16 printable characters that has a given hash.

    The hash of 16 bytes can be undone for the first half of them when the second is chosen; what
    comes out is any 8 bytes, so second halves are tried until it is printable.

    Examples
    --------
    >>> from fastpd.forest._text_hash import text_hash, text_with_hash
    >>> text_hash(text_with_hash(759035679))
    759035679
    """
    for number in count():
        end = f"{number:08d}".encode()
        last = int.from_bytes(end, "little")
        other = _turned((last + 16) & _WORD, 16)
        mixed = _folded((wanted ^ last) * _PAIR_INVERSE & _WORD) * _PAIR_INVERSE & _WORD
        first = (_folded(mixed ^ other) * _PAIR_INVERSE & _WORD) ^ other
        start = first.to_bytes(8, "little")
        if all(0x20 < byte < 0x7F for byte in start):
            return (start + end).decode()
    raise AssertionError("unreachable")


def _city(text: bytes) -> int:
    size = len(text)
    if size > 64:
        return _long(text)
    if size > 32:
        return _medium(text)
    if size > 16:
        a, b = _eight(text, 0) * _K1 & _WORD, _eight(text, 8)
        c, d = _eight(text, size - 8) * _K2 & _WORD, _eight(text, size - 16) * _K0
        one = _turned((a - b) & _WORD, 43) + _turned(c, 30) + d
        return _paired(one & _WORD, (a + _turned(b ^ _K3, 20) - c + size) & _WORD)
    if size > 8:
        a, b = _eight(text, 0), _eight(text, size - 8)
        return _paired(a, _turned((b + size) & _WORD, size)) ^ b
    if size >= 4:
        return _paired(size + (_four(text, 0) << 3), _four(text, size - 4))
    if size:
        y, z = text[0] + (text[size >> 1] << 8), size + (text[-1] << 2)
        return _folded((y * _K2 ^ z * _K3) & _WORD) * _K2 & _WORD
    return _K2


def _medium(text: bytes) -> int:
    """Return the hash of 33 to 64 bytes."""
    size = len(text)
    start = (_eight(text, 0) + (size + _eight(text, size - 16)) * _K0) & _WORD
    one, two = _half(text, start, 8, _eight(text, 24))
    start = _eight(text, 16) + _eight(text, size - 32)
    three, four = _half(text, start & _WORD, size - 24, _eight(text, size - 8))
    mixed = _folded(((one + four) * _K2 + (three + two) * _K0) & _WORD)
    return _folded((mixed * _K0 + two) & _WORD) * _K2 & _WORD


def _half(text: bytes, a: int, at: int, z: int) -> Pair:
    b, c = _turned((a + z) & _WORD, 52), _turned(a, 37)
    a = (a + _eight(text, at)) & _WORD
    c += _turned(a, 7)
    a = (a + _eight(text, at + 8)) & _WORD
    return (a + z) & _WORD, (b + _turned(a, 31) + c) & _WORD


def _long(text: bytes) -> int:
    """Return the hash of more than 64 bytes: of the end first, then of 64 bytes at a time."""
    size = len(text)
    x, y, z = _eight(text, 0), _eight(text, size - 16) ^ _K1, _eight(text, size - 56) ^ _K0
    v = _stirred(text, size - 64, size, y)
    w = _stirred(text, size - 32, size * _K1 & _WORD, _K0)
    z = (z + _folded(v[1]) * _K1) & _WORD
    x, y = _turned((z + x) & _WORD, 39) * _K1 & _WORD, _turned(y, 33) * _K1 & _WORD
    for at in range(0, (size - 1) & ~63, 64):
        x = _turned((x + y + v[0] + _eight(text, at + 16)) & _WORD, 37) * _K1 & _WORD
        y = _turned((y + v[1] + _eight(text, at + 48)) & _WORD, 42) * _K1 & _WORD
        x, y = x ^ w[1], y ^ v[0]
        z = _turned(z ^ w[0], 33)
        v = _stirred(text, at, v[1] * _K1 & _WORD, (x + w[0]) & _WORD)
        w = _stirred(text, at + 32, (z + w[1]) & _WORD, y)
        x, z = z, x
    one = _paired(v[0], w[0]) + _folded(y) * _K1 + z
    return _paired(one & _WORD, (_paired(v[1], w[1]) + x) & _WORD)


def _stirred(text: bytes, at: int, a: int, b: int) -> Pair:
    """Return two seeds mixed with 32 bytes."""
    first, second, third, fourth = (_eight(text, at + 8 * k) for k in range(4))
    a = (a + first) & _WORD
    b = _turned((b + a + fourth) & _WORD, 21)
    total = (a + second + third) & _WORD
    return (total + fourth) & _WORD, (b + _turned(total, 44) + a) & _WORD


def _paired(u: int, v: int) -> int:
    a = _folded((u ^ v) * _PAIR & _WORD)
    return _folded((v ^ a) * _PAIR & _WORD) * _PAIR & _WORD


def _folded(word: int) -> int:
    """Return a word with its upper bits mixed into the lower ones; it undoes itself."""
    return word ^ (word >> 47)


def _turned(word: int, by: int) -> int:
    return ((word >> by) | (word << (64 - by))) & _WORD


def _eight(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 8], "little")


def _four(text: bytes, at: int) -> int:
    return int.from_bytes(text[at : at + 4], "little")
