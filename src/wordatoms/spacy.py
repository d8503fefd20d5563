"""A component for spaCy pipelines: the senses of every token in its context, in batches.

spaCy finds it by its name where both packages are installed: `nlp.add_pipe("wordatoms")`. It reads the tokens of the
pipeline, whatever the tokenizer, so that a blank pipeline is enough and languages without spaces work as well.

What a token gets is stored as plain lists and an array, so that documents can be saved, also with `DocBin`. A saved
pipeline contains its model, in the layout of `wordatoms.pipeline.huggingface`; the bundled model is only named.
"""

# No `from __future__ import annotations`: spaCy reads the types of the factory below, and older versions not as text.
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordatoms.errors import InputError, ModelError, require_extra
from wordatoms.pipeline.huggingface import from_pretrained, save_pretrained
from wordatoms.senses.model import Method, SenseModel
from wordatoms.senses.reading import TokenReader, WordReading
from wordatoms.storage.bundled import ENGLISH
from wordatoms.storage.files import write_json
from wordatoms.storage.untrusted import read_json

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token
else:
    Language = require_extra("spacy.language", "spacy").Language
    Doc = require_extra("spacy.tokens", "spacy").Doc
    Token = require_extra("spacy.tokens", "spacy").Token

NAME = "wordatoms"
STORED = "wordatoms"
"""The extension attribute that is stored; the others are read from it."""
SETTINGS, MODEL = "settings.json", "model"


class TokenSense(NamedTuple):
    """A sense of a token with its probability in this context."""

    label: str
    probability: float
    atom: int
    """Id of the atom; -1 for a sense by use without a near atom."""
    sense: int | None
    """Number of the sense among all senses by use of the model; None for a sense from the code."""


def _senses(token: Token) -> tuple[TokenSense, ...]:
    stored = token._.get(STORED)
    return tuple(TokenSense(*sense) for sense in stored["senses"]) if stored else ()


def _likeliest(token: Token) -> TokenSense | None:
    """Return the sense that is meant; None if none of them is likely, or the context does not tell."""
    stored = token._.get(STORED)
    return TokenSense(*stored["senses"][0]) if stored and stored["is_clear"] else None


def _p_none(token: Token) -> float:
    stored = token._.get(STORED)
    return float(stored["p_none"]) if stored else 0.0


def _context_vector(token: Token) -> NDArray[np.float32] | None:
    stored = token._.get(STORED)
    return stored["context"] if stored else None


ATTRIBUTES: dict[str, Callable[[Token], Any]] = {
    "senses": _senses,
    "sense": _likeliest,
    "p_none": _p_none,
    "context_vector": _context_vector,
}


