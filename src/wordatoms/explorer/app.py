"""The explorer over HTTP: typed, limited, read-only addresses over `Explorer`, and the files of the page.

`/openapi.json` describes it. FastAPI's own pages of documentation are off, because they load programs from elsewhere.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path as FilePath
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import FastAPI, Path, Query
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

import wordatoms
from wordatoms.errors import WordatomsError
from wordatoms.explorer import schemas
from wordatoms.explorer.asking import Asker, respond
from wordatoms.explorer.packing import JSON, Packed, pack, pack_json, to_json
from wordatoms.explorer.refusals import NOT_FOUND, Refusal
from wordatoms.explorer.security import Guard, guard_settings
from wordatoms.explorer.service import N_SHOWN, REPORT_FILES, Explorer
from wordatoms.explorer.sitefiles import KINDS, START, read_site

LONGEST_NAME = 100
LONGEST_TEXT = 2000
MOST_SEED = (1 << 31) - 1

Word = Annotated[
    str, Query(min_length=1, max_length=LONGEST_TEXT, description="in the model's spelling, or in capitals")
]
AtomId = Annotated[int, Path(ge=0, le=1_000_000)]
ModelName = Annotated[str | None, Query(max_length=LONGEST_NAME, description="one of `models`; the first without")]
Wanted = Annotated[str, Query(min_length=1, max_length=LONGEST_TEXT)]
Text = Annotated[str, Query(min_length=1, max_length=LONGEST_TEXT)]
Seed = Annotated[int, Query(ge=0, le=MOST_SEED, description="decides the word and the senses shown")]
NShown = Annotated[int, Query(ge=8, le=50, description="senses in the lineup")]
Chosen = Annotated[
    str, Query(max_length=200, pattern=r"^[0-9]{1,2}(,[0-9]{1,2})*$", description="numbers of senses, from 1")
]

REFUSED: dict[int | str, dict[str, Any]] = {
    400: {"model": schemas.Refused, "description": "A question that makes no sense"},
    404: {"model": schemas.Refused, "description": "An unknown word, atom or model"},
    422: {"model": schemas.Refused, "description": "A parameter that is missing or beyond its limits"},
}


def make_app(explorer: Explorer, *, host: str = "127.0.0.1") -> FastAPI:
    """The web app on an explorer; `host` is the name or address that it listens at."""
    app = FastAPI(
        title="wordatoms explorer",
        version=wordatoms.__version__,
        description="The senses of words and the atoms of discourse of a model. Read-only; every answer is JSON.",
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=REFUSED,
    )
    ask = Asker(lambda: explorer.stamp)
    for add in (_add_facts, _add_words, _add_atoms, _add_texts, _add_lineup, _add_comparison):
        add(app, explorer, ask)
    _add_report(app, explorer, ask)
    _add_old_addresses(app)
    _add_files(app)
    _add_refusals(app)
    app.add_middleware(Guard, **guard_settings(host))
    return app


def _add_facts(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/model", response_model=schemas.ModelFacts)
    async def model(request: Request) -> Response:
        """What the model is, and what the page can show."""
        return await ask(request, partial(explorer.model))


def _add_words(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/complete", response_model=schemas.Words)
    async def complete(
        request: Request, q: Wanted, n: Annotated[int, Query(ge=1, le=50)] = 8, model: ModelName = None
    ) -> Response:
        """Words with this beginning, the most frequent first."""
        return await ask(request, partial(explorer.of(model).complete, q, n))

    @app.get("/api/word", response_model=schemas.WordPage, response_model_exclude_unset=True)
    async def word(request: Request, word: Word, model: ModelName = None, forms: bool = False) -> Response:
        """The senses of a word, its forms and its nearest words; with `forms` the senses of all its forms."""
        search = partial(explorer.of(model).find_near, word) if explorer.needs_searches else None
        return await ask(request, partial(explorer.word, word, model, forms=forms), search=search)

    @app.get("/api/sentences", response_model=schemas.WordQuotes)
    async def sentences(request: Request, word: Word, model: ModelName = None) -> Response:
        """Sentences of the given text for each sense; ask again while the state is `reading`."""
        return await ask.anew(request, lambda: pack_json(explorer.sentences(word, model)))


def _add_atoms(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/atoms", response_model=schemas.AtomMap)
    async def atoms(request: Request, model: ModelName = None) -> Response:
        """The map of all atoms."""
        return await ask.slowly(request, partial(explorer.of(model).atoms))

    @app.get("/api/atom/{atom}", response_model=schemas.AtomPage)
    async def atom(request: Request, atom: AtomId, model: ModelName = None) -> Response:
        """One atom: its words, its neighbours, its meta-atoms."""
        return await ask(request, partial(explorer.of(model).atom, atom))

    @app.get("/api/search", response_model=schemas.FoundAtoms)
    async def search(request: Request, q: Wanted, model: ModelName = None) -> Response:
        """Atoms by their words or by the names that a person gave them."""
        return await ask(request, partial(explorer.of(model).search, q))


def _add_texts(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/sentence", response_model=schemas.TextPage)
    async def sentence(request: Request, text: Text) -> Response:
        """The likeliest sense of every word of a text."""
        return await ask(request, partial(explorer.texts.sentence, text))

    @app.get("/api/meaning", response_model=schemas.MeaningPage)
    async def meaning(request: Request, text: Text, token: Annotated[int, Query(ge=0, le=LONGEST_TEXT)]) -> Response:
        """The senses of one word of a text, and how the words around it pull."""
        return await ask(request, partial(explorer.texts.meaning, text, token))


def _add_lineup(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/lineup", response_model=schemas.LineupPage)
    async def lineup(request: Request, seed: Seed, n: NShown = N_SHOWN) -> Response:
        """A word and a lineup of senses, some of them its own."""
        return await ask(request, partial(explorer.tests.lineup, seed, n))

    @app.get("/api/lineup/answer", response_model=schemas.LineupAnswer)
    async def answer(request: Request, seed: Seed, chosen: Chosen, n: NShown = N_SHOWN) -> Response:
        """Which were right, and what the machine chose."""
        question = partial(explorer.tests.answer, seed, n, tuple(map(int, chosen.split(","))))
        search = explorer.tests.make_scores if explorer.tests.need_scores else None
        return await ask(request, question, search=search)


def _add_comparison(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/compare", response_model=schemas.ComparePage)
    async def compare(request: Request, word: Word, model: ModelName = None) -> Response:
        """The senses of a word in the first model and in another, and which belong together."""
        search = partial(explorer.find_near_in_both, word, model) if explorer.needs_searches else None
        return await ask(request, partial(explorer.compare, word, model), search=search)


def _add_old_addresses(app: FastAPI) -> None:
    """Words stood in the path once, where browsers take `..` for another folder."""

    async def moved(request: Request, word: str, kind: str) -> Response:
        return RedirectResponse(f"/api/{kind}?{urlencode({**request.query_params, 'word': word})}")

    for kind in ("word", "sentences", "compare"):
        app.add_api_route(f"/api/{kind}/{{word:path}}", partial(moved, kind=kind), include_in_schema=False)


def _add_report(app: FastAPI, explorer: Explorer, ask: Asker) -> None:
    @app.get("/api/report", response_model=schemas.ReportFacts)
    async def report(request: Request) -> Response:
        """Whether there is a report of `wordatoms reproduce`; it is at `report/index.html`."""
        return await ask(request, partial(explorer.report_facts))

    async def file(request: Request, name: str) -> Response:
        if explorer.report is None:
            raise Refusal(NOT_FOUND, "there is no report here; make one: wordatoms reproduce --all -o report")
        return await ask.anew(request, partial(_read_report, explorer.report / name))

    for name in REPORT_FILES:
        app.add_api_route(f"/report/{name}", partial(file, name=name), include_in_schema=False)


def _read_report(path: FilePath) -> Packed:
    """A file of the report itself: no link that leads elsewhere, nothing that would keep a reader waiting."""
    try:
        if path.is_symlink() or not path.is_file():
            raise FileNotFoundError
        return pack(path.read_bytes(), KINDS[path.suffix])
    except OSError:
        raise Refusal(NOT_FOUND, f"the report has no file {path.name} any more; make it again.") from None


def _add_files(app: FastAPI) -> None:
    """The page and the description of this interface, made before anybody asks."""
    files = {**read_site(), "openapi.json": pack_json(app.openapi())}

    @app.get("/{path:path}", include_in_schema=False)
    async def file(request: Request, path: str) -> Response:
        found = files.get(path or START)
        if found is None:
            raise Refusal(NOT_FOUND, "there is nothing at this address; start at the first page.")
        return respond(request, found)


# Refusals


def _add_refusals(app: FastAPI) -> None:
    @app.exception_handler(Refusal)
    async def refused(_request: Request, refusal: Refusal) -> Response:
        return _as_json(refusal.status, refusal.record())

    @app.exception_handler(WordatomsError)
    async def failed(_request: Request, error: WordatomsError) -> Response:
        refusal = Refusal.of(error)
        return _as_json(refusal.status, refusal.record())

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> Response:
        return _as_json(422, {"error": _sentence(error)})

    @app.exception_handler(HTTPException)
    async def other(_request: Request, error: HTTPException) -> Response:
        return _as_json(error.status_code, {"error": f"{error.detail}."})

    @app.exception_handler(Exception)
    async def broken(_request: Request, _error: Exception) -> Response:
        return _as_json(500, {"error": "This is a mistake in the program; the window of the server says more."})


def _as_json(status: int, record: dict[str, Any]) -> Response:
    return Response(to_json(record), status, headers={"Content-Type": JSON})


def _sentence(error: RequestValidationError) -> str:
    """Its first complaint."""
    first = error.errors()[0]
    name = first["loc"][-1] if first["loc"] else "the request"
    return f"'{name}' cannot be used: {first['msg'][:1].lower()}{first['msg'][1:]}."
