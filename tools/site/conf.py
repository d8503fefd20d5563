"""Sphinx settings of the documentation site; `tools/build_site.py` prepares the pages and calls Sphinx."""

import wordatoms

project = "wordatoms"
author = "The wordatoms team"
copyright = "the wordatoms team, MIT licence"
release = wordatoms.__version__
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
html_theme = "furo"
html_title = "wordatoms"
html_static_path = ["_static"]
html_favicon = "_static/icon.svg"
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#4b4fbd", "color-brand-content": "#3d41a8"},
    "dark_css_variables": {"color-brand-primary": "#a5a8ff", "color-brand-content": "#a5a8ff"},
}
highlight_language = "none"
suppress_warnings = ["myst.header"]  # pages of results begin sections where they need them