class SenseComponent:
    """Sets the senses of all tokens of a document, likeliest first, with the vector of the context.

    Tokens get `token._.senses`, a tuple of `TokenSense`; `token._.sense`, the likeliest of them, or None if the context
    does not tell or none of them is likely; `token._.p_none`, the probability that none of them is meant; and
    `token._.context_vector`, with which the senses are compared. Function words, unknown words and tokens that are not
    one word have none of these.

    Parameters
    ----------
    name : str, default "wordatoms"
        Name of the component in the pipeline.
    model : str or SenseModel, optional
        A model, or its folder; by default the bundled English model.
    method : {"auto", "uses", "code"}, default "auto"
        Senses by use or the paper's senses; see `SenseModel.senses`.

    Examples
    --------
    >>> import spacy
    >>> nlp = spacy.blank("en")
    >>> component = nlp.add_pipe("wordatoms")
    >>> nlp("She poured a glass of port.")[5]._.sense.probability > 0.5
    True
    """

    def __init__(self, name: str = NAME, *, model: SenseModel | str | None = None, method: Method = "auto") -> None:
        self.name = name
        self.method: Method = method
        self._source = model
        self._model: SenseModel | None = None
        self._unpacked: TemporaryDirectory[str] | None = None
        if isinstance(model, SenseModel):
            self._open(model)
        elif model is None or Path(model).exists():  # a saved pipeline brings its own with it
            self._open(SenseModel(model))
        for attribute, getter in ATTRIBUTES.items():
            if not Token.has_extension(attribute):
                Token.set_extension(attribute, getter=getter)
            elif Token.get_extension(attribute)[2] is not getter:
                raise InputError(
                    f"tokens already have an attribute '{attribute}' of another component; remove it with "
                    f"Token.remove_extension('{attribute}') or use a pipeline of its own."
                )
        if not Token.has_extension(STORED):
            Token.set_extension(STORED, default=None)

    @property
    def sense_model(self) -> SenseModel:
        """The model that answers."""
        if self._model is None:
            assert not isinstance(self._source, SenseModel)
            self._open(SenseModel(self._source))
        assert self._model is not None
        return self._model

    def _open(self, model: SenseModel) -> None:
        self._model = model
        self._reader = TokenReader(model, method=self.method, n_nearest=0)
        self._words = lru_cache(1 << 16)(model.tokenizer.tokens)

    def __call__(self, doc: Doc) -> Doc:
        """Set the senses of the tokens of one document."""
        self._annotate([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """Set the senses of many documents, some of them at a time.

        Parameters
        ----------
        stream : iterable of Doc
            May be endless.
        batch_size : int, default 256
            Documents that are read together.

        Yields
        ------
        Doc
        """
        remaining = iter(stream)
        while docs := list(islice(remaining, batch_size)):
            self._annotate(docs)
            yield from docs

    def _annotate(self, docs: list[Doc]) -> None:
        _ = self.sense_model  # opened by now
        texts, places = zip(*(self._cut(doc) for doc in docs), strict=True)
        for doc, tokens, found in zip(docs, places, self._reader.read(texts), strict=True):
            for place, reading in found.items():
                if (token := tokens[place]) >= 0:
                    doc[token]._.set(STORED, _stored(reading))

    def _cut(self, doc: Doc) -> tuple[list[str], list[int]]:
        """Return the words of the model in a document, and the token of each; -1 where a token has several."""
        words: list[str] = []
        tokens: list[int] = []
        for token in doc:
            own = self._words(token.text)
            words += own
            tokens += [token.i] if len(own) == 1 else [-1] * len(own)
        return words, tokens

    # --- saving

    def to_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> None:
        """Write the component into a new folder: its settings, and the model unless it is the bundled one.

        Parameters
        ----------
        path : Path or str
        exclude : iterable of str, optional
            "model" leaves the model out; the pipeline then needs it where the component was made.
        """
        folder = Path(path)
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / SETTINGS, self._settings())
        if not self._is_bundled and MODEL not in tuple(exclude):
            save_pretrained(self.sense_model, folder / MODEL, force=True)

    def from_disk(self, path: Path | str, *, exclude: Iterable[str] = ()) -> "SenseComponent":
        """Read what `to_disk` wrote; the files are not trusted.

        Parameters
        ----------
        path : Path or str
        exclude : iterable of str, optional

        Returns
        -------
        SenseComponent
            The component itself.
        """
        folder = Path(path)
        settings = self._check_settings(folder / SETTINGS)
        self.method = settings["method"]
        if (folder / MODEL).is_dir() and MODEL not in tuple(exclude):
            unpacked = TemporaryDirectory(prefix="wordatoms-")
            self._open(from_pretrained(folder / MODEL, Path(unpacked.name, MODEL)))
            self._unpacked = unpacked
        else:
            self._open(self.sense_model)  # with the method that was read
        if self.sense_model.atoms.fingerprint != settings["atoms"]:
            raise ModelError(
                f"{folder} was saved with another model than {self.sense_model.path}; install the version of wordatoms "
                "that it was saved with, or add the component again."
            )
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return what `to_disk` writes as one string of bytes.

        Parameters
        ----------
        exclude : iterable of str, optional

        Returns
        -------
        bytes
        """
        with TemporaryDirectory(prefix="wordatoms-") as folder:
            self.to_disk(folder, exclude=exclude)
            files = [path for path in sorted(Path(folder).rglob("*")) if path.is_file()]
            packed = {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}
        return bytes(require_extra("srsly", "spacy").msgpack_dumps(packed))

    def from_bytes(self, data: bytes, *, exclude: Iterable[str] = ()) -> "SenseComponent":
        """Read what `to_bytes` returned.

        Parameters
        ----------
        data : bytes
        exclude : iterable of str, optional

        Returns
        -------
        SenseComponent
            The component itself.
        """
        packed = require_extra("srsly", "spacy").msgpack_loads(data)
        with TemporaryDirectory(prefix="wordatoms-") as folder:
            for name, content in packed.items():
                parts = Path(name).parts
                if parts[:-1] not in ((), (MODEL,)) or parts[-1:] in ((), ("..",)) or not isinstance(content, bytes):
                    raise ModelError(f"the bytes contain {name!r}, which is no file of this component.")
                Path(folder, name).parent.mkdir(exist_ok=True)
                Path(folder, name).write_bytes(content)
            return self.from_disk(folder, exclude=exclude)

    @property
    def _is_bundled(self) -> bool:
        return self.sense_model.path.resolve() == ENGLISH.resolve()

    def _settings(self) -> dict[str, str]:
        return {"method": self.method, "atoms": self.sense_model.atoms.fingerprint}

    @staticmethod
    def _check_settings(path: Path) -> dict[str, Any]:
        try:
            settings = read_json(path)
            if settings["method"] not in ("auto", "uses", "code") or not isinstance(settings["atoms"], str):
                raise ValueError("unknown settings")
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path} is no settings of a wordatoms component ({error}); save it again.") from error
        return dict(settings)


def _stored(reading: WordReading) -> dict[str, Any]:
    """Return what was read at a place as what documents can be saved with, the senses likeliest first."""
    p, meanings = reading.probabilities.tolist(), reading.meanings
    ranked = sorted(range(len(p)), key=lambda place: -p[place])
    return {
        "senses": [[meanings[at].label, p[at], meanings[at].atom, meanings[at].sense] for at in ranked],
        "is_clear": reading.is_clear,
        "p_none": reading.p_none,
        "context": reading.context,
    }


@Language.factory(
    NAME,
    assigns=[f"token._.{attribute}" for attribute in ATTRIBUTES],
    default_config={"model": None, "method": "auto"},
)
def make_component(nlp: Language, name: str, model: str | None, method: Method) -> SenseComponent:
    """Make the component for a pipeline: `nlp.add_pipe("wordatoms", config={"model": "my.model"})`.

    Parameters
    ----------
    nlp : Language
        The pipeline.
    name : str
        Name of the component in it.
    model : str or None
        Folder of a model; None for the bundled English one.
    method : {"auto", "uses", "code"}

    Returns
    -------
    SenseComponent
    """
    if model is None and nlp.lang not in ("en", "xx"):
        raise InputError(f"the bundled model is English, the pipeline is '{nlp.lang}'; pass a model in the config.")
    return SenseComponent(name, model=model, method=method)
