"""A page that says what a model does: plain data, drawn as SVG, put into templates."""

from fastpd.report._data import ReportData
from fastpd.report._gather import Sources
from fastpd.report._report import Report, make_report

__all__ = ["Report", "ReportData", "Sources", "make_report"]
