"""Atoms of discourse (sections 3 and 5 of the paper): sparse coding, k-SVD, and the atoms of a vocabulary.

This room works on vectors only and never sees text.
"""
