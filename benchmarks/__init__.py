"""Timings and memory of fastpd beside its peers; run with ``python -m benchmarks``."""
