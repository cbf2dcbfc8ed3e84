"""Trees cut into pattern blocks: what the compiled core works on."""

from fastpd.blocks._blocks import Blocks, make_blocks
from fastpd.blocks._players import Players, make_players

__all__ = ["Blocks", "Players", "make_blocks", "make_players"]
