"""What methods of an evaluation have alike: a name, and the part they play in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar, get_args

from wordatoms.errors import InputError

Role = Literal["ours", "competitor", "baseline"]


@dataclass(frozen=True)
class NamedMethod:
    name: str
    role: Role

    def __post_init__(self) -> None:
        if self.role not in get_args(Role):
            raise InputError(f"the role of '{self.name}' is {self.role!r}; pass one of {', '.join(get_args(Role))}.")


AnyMethod = TypeVar("AnyMethod", bound=NamedMethod)


def check_methods(methods: Sequence[AnyMethod]) -> tuple[AnyMethod, ...]:
    """The methods, if each has a name of its own."""
    names = [method.name for method in methods]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"{names.count(name)} methods are named '{name}'; give each a name of its own.")
    return tuple(methods)
