"""The explorer over HTTP: typed, bounded endpoints over `Explorer`, and the files of the page.

All of them only read, but for those that change notes, which exist only if the explorer was started for editing.

`/openapi.json` describes the endpoints. FastAPI's documentation pages are off, because they load scripts from a CDN.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, FastAPI, Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

import wordatoms
from wordatoms.errors import WordatomsError
from wordatoms.explorer.answers import BAD_REQUEST, NOT_FOUND, ApiError, json_schema, to_json
from wordatoms.explorer.cache import JSON, Dispatcher, Packed, pack, pack_json, respond
from wordatoms.explorer.contextual import ContextualPage
from wordatoms.explorer.documents import (
    AtomShares,
    CollectionFacts,
    DocumentAnswers,
    DocumentPage,
    FoundDocuments,
    TopicDetails,
    TopicTable,
)
from wordatoms.explorer.editing import CandidatesPage, Edited, Editor
from wordatoms.explorer.lineup import N_SHOWN, LineupAnswer, LineupPage
from wordatoms.explorer.quotations import WordQuotes
from wordatoms.explorer.security import CONTENT_TYPES, SITE, START_PAGE, Guard, guard_settings, site_names
from wordatoms.explorer.service import REPORT_FILES, ComparePage, Counterparts, Explorer, ModelFacts
from wordatoms.explorer.texts import MeaningPage, TextPage
from wordatoms.explorer.words import Asked, AtomMap, AtomPage, InducedPage, WordPage
from wordatoms.senses.results import AtomMatch

LONGEST_NAME = 100
LONGEST_TEXT = 2000
LONGEST_CONTEXTS = 10_000
MOST_PICKED = 200
HIGHEST_SEED = (1 << 31) - 1

Text = Annotated[str, Query(min_length=1, max_length=LONGEST_TEXT)]
Contexts = Annotated[str, Query(min_length=1, max_length=LONGEST_CONTEXTS, description="one context on each line")]
AtomId = Annotated[int, Path(ge=0, le=1_000_000)]
EditedAtom = Annotated[int, Field(ge=0, le=1_000_000)]
ModelName = Annotated[str | None, Query(max_length=LONGEST_NAME, description="one of `models`; default: the first")]
SenseKind = Annotated[
    Asked, Query(description="senses by use, or of the paper's code; default: by use if there are any")
]
Seed = Annotated[int, Query(ge=0, le=HIGHEST_SEED, description="determines the word and the senses shown")]
NShown = Annotated[int, Query(ge=8, le=50, description="number of senses in the lineup")]
Chosen = Annotated[
    str, Query(max_length=200, pattern=r"^[0-9]{1,2}(,[0-9]{1,2})*$", description="numbers of senses, from 1")
]


class Failure(NamedTuple):
    """Why there is no answer, in one sentence; for an unknown word, similar spellings and the known words in it."""

    error: str
    suggestions: list[str] | None
    parts: list[str] | None


FAILURES: dict[int | str, dict[str, Any]] = {
    400: {"model": json_schema(Failure), "description": "An invalid question"},
    404: {"model": json_schema(Failure), "description": "An unknown word, atom or model"},
    422: {"model": json_schema(Failure), "description": "A parameter that is missing or out of bounds"},
}


def make_app(explorer: Explorer, *, host: str = "127.0.0.1", token: str | None = None) -> FastAPI:
    """Return the web app of an explorer, to be run by any ASGI server.

    Parameters
    ----------
    explorer : Explorer
        From `wordatoms.explorer.service`.
    host : str, default "127.0.0.1"
        Name or address that the server listens at.
    token : str, optional
        Secret that requests for changes have to carry, if the explorer has an editor; without it the app is read-only.

    Returns
    -------
    FastAPI

    Examples
    --------
    >>> import uvicorn
    >>> from wordatoms.explorer.app import make_app
    >>> uvicorn.run(make_app(explorer))  # doctest: +SKIP
    """
    app = FastAPI(
        title="wordatoms explorer",
        version=wordatoms.__version__,
        description="The senses of words and the atoms of discourse of a model. Read-only; every answer is JSON.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=FAILURES,
    )
    app.state.explorer, app.state.dispatcher = explorer, Dispatcher(lambda: explorer.stamp, explorer.check)
    app.include_router(api)
    if explorer.editor is not None and token is not None:
        app.include_router(edits)
    _add_files(app)
    for kind in (ApiError, WordatomsError, RequestValidationError, HTTPException, Exception):
        app.add_exception_handler(kind, _send_failure)
    app.add_middleware(Guard, **guard_settings(host, token if explorer.editor is not None else None))
    return app


# Endpoints

api = APIRouter(prefix="/api")


def _explorer(request: Request) -> Explorer:
    found: Explorer = request.app.state.explorer
    return found


def _dispatcher(request: Request) -> Dispatcher:
    found: Dispatcher = request.app.state.dispatcher
    return found


@api.get("/model", response_model=json_schema(ModelFacts))
async def model(request: Request) -> Response:
    """What the model is, and what the page can show."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).model))


