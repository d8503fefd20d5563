"""What the answers look like, for the OpenAPI description; tests hold the answers against it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

AtomId = int
AtomWeight = tuple[AtomId, float]
State = Literal["none", "reading", "ready", "failed"]


class Schema(BaseModel):
    """An answer with these fields and no others."""

    model_config = ConfigDict(extra="forbid")


class Refused(Schema):
    """Why there is no answer, in one sentence."""

    error: str
    suggestions: list[str] | None = None


class ModelFacts(Schema):
    name: str
    static: bool
    views: list[str]
    words: int
    atoms: int
    metas: int
    dim: int
    method: str
    tokens: int | None
    text: str | None
    tuned: bool
    licence: str | None
    models: Annotated[list[str], Field(description="names that may be passed as `model`")]
    corpus: bool
    version: str


class Words(Schema):
    words: list[str]


class NearWord(Schema):
    word: str
    similarity: float


class LinkedWord(Schema):
    word: str
    weight: float


class Form(Schema):
    form: str
    count: int | None
    atoms: list[AtomWeight]


class Quote(Schema):
    text: str
    source: str
    line: int
    score: Annotated[float, Field(description="cosine between sentence and atom")]
    probability: Annotated[float | None, Field(description="of the sense in this sentence")]


class WordSense(Schema):
    atom: AtomId
    weight: float
    label: str
    named: bool
    nearest: list[NearWord]
    linked: list[LinkedWord]
    forms: dict[str, float]
    meta: tuple[int, str] | None
    sentences: list[Quote] | None = None


class WordPage(Schema):
    word: str
    count: int | None
    rank: int
    forms: list[Form]
    senses: list[WordSense]
    nearest: list[NearWord]
    explained: Annotated[float, Field(description="cosine of the sum of atoms with the word vector")]


class WordQuotes(Schema):
    word: str
    state: State
    share: Annotated[float, Field(description="of the text that has been read")]
    message: str | None
    senses: Annotated[dict[str, list[Quote]], Field(description="by atom")]


class LikeliestSense(Schema):
    atom: AtomId
    label: str
    probability: float


class TextToken(Schema):
    text: str
    start: Annotated[int, Field(description="in UTF-16 code units")]
    end: int
    word: str | None
    n_senses: int
    best: LikeliestSense | None


class TextPage(Schema):
    text: Annotated[str, Field(description="in Unicode normal form C")]
    tokens: list[TextToken]


class MeantSense(Schema):
    atom: AtomId
    label: str
    probability: float
    prior: float
    nearest: list[str]


class Pulling(Schema):
    token: int
    word: str
    pulls: Annotated[dict[str, float], Field(description="by atom, in log p")]


class MeaningPage(Schema):
    word: str
    form: str
    token: int
    meanings: list[MeantSense]
    pulls: list[Pulling]


class AtomMap(Schema):
    atoms: Annotated[list[tuple[float, float, int, int, str]], Field(description="x, y, meta-atom, words, label")]
    metas: list[str]
    hidden: list[AtomId]


class NearAtom(Schema):
    atom: AtomId
    cosine: float
    label: str


class AtomPage(Schema):
    atom: AtomId
    label: str
    named: bool
    nearest: list[NearWord]
    words: list[LinkedWord]
    neighbours: list[NearAtom]
    meta: Annotated[list[tuple[int, float, str]], Field(description="id, weight, label")]
    n_words: int
    hidden: bool


class FoundAtom(Schema):
    atom: AtomId
    label: str
    why: str


class FoundAtoms(Schema):
    atoms: list[FoundAtom]


class LineupPage(Schema):
    seed: int
    word: str
    n: int
    senses: list[list[str]]


class Score(Schema):
    precision: float
    recall: float


class PaperScores(Schema):
    machine: Score
    humans: str


class LineupAnswer(Schema):
    true: list[int]
    ranked: list[int]
    machine: list[int]
    machine4: list[int]
    you: Score
    machine_score: Score
    machine4_score: Score
    paper: PaperScores


class ShortSense(Schema):
    atom: AtomId
    weight: float
    label: str
    named: bool
    nearest: list[NearWord]


class SensePair(Schema):
    first: AtomId | None
    second: AtomId | None
    similarity: float | None


class ComparePage(Schema):
    word: str
    known: tuple[bool, bool]
    models: tuple[str, str]
    senses: tuple[list[ShortSense], list[ShortSense]]
    pairs: list[SensePair]
    nearest: tuple[list[NearWord], list[NearWord]]


class ReportFacts(Schema):
    available: bool
