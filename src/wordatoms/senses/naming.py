"""Names of atoms, carried over from the atoms of another model of the same language.

Somebody named the atoms of the bundled English model by reading them. An atom of another English model gets the name of
its counterpart there, if the two are each other's most similar atom (`wordatoms.senses.comparison.atom_likeness`) and
similar enough. Of 50 names that were carried over to two models, one of 10 MB of Wikipedia and one of a larger text, a
reader found 48 that fit; 13% of the atoms of the first and 51% of those of the second got a name. Atoms without a clear
counterpart keep their labels, and example sentences are not carried over: they show the senses of another text.
"""

from __future__ import annotations

import numpy as np

from wordatoms.atoms.names import AtomNames
from wordatoms.errors import InputError, ModelError
from wordatoms.senses.comparison import atom_likeness
from wordatoms.senses.model import SenseModel
from wordatoms.storage.bundled import ENGLISH

LEAST_ALIKE = 0.8
"""Less similar atoms get no name."""


def carry_names(model: SenseModel, source: SenseModel, *, least_alike: float = LEAST_ALIKE) -> AtomNames:
    """Return the names of a model's atoms that correspond to named atoms of another model.

    Parameters
    ----------
    model : SenseModel
        The model whose atoms are to be named.
    source : SenseModel
        A model with names, of the same language.
    least_alike : float, default 0.8
        Minimum similarity of two atoms that correspond.

    Returns
    -------
    AtomNames
        `AtomNames.save` writes them into the folder of the model.

    Raises
    ------
    InputError
        If the source has no names, or is of another language.

    Examples
    --------
    >>> import wordatoms as wa
    >>> from wordatoms.senses.naming import carry_names
    >>> english = wa.load()
    >>> carry_names(english, english).names[873]
    'American playoffs and seasons'
    """
    names = source.parts.atom_names
    if not names.names:
        raise InputError(f"the atoms of {source.path} have no names that could be carried over; pass another model.")
    if model.language != source.language:
        raise InputError(
            f"{model.path} is of the language '{model.language}' and {source.path} of '{source.language}'; names are "
            "carried over between models of one language."
        )
    likeness = atom_likeness(model, range(len(model.atoms)), source, range(len(source.atoms)))
    best = likeness.argmax(axis=1)
    is_mutual = likeness.argmax(axis=0)[best] == np.arange(len(best))
    is_alike = likeness.max(axis=1) >= least_alike
    carried = {
        atom: names.names[int(best[atom])]
        for atom in np.flatnonzero(is_mutual & is_alike).tolist()
        if int(best[atom]) in names.names
    }
    return AtomNames(model.atoms.fingerprint, names.by, carried, source=model_title(source))


def save_names(model: SenseModel, names: AtomNames) -> None:
    """Write carried-over names into a model; names that were given to its own atoms are not replaced."""
    own = model.parts.atom_names
    if own.names and not own.source:
        raise ModelError(f"the atoms of {model.path} have names that were given to them; choose another model to name.")
    names.save(model.path)


def model_title(model: SenseModel) -> str:
    """Return what a model is called in a sentence."""
    return "the bundled English model" if model.path.resolve() == ENGLISH.resolve() else model.path.resolve().name
