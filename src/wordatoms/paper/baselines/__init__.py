"""The methods that the paper compares with, as small baselines on the same vectors and the same text.

Each is a `wordatoms.contexts.usages.SenseInventory`: the sense vectors of a word, and their probabilities in usages.
`learning` lists and learns them. Each module, and docs/results/competitors.md, says what it simplifies.
"""
