"""The inflected forms of a word: tie, ties, tied, tying.

The paper pools the atoms of a word with those of its forms. English only, by lemminflect; a form that is also a word of
its own (*saw*, the tool) is not mixed with the other word (*see*). A model with atoms keeps the forms of its words in
`forms.txt`, because lemminflect takes longer to load than a model takes to answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from wordatoms.errors import InputError

FILE = "forms.txt"


def inflected_forms(word: str, vocabulary: Container[str] | None = None) -> tuple[str, ...]:
    """Return the word, then its other forms (those in the vocabulary, if one is given) in alphabetical order."""
    forms = {form for lemma in _lemmas(word) for form in _inflections(lemma)} - {word}
    known = sorted(form for form in forms if vocabulary is None or form in vocabulary)
    return (word, *known)


def _lemmas(word: str) -> set[str]:
    """Return the base forms of a word; a word that is a base form has itself only."""
    from lemminflect import getAllLemmas

    lemmas = {lemma for found in getAllLemmas(word).values() for lemma in found}
    return {word} if word in lemmas or not lemmas else lemmas


def _inflections(lemma: str) -> set[str]:
    from lemminflect import getAllInflections

    return {lemma, *(form for found in getAllInflections(lemma).values() for form in found)}


def format_forms(words: Sequence[str]) -> bytes:
    """Write a line for each word with other forms among these words: the word, a tab, the forms between spaces."""
    known = frozenset(words)
    found = ((word, inflected_forms(word, known)[1:]) for word in words)
    return "".join(f"{word}\t{' '.join(forms)}\n" for word, forms in found if forms).encode()


def parse_forms(content: bytes) -> Mapping[str, str]:
    """Read what `format_forms` wrote: the other forms of each word that has some, separated by spaces."""
    try:  # forms are not split here: a query asks for those of a few words only
        return dict(line.split("\t") for line in content.decode().removesuffix("\n").split("\n") if line)
    except ValueError as error:
        raise InputError(f"is no list of words and their forms ({error}); install or train the model again.") from None
