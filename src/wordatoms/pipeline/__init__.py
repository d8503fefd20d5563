"""The stages of training on a model's folder, one module per command.

A stage that the manifest records with the same settings is skipped; an interrupted one resumes from its last
checkpoint.
"""
