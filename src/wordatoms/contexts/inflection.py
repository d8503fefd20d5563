"""The inflected forms of a word: tie, ties, tied, tying.

The paper pools the atoms of a word with those of its forms. English only, by lemminflect; what counts as a word of
its own (the *saw* that cuts, beside the past of *see*) is not mixed with the other word. A model with atoms has the
forms of its words in a list of its own, `forms.txt`, because lemminflect takes longer to load than a model to answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence

from wordatoms.errors import InputError

FILE = "forms.txt"


def inflected_forms(word: str, vocabulary: Container[str] | None = None) -> tuple[str, ...]:
    """The word itself first, then its other forms (those of the vocabulary, if one is given) in alphabetical order."""
    forms = {form for lemma in _lemmas(word) for form in _inflections(lemma)} - {word}
    known = sorted(form for form in forms if vocabulary is None or form in vocabulary)
    return (word, *known)


def _lemmas(word: str) -> set[str]:
    """The base forms a word can stand for; a word that is a base form stands for itself alone."""
    from lemminflect import getAllLemmas

    lemmas = {lemma for found in getAllLemmas(word).values() for lemma in found}
    return {word} if word in lemmas or not lemmas else lemmas


def _inflections(lemma: str) -> set[str]:
    from lemminflect import getAllInflections

    return {lemma, *(form for found in getAllInflections(lemma).values() for form in found)}


def format_forms(words: Sequence[str]) -> bytes:
    """A line for each word that has other forms among these words: the word, a tab, the forms with spaces between."""
    known = frozenset(words)
    found = ((word, inflected_forms(word, known)[1:]) for word in words)
    return "".join(f"{word}\t{' '.join(forms)}\n" for word, forms in found if forms).encode()


def parse_forms(content: bytes) -> Mapping[str, tuple[str, ...]]:
    """The other forms of each word that has some, as `format_forms` wrote them."""
    try:
        pairs = [line.split("\t") for line in content.decode().removesuffix("\n").split("\n") if line]
        return {word: tuple(forms.split(" ")) for word, forms in pairs}
    except ValueError as error:
        raise InputError(f"is no list of words and their forms ({error}); get the model anew.") from None
