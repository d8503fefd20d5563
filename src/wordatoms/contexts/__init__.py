"""Contexts as vectors (sections 2 and 4 of the paper): windows, SIF, average contexts and the map A of Theorem 1."""
