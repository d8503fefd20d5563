"""The stages of the chain on a model's folder: what `wordatoms train` does, one module per stage.

A stage is skipped where the manifest shows it done with the same settings, and goes on from its last checkpoint
where it was interrupted.
"""
