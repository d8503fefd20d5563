"""Word vectors (section 4 of the paper): the embeddings themselves, their trainers, and files of other programs."""
