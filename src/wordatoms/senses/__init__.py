"""Senses of words (sections 5 and 6 of the paper): the model, the posterior over atoms in a context, and its uses."""
