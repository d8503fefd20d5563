"""Sentences of a text that show the senses of a word; only an exhibit of the report."""

TASKS = ()
