"""Charts as SVG, for reports and for files of their own."""
