"""A page that says what a model does: plain data, drawn as SVG, put into templates."""

from fastpd.report._data import ReportData
from fastpd.report._report import Report, make_report
from fastpd.report._sources import Sources

__all__ = ["Report", "ReportData", "Sources", "make_report"]
