"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile(
    "any machine",
    deadline=None,  # others may be at work on the same processor
    derandomize=True,  # what fails for one fails for all; tools/fuzz.py looks for what nobody has thought of
)
settings.load_profile("any machine")
