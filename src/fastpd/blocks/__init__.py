"""Trees cut into pattern blocks: what the compiled core works on."""

from fastpd.blocks._blocks import Blocks, make_blocks

__all__ = ["Blocks", "make_blocks"]
