"""What holds for all tests."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # others may be at work on the same processor
settings.load_profile("any machine")
