"""The inflected forms of a word: tie, ties, tied, tying.

The paper pools the atoms of a word with those of its forms. Words are reduced to their base form, the lemma, by the
dictionaries of simplemma, which knows some fifty languages; words of a vocabulary with the same lemma are forms of one
word. A form that is also a word of its own (*saw*, the tool, with *saws*) is not mixed with the other word (*see*). A
language without a dictionary has no forms.

A model with atoms keeps the forms of its words in `forms.txt`, because a dictionary takes longer to load than a model
takes to answer. Left out: parts of speech; the dictionary has one lemma for each word.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

from wordatoms.errors import InputError

FILE = "forms.txt"
LISTED_FORMS = r"[^\t\n]*+\t[^\t\n]*+(?:\n++[^\t\n]*+\t[^\t\n]*+)*+"
"""The shape of this file, without the last line end."""
DEFAULT_LANGUAGE = "en"
NOUNS_HAVE_CAPITALS = {"de", "lb"}
DOUBTFUL = 1e-3
"""A lemma is doubted if it is rarer than this share of its form's occurrences."""
OWN_SHARE = 0.05
"""A form is a word of its own if its own forms occur at least this share as often as it does."""
LEAST_ENDING_SHARE = 0.01
"""An ending is regular if it makes at least this share of all forms."""


# --- lemmas


def check_language(language: str) -> str:
    """Return a language code in lower case, without a region; raise if it is none."""
    code = str(language).lower().split("-")[0]
    if not re.fullmatch(r"[a-z]{2,3}", code):
        raise InputError(f"the language is {language!r}; pass a code of two or three letters, such as 'en' or 'de'.")
    return code


def has_forms(language: str) -> bool:
    """Whether there is a dictionary of inflected forms for a language."""
    return _load_lemmatizer(language) is not None


@cache
def _load_lemmatizer(language: str) -> Callable[[str], str] | None:
    from simplemma import Lemmatizer  # slow to load

    lemmatizer = Lemmatizer()
    try:
        lemmatizer.lemmatize("a", lang=language)
    except ValueError:  # no dictionary
        return None
    return lambda word: lemmatizer.lemmatize(word, lang=language)


@lru_cache(1 << 16)
def lemma(word: str, language: str = DEFAULT_LANGUAGE) -> str:
    """Return the base form of a word, with its capital; the word itself if the language has no dictionary."""
    find = _load_lemmatizer(language) if word else None
    if find is None:
        return word
    if _is_capitalized(word):
        return find(word).capitalize()
    return find(word).lower() if word.islower() else word


def is_common(word: str, language: str = DEFAULT_LANGUAGE) -> bool:
    """Whether the dictionary of a language has a word, and not only as a name; true if there is no dictionary.

    Names are known by the capital of their lemma, which in some languages all nouns have.
    """
    find = _load_lemmatizer(language)
    if find is None or not word:
        return bool(word)
    from simplemma import is_known

    base = find(word)
    return is_known(word, lang=language) and (language in NOUNS_HAVE_CAPITALS or base == base.lower())


def _is_capitalized(word: str) -> bool:
    return word[:1].isupper() and (word[1:].islower() or len(word) == 1)


# --- forms in a vocabulary