@api.get("/complete", response_model=list[str])
async def complete(
    request: Request, q: Text, n: Annotated[int, Query(ge=1, le=50)] = 8, model: ModelName = None
) -> Response:
    """Words with this prefix, the most frequent first."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).of(model).complete, q, n))


@api.get("/word", response_model=json_schema(WordPage))
async def word(
    request: Request, word: Text, model: ModelName = None, forms: bool = False, method: SenseKind = "auto"
) -> Response:
    """The senses of a word, its forms and its nearest words; with `forms`, the senses of all its forms."""
    explorer = _explorer(request)
    search = partial(explorer.of(model).find_nearest, word) if explorer.needs_searches else None
    question = partial(explorer.word, word, model, forms=forms, method=method)
    return await _dispatcher(request).quick(request, question, search=search)


@api.get("/induce", response_model=json_schema(InducedPage))
async def induce(request: Request, word: Text, text: Contexts, model: ModelName = None) -> Response:
    """A vector for an unknown word from its contexts, one on each line: the words and atoms that are near to it."""
    words = _explorer(request).of(model)
    return await _dispatcher(request).fresh(request, lambda: pack_json(words.induce(word, text)))


@api.get("/sentences", response_model=json_schema(WordQuotes))
async def sentences(request: Request, word: Text, model: ModelName = None, method: SenseKind = "auto") -> Response:
    """Sentences of the corpus for each sense; ask again while the state is `reading`."""
    explorer = _explorer(request)
    return await _dispatcher(request).fresh(request, lambda: pack_json(explorer.sentences(word, model, method=method)))


@api.get("/atoms", response_model=json_schema(AtomMap))
async def atoms(request: Request, model: ModelName = None) -> Response:
    """The map of all atoms."""
    return await _dispatcher(request).slow(request, partial(_explorer(request).of(model).atoms))


@api.get("/atom/{atom}", response_model=json_schema(AtomPage))
async def atom(request: Request, atom: AtomId, model: ModelName = None) -> Response:
    """One atom: its words, its neighbours, its meta-atoms."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).of(model).atom, atom))


@api.get("/search", response_model=json_schema(list[AtomMatch]))
async def search(request: Request, q: Text, model: ModelName = None) -> Response:
    """Atoms by their words, their labels, or the names that a person gave them."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).of(model).search, q))


@api.get("/sentence", response_model=json_schema(TextPage))
async def sentence(request: Request, text: Text) -> Response:
    """The likeliest sense of every word of a text."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).texts.sentence, text))


