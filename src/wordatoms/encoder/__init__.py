"""A transformer encoder in ONNX format: what it makes of a word in a text, and a cache of its answers."""