@dataclass(frozen=True, eq=False)
class WordForms:
    """The inflected forms of words, as far as they are in a vocabulary.

    Dictionaries list rare and obsolete words, too: the lemma of *playing* may be *playe*. If the vocabulary all but
    lacks a lemma, the lemma without its last letter is taken, provided that it is a common word which a regular ending
    turns into the form; endings are learned from the vocabulary.
    """

    words: Sequence[str]
    language: str = DEFAULT_LANGUAGE
    counts: Sequence[int] | None = None
    """How often each word occurs; without counts, all words are equally frequent."""

    def of(self, word: str) -> tuple[str, ...]:
        """Return the word, then its other forms in the vocabulary in alphabetical order."""
        base = self._base(word)
        found = {form for form in self._by_lemma.get(base, ()) if not self._is_own_word(form, base)}
        return (word, *sorted((found | ({base} & self._n_uses.keys())) - {word}))

    def _base(self, word: str) -> str:
        """Return the lemma of a word; a word that has forms of its own is its own."""
        return word if self._own_forms(word) else self._lemmas.get(word) or lemma(word, self.language)

    def _is_own_word(self, form: str, base: str) -> bool:
        """Whether a form of a base form is better known as another word: *found* has *founded*."""
        own = sum(self._n_uses[each] for each in self._own_forms(form))
        return form != base and own > OWN_SHARE * self._n_uses[form]

    def _own_forms(self, word: str) -> list[str]:
        """Return the words whose lemma a word is, without itself and genitives."""
        return [form for form in self._by_lemma.get(word, ()) if form != word and "'" not in form]

    @cached_property
    def _n_uses(self) -> dict[str, int]:
        counts = [1] * len(self.words) if self.counts is None else self.counts
        return {word: int(count) for word, count in zip(self.words, counts, strict=True)}

    @cached_property
    def _lemmas(self) -> dict[str, str]:
        found = {word: lemma(word, self.language) for word in self.words}
        endings = Counter(word.removeprefix(base) for word, base in found.items() if _extends(word, base))
        regular = {ending for ending, n in endings.items() if n >= LEAST_ENDING_SHARE * endings.total()}
        return {word: self._corrected(word, base, found, regular) for word, base in found.items()}

    def _corrected(self, word: str, base: str, lemmas: Mapping[str, str], regular: Container[str]) -> str:
        """Return the lemma of a word, without its last letter if that makes the better one."""
        shorter, n_uses = base[:-1], self._n_uses
        is_doubted = word != base and n_uses.get(base, 0) < DOUBTFUL * n_uses[word]
        is_common = n_uses.get(shorter, 0) > OWN_SHARE * n_uses[word] and lemmas[shorter] == shorter
        is_regular = _extends(word, shorter) and word.removeprefix(shorter) in regular
        return shorter if is_doubted and is_common and is_regular else base

    @cached_property
    def _by_lemma(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for word, base in self._lemmas.items():
            found.setdefault(base, []).append(word)
        return found


def _extends(word: str, base: str) -> bool:
    return word != base and word.startswith(base)


# --- forms in a text


@dataclass(frozen=True)
class TargetForms(Collection[str]):
    """The forms of a word in texts: those that a vocabulary has, and every token with the same lemma.

    Where case is kept, a word in lower case may have a capital, as at the start of a sentence, but not the reverse.
    Iteration gives those of the vocabulary.
    """

    word: str
    known: frozenset[str]
    """The word and its forms in the vocabulary."""
    language: str = DEFAULT_LANGUAGE
    vocabulary: Container[str] = ()
    base: str = ""
    """The lemma of all forms; by default it is looked up."""

    def __contains__(self, token: object) -> bool:
        if token in self.known:
            return True
        if token not in self._answers:  # looked up once, since texts repeat their words
            self._answers[token] = self._is_form(str(token))
        return self._answers[token]

    def _is_form(self, token: str) -> bool:
        is_first = _is_capitalized(token) and self.word.islower()
        return lemma(token.lower() if is_first else token, self.language) == self._lemma

    @cached_property
    def _answers(self) -> dict[object, bool]:
        return {}

    @cached_property
    def _lemma(self) -> str:
        base = self.base or lemma(self.word, self.language)
        is_other_word = base in self.vocabulary and base not in self.known  # saw is not see
        return self.word if is_other_word else base

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


# --- the file of a model


def format_forms(forms: WordForms) -> bytes:
    """Write a line for each word with other forms: the word, a tab, the forms between spaces."""
    found = ((word, forms.of(word)[1:]) for word in forms.words)
    return "".join(f"{word}\t{' '.join(others)}\n" for word, others in found if others).encode()


class ListedForms:
    """The file of forms as it is; a query asks for those of a few words only, so that lines are not split.

    Parameters
    ----------
    content : bytes
        As `format_forms` writes it.
    """

    def __init__(self, content: bytes) -> None:
        try:
            lines = content.decode().replace("\r\n", "\n").strip("\n")
        except UnicodeDecodeError as error:
            raise _no_forms(str(error)) from None
        if lines and not re.fullmatch(LISTED_FORMS, lines):
            raise _no_forms("a line is not a word, a tab and its forms")
        self._content = f"\n{lines}\n".encode()

    def of(self, word: str) -> tuple[str, ...]:
        """Return the other forms of a word."""
        line = f"\n{word}\t".encode(errors="surrogatepass")
        place = self._content.rfind(line)
        if place < 0 or "\n" in word or "\t" in word:
            return ()
        start = place + len(line)
        return tuple(self._content[start : self._content.index(b"\n", start)].decode().split(" "))


def _no_forms(why: str) -> InputError:
    return InputError(f"is no list of words and their forms ({why}); install or train the model again.")