@api.get("/meaning", response_model=json_schema(MeaningPage))
async def meaning(request: Request, text: Text, token: Annotated[int, Query(ge=0, le=LONGEST_TEXT)]) -> Response:
    """The senses of one word of a text, and how the words around it pull."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).texts.meaning, text, token))


@api.get("/lineup", response_model=json_schema(LineupPage))
async def lineup(request: Request, seed: Seed, n: NShown = N_SHOWN) -> Response:
    """A word and a lineup of senses, some of them its own."""
    return await _dispatcher(request).quick(request, partial(_explorer(request).lineup.lineup, seed, n))


@api.get("/lineup/answer", response_model=json_schema(LineupAnswer))
async def lineup_answer(request: Request, seed: Seed, chosen: Chosen, n: NShown = N_SHOWN) -> Response:
    """Which senses were right, and what the machine chose."""
    explorer = _explorer(request)
    question = partial(explorer.lineup.answer, seed, n, tuple(map(int, chosen.split(","))))
    search = partial(getattr, explorer.lineup, "scores") if explorer.lineup.needs_scores else None
    return await _dispatcher(request).quick(request, question, search=search)


@api.get("/compare", response_model=json_schema(ComparePage))
async def compare(request: Request, word: Text, model: ModelName = None) -> Response:
    """The senses of a word in the first model and in another, and which of them correspond."""
    explorer = _explorer(request)
    search = partial(explorer.find_nearest_in_both, word, model) if explorer.needs_searches else None
    return await _dispatcher(request).quick(request, partial(explorer.compare, word, model), search=search)


@api.get("/counterparts", response_model=json_schema(Counterparts))
async def counterparts(request: Request, model: ModelName = None) -> Response:
    """Which atom of another model is most similar to each atom of the first one."""
    return await _dispatcher(request).slow(request, partial(_explorer(request).counterparts, model))


@api.get("/contextual", response_model=json_schema(ContextualPage))
async def contextual(request: Request) -> Response:
    """Atoms of contextual vectors, each beside the discourse atoms that are meant in the same places."""
    found = _explorer(request).contextual
    if found is None:
        raise ApiError(
            NOT_FOUND, "there are no contextual atoms here; restart with: wordatoms explore --contextual FILE."
        )
    return await _dispatcher(request).quick(request, partial(found.page))


# Documents, for an explorer that was started with some

Place = Annotated[int, Path(ge=0, le=1_000_000_000)]
LevelName = Annotated[str, Path(max_length=20)]


def _documents(request: Request) -> DocumentAnswers:
    found: DocumentAnswers | None = request.app.state.explorer.documents
    if found is None:
        raise ApiError(NOT_FOUND, "there are no documents here; restart with: wordatoms explore --documents TABLE.")
    return found


@api.get("/documents", response_model=json_schema(CollectionFacts))
async def documents(request: Request) -> Response:
    """What the collection of documents is."""
    return await _dispatcher(request).quick(request, partial(_documents(request).facts))


@api.get("/documents/topics/{level}", response_model=json_schema(TopicTable))
async def documents_topics(request: Request, level: LevelName) -> Response:
    """The topics of a level by size, with their trends and differences between groups."""
    return await _dispatcher(request).slow(request, partial(_documents(request).topics, level))


@api.get("/documents/topic/{level}/{topic}", response_model=json_schema(TopicDetails))
async def documents_topic(request: Request, level: LevelName, topic: Place) -> Response:
    """A topic, by its place in the list: its shares by group and over time, typical passages, documents."""
    return await _dispatcher(request).slow(request, partial(_documents(request).topic, level, topic))


@api.get("/documents/atoms", response_model=json_schema(AtomShares))
async def documents_atoms(request: Request) -> Response:
    """The share of each atom in all documents, and in each group less all others."""
    return await _dispatcher(request).quick(request, partial(_documents(request).atoms))


@api.get("/documents/document/{document}", response_model=json_schema(DocumentPage))
async def documents_document(request: Request, document: Place) -> Response:
    """A document and its windows, by its place in the collection."""
    return await _dispatcher(request).quick(request, partial(_documents(request).document, document))


@api.get("/documents/search", response_model=json_schema(FoundDocuments))
async def documents_search(
    request: Request,
    q: Text,
    first: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
    group: Annotated[int | None, Query(ge=0, le=1000)] = None,
) -> Response:
    """The documents that have all these words, in the order of the collection."""
    return await _dispatcher(request).quick(request, partial(_documents(request).search, q, first, group))


# Changes, for an explorer that was started for editing

edits = APIRouter(prefix="/api")


def _editor(request: Request) -> Editor:
    found: Editor = request.app.state.explorer.editor
    return found


@edits.get("/candidates", response_model=json_schema(CandidatesPage))
async def candidates(request: Request, word: Text) -> Response:
    """The atoms closest to a word, from which a person picks its senses."""
    spelling = _explorer(request).first.spell
    return await _dispatcher(request).fresh(request, lambda: pack_json(_editor(request).candidates(spelling(word))))


class _Change(BaseModel):
    """The body of a change: exactly these fields, of exactly these types."""

    model_config = ConfigDict(strict=True, extra="forbid")


class NameChange(_Change):
    """A name for an atom; an empty one restores its label."""

    atom: EditedAtom
    name: Annotated[str, Field(max_length=200)]


class HideChange(_Change):
    """Whether an atom is left out of all senses."""

    atom: EditedAtom
    hidden: bool


class PickChange(_Change):
    """The atoms that a person picked as the senses of a word; none at all restores the automatic ones."""

    word: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    atoms: Annotated[list[EditedAtom], Field(max_length=MOST_PICKED)]


class UndoChange(_Change):
    """Nothing else has to be said."""


@edits.post("/edit/name", response_model=json_schema(Edited))
async def edit_name(request: Request, change: NameChange) -> Response:
    """Give an atom a name."""
    return await _edit(request, lambda: _editor(request).name(change.atom, change.name))


@edits.post("/edit/hide", response_model=json_schema(Edited))
async def edit_hide(request: Request, change: HideChange) -> Response:
    """Leave an atom out of all senses, or show it again."""
    return await _edit(request, lambda: _editor(request).hide(change.atom, hidden=change.hidden))


@edits.post("/edit/pick", response_model=json_schema(Edited))
async def edit_pick(request: Request, change: PickChange) -> Response:
    """Keep these atoms as the senses of a word."""
    return await _edit(request, lambda: _editor(request).pick(change.word, change.atoms))


@edits.post("/edit/undo", response_model=json_schema(Edited))
async def edit_undo(request: Request, _change: UndoChange | None = None) -> Response:
    """Undo the latest change."""
    return await _edit(request, lambda: _editor(request).undo())


@edits.post("/edit/{change:path}", include_in_schema=False)
async def edit_otherwise(change: str) -> Response:
    """Every other change."""
    raise ApiError(NOT_FOUND, f"there is no change '{change[:LONGEST_NAME]}'; there are name, hide, pick and undo.")


async def _edit(request: Request, change: Callable[[], Edited]) -> Response:
    return await _dispatcher(request).fresh(request, lambda: pack_json(change()))


# Files


def _add_files(app: FastAPI) -> None:
    """The report, and the page and the OpenAPI description, which are read once."""
    for name in REPORT_FILES:
        app.add_api_route(f"/report/{name}", _report_route(name), include_in_schema=False)
    files = {name: pack((SITE / name).read_bytes(), CONTENT_TYPES[FilePath(name).suffix]) for name in site_names()}
    files["openapi.json"] = pack_json(app.openapi())

    @app.get("/{path:path}", include_in_schema=False)
    async def file(request: Request, path: str) -> Response:
        found = files.get(path or START_PAGE)
        if found is None:
            raise ApiError(NOT_FOUND, "there is nothing at this address; go to the start page.")
        return respond(request, found)


def _report_route(name: str) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a file; a function and not a `partial`, whose annotations old versions of FastAPI cannot read."""

    async def report_file(request: Request) -> Response:
        explorer = _explorer(request)
        if explorer.report is None:
            raise ApiError(NOT_FOUND, "there is no report here; make one with: wordatoms reproduce --all -o report")
        return await _dispatcher(request).fresh(request, partial(_read_report, explorer.report / name))

    return report_file


