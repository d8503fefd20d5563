"""Names that people gave to the atoms and meta-atoms of a model, with sentences that show atoms and senses at work.

Meta-atoms may be gathered in regions, too, under a heading each.

They come with the model, in `names.json`, and take the place of the labels that are made of nearest words. They belong
to one set of atoms, given by its fingerprint, and the examples of senses to one set of senses by use. An atom that no
reader could name keeps its label.

Names may be carried over from the atoms of another model (`wordatoms.senses.naming`), which is then their `source`.

Left out: the names that a user gives (`wordatoms.senses.annotations`), which come before these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.meta_atoms import MetaAtoms, Region
from wordatoms.errors import ModelError
from wordatoms.storage.files import write_json
from wordatoms.storage.untrusted import read_json

FILE = "names.json"


class AtomExample(NamedTuple):
    """A sentence with a word in the sense of an atom, or in one of its senses by use."""

    word: str
    sentence: str


@dataclass(frozen=True)
class AtomNames:
    """Names and examples of the atoms with the fingerprint `atoms`; atoms are given by their ids."""

    atoms: str
    by: str
    """Who named them."""
    names: Mapping[int, str] = field(default_factory=dict)
    examples: Mapping[int, AtomExample] = field(default_factory=dict)
    meta: Mapping[int, str] = field(default_factory=dict)
    """Names of meta-atoms."""
    regions: tuple[Region, ...] = ()
    """Headings over the meta-atoms, each of which is in one region at most."""
    uses: str = ""
    """Fingerprint of the senses by use that `senses` belong to."""
    senses: Mapping[int, AtomExample] = field(default_factory=dict)
    """An example of each of some senses by use, given by their numbers."""
    source: str = ""
    """The model whose atoms the names were given to; empty if they were given to these atoms."""

    def apply(self, atoms: Atoms) -> Atoms:
        """Return the atoms with their names as labels."""
        return replace(atoms, labels=_named(atoms.labels, self.names))

    def apply_meta(self, meta_atoms: MetaAtoms) -> MetaAtoms:
        """Return the meta-atoms with their names as labels, in their regions."""
        inside = [meta for region in self.regions for meta in region.meta_atoms]
        if len(set(inside)) < len(inside) or not all(0 <= meta < len(meta_atoms) for meta in inside):
            raise ModelError(
                f"the regions in {FILE} hold a meta-atom twice, or one beyond the {len(meta_atoms)} there are; "
                "repair or remove the file."
            )
        return replace(meta_atoms, labels=_named(meta_atoms.labels, self.meta), regions=self.regions)

    def save(self, folder: Path) -> None:
        plain = {"atoms": self.atoms, "by": self.by, "names": self.names, "meta": self.meta, "regions": self.regions}
        plain |= {"source": self.source} if self.source else {}
        examples = {"uses": self.uses, "examples": _as_lists(self.examples), "senses": _as_lists(self.senses)}
        write_json(folder / FILE, {**plain, **examples})

    @classmethod
    def load(cls, folder: Path, atoms: Atoms) -> AtomNames:
        """Load the names of these atoms; none if the model has no names, or names of other atoms."""
        try:
            found = cls._read(read_json(folder / FILE))
        except FileNotFoundError:
            return cls(atoms.fingerprint, "")
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise ModelError(f"{folder / FILE} is damaged ({error}); repair or remove it.") from error
        if found.atoms != atoms.fingerprint:
            return cls(atoms.fingerprint, "")
        known = (*found.names, *found.examples)
        if not 0 <= min(known, default=0) <= max(known, default=0) < len(atoms):
            raise ModelError(f"{folder / FILE} names atoms beyond the {len(atoms):,} there are; repair or remove it.")
        return found

    @classmethod
    def _read(cls, content: Mapping[str, Any]) -> AtomNames:
        names, meta = ({int(number): str(name) for number, name in content[part].items()} for part in ("names", "meta"))
        examples, senses = (_as_examples(content[part]) for part in ("examples", "senses"))
        regions = tuple(Region(str(name), tuple(map(int, metas))) for name, metas in content.get("regions", ()))
        owners, source = (str(content["atoms"]), str(content["by"])), str(content.get("source", ""))
        return cls(*owners, names, examples, meta, regions, str(content["uses"]), senses, source)


def _as_examples(pairs: Mapping[str, Any]) -> dict[int, AtomExample]:
    """Read what `_as_lists` wrote."""
    values = pairs.values()
    if {*map(len, values)} <= {2} and {*map(type, chain.from_iterable(values))} <= {str}:
        # the same as below in a quarter of the time, which every query would wait for
        return dict(zip(map(int, pairs), map(partial(tuple.__new__, AtomExample), values), strict=True))
    return {int(number): AtomExample(str(word), str(text)) for number, (word, text) in pairs.items()}


def _as_lists(examples: Mapping[int, AtomExample]) -> dict[int, list[str]]:
    return {number: [example.word, example.sentence] for number, example in examples.items()}


def _named(labels: tuple[str, ...], names: Mapping[int, str]) -> tuple[str, ...]:
    return tuple(names.get(number, label) for number, label in enumerate(labels))
