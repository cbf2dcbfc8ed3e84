"""Data that ships with the package, so that examples run without a network."""

from fastpd.datasets._adult import Adult, adult

__all__ = ["Adult", "adult"]