def _read_report(path: FilePath) -> Packed:
    """A file of the report; symbolic links and special files are refused."""
    try:
        if path.is_symlink() or not path.is_file():
            raise FileNotFoundError
        return pack(path.read_bytes(), CONTENT_TYPES[path.suffix])
    except OSError:
        raise ApiError(NOT_FOUND, f"the report no longer has a file {path.name}; make the report again.") from None


# Errors


async def _send_failure(_request: Request, error: Exception) -> Response:
    failure = _api_error(error)
    return Response(to_json(failure.record()), failure.status, headers={"Content-Type": JSON})


def _api_error(error: Exception) -> ApiError:
    if isinstance(error, ApiError):
        return error
    if isinstance(error, WordatomsError):
        return ApiError.of(error)
    if isinstance(error, RequestValidationError):
        return ApiError(422, _describe_invalid(error.errors()[0]))
    if isinstance(error, HTTPException):
        is_body = error.status_code == BAD_REQUEST and "body" in str(error.detail)
        return ApiError(error.status_code, NOT_JSON if is_body else f"{error.detail}.")
    return ApiError(500, "This is a bug in the program; see the log of the server.")


NOT_JSON = "the body is not JSON in UTF-8; send an object with the fields of the change."


def _describe_invalid(error: Mapping[str, Any]) -> str:
    """What is wrong with a question or a change, in one sentence."""
    kind, place = error["type"], [part for part in error["loc"] if isinstance(part, str)]
    name = place[-1] if place else "the request"
    if kind == "json_invalid":
        return NOT_JSON
    if name == "body":
        return "the body is not an object; send one with the fields of the change."
    if kind == "missing":
        return f"'{name}' is missing."
    if kind == "extra_forbidden":
        return f"'{name[:LONGEST_NAME]}' is not a field of this change; leave it out."
    return f"'{name}' is not valid: {error['msg'][:1].lower()}{error['msg'][1:]}."
