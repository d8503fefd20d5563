"""Atoms and the topics of a topic model; only an exhibit of the report."""

TASKS = ()
