"""How the documentation is built: ``make docs``; no network is needed."""

from __future__ import annotations

import sys
from pathlib import Path

import fastpd

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "fastpd"
author = "The fastpd developers"
copyright = "The fastpd developers"  # noqa: A001 - the name that Sphinx reads
version = release = fastpd.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "kept_pages",
    "native_math",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build", "README.md", "gallery/README.rst"]
myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["config.cache"]

templates_path = ["_templates"]
autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": ["gallery"],
    "gallery_dirs": ["examples"],
    "filename_pattern": r"/plot_",
    "abort_on_example_error": True,
    "show_memory": False,
    "min_reported_time": 10_000,
    "download_all_examples": False,
    "plot_gallery": "True",
    "image_scrapers": ("matplotlib",),
    "show_signature": False,
    "within_subsection_order": "FileNameSortKey",
}

html_math_renderer = "mathml"
html_theme = "furo"
html_title = "fastpd"
html_static_path = ["_static"]
html_css_files = ["fastpd.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#20639b", "color-brand-content": "#20639b"},
    "dark_css_variables": {"color-brand-primary": "#8fbbe0", "color-brand-content": "#8fbbe0"},
}
