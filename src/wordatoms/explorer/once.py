"""Properties that are made once, however many threads ask for them at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Generic, TypeVar, overload

Value = TypeVar("Value")
_LOCKS = "_locks_of_made_once"


class made_once(Generic[Value]):  # noqa: N801 (reads as a decorator)
    """`functools.cached_property` where those who come while it is being made wait for it."""

    def __init__(self, make: Callable[[Any], Value]) -> None:
        self._make, self.__doc__ = make, make.__doc__

    def __set_name__(self, _owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> made_once[Value]: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> Value: ...
    def __get__(self, instance: object | None, owner: type | None = None) -> made_once[Value] | Value:
        if instance is None:
            return self
        known = instance.__dict__
        with known.setdefault(_LOCKS, {}).setdefault(self._name, threading.RLock()):
            if self._name not in known:
                known[self._name] = self._make(instance)  # found there from now on, without a lock
            value: Value = known[self._name]
        return value
