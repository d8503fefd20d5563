"""The explorer over HTTP: what it promises in its description, what it rejects, and which hosts it answers."""

from __future__ import annotations

import asyncio
import json
import re
import threading
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter
from starlette.requests import Request

import wordatoms as wa
from explorerworld import world_explorer
from wordatoms.explorer import contextual, documents, lineup, quotations, service, texts, words
from wordatoms.explorer.answers import json_schema
from wordatoms.explorer.app import Failure, make_app
from wordatoms.explorer.cache import Dispatcher
from wordatoms.explorer.security import CONTENT_TYPES, SITE, host_name, site_names
from wordatoms.explorer.service import Explorer
from wordatoms.explorer.words import WordAnswers
from wordatoms.senses.results import AtomMatch

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # it would rather have another client than httpx
    from fastapi.testclient import TestClient

BASE = "http://127.0.0.1:8765"
ANSWERS: dict[str, Any] = {
    "api/model": service.ModelFacts,
    "api/complete?q=ba&n=1": list[str],
    "api/word?word=bank": words.WordPage,
    "api/word?word=BANK&forms=true&model=second": words.WordPage,
    "api/induce?word=the+ferry&text=a+boat+on+the+river%0Athe+ferry+crossed+the+water": words.InducedPage,
    "api/sentences?word=bank": quotations.WordQuotes,
    "api/atoms": words.AtomMap,
    "api/atoms?model=second": words.AtomMap,
    "api/atom/1": words.AtomPage,
    "api/search?q=bank": list[AtomMatch],
    "api/sentence?text=A+loan+of+the+bank": texts.TextPage,
    "api/meaning?text=A+loan+of+the+bank&token=4": texts.MeaningPage,
    "api/lineup?seed=7&n=20": lineup.LineupPage,
    "api/lineup/answer?seed=7&n=20&chosen=1,5,9": lineup.LineupAnswer,
    "api/compare?word=bank&model=second": service.ComparePage,
    "api/counterparts?model=second": service.Counterparts,
    "api/contextual": contextual.ContextualPage,
    "api/documents": documents.CollectionFacts,
    "api/documents/topics/meta": documents.TopicTable,
    "api/documents/topic/atoms/0": documents.TopicDetails,
    "api/documents/atoms": documents.AtomShares,
    "api/documents/document/3": documents.DocumentPage,
    "api/documents/search?q=the+bank&group=1&first=2": documents.FoundDocuments,
}


def check_failure(content: bytes) -> str:
    """The sentence of a failure; everything else about it is as described."""
    failure = {"suggestions": None, "parts": None, **json.loads(content)}
    return str(json_schema(Failure).model_validate(failure).error)


@pytest.fixture(scope="module")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Explorer:
    return world_explorer(tmp_path_factory.mktemp("app"))


@pytest.fixture(scope="module")
def client(explorer: Explorer) -> Iterator[TestClient]:
    with TestClient(make_app(explorer), base_url=BASE) as opened:
        yield opened


@pytest.mark.parametrize("path", ANSWERS)
def test_answers_are_what_the_description_promises(client: TestClient, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200, response.text
    assert response.headers["content-type"] == "application/json"
    TypeAdapter(json_schema(ANSWERS[path])).validate_json(response.content)
    assert client.get(path).json() == response.json() or path.startswith("api/sentences?")


def test_every_address_is_described(client: TestClient) -> None:
    described = client.get("openapi.json").json()
    addresses = {re.sub(r"\{.*\}", "X", path) for path in described["paths"]}
    named = re.compile(r"(api/atom|topics?|document)/.*")
    asked = {"/" + named.sub(r"\1/X", path.partition("?")[0]) for path in ANSWERS}
    assert addresses == asked
    for methods in described["paths"].values():
        assert set(methods) == {"get"}
        assert methods["get"]["description"]
        schema = methods["get"]["responses"]["200"]["content"]["application/json"]["schema"]
        assert "$ref" in schema or "items" in schema


@pytest.mark.parametrize(
    ("path", "status", "sentence"),
    [
        ("api/word?word=rivver", 404, "did you mean river?"),
        ("api/word?word=..", 404, "'..' is not among the 18 words"),
        ("api/word?word=" + "x" * 2000, 404, f"'{'x' * 100}…' is not among the 18 words"),
        ("api/word?word=" + "x" * 2001, 422, "at most 2000 characters"),
        ("api/word?word=", 422, "at least 1 character"),
        ("api/word", 422, "'word' is missing"),
        ("api/word?word=bank&model=third", 404, "there is no model 'third'"),
        ("api/word?word=bank&forms=perhaps", 422, "'forms' is not valid"),
        ("api/sentences?word=bank&model=third", 404, "there is no model 'third'"),
        ("api/compare?word=bank&model=third", 404, "there is no model 'third'"),
        ("api/compare?word=nothing", 404, "not among the 18 words"),
        ("api/counterparts?model=third", 404, "there is no model 'third'"),
        ("api/atom/99", 400, "there is no atom 99"),
        ("api/atom/-1", 422, "'atom' is not valid"),
        ("api/atom/one", 422, "valid integer"),
        ("api/complete", 422, "'q' is missing"),
        ("api/complete?q=a&n=51", 422, "less than or equal to 50"),
        ("api/sentence?text=" + "x" * 2001, 422, "at most 2000 characters"),
        ("api/meaning?text=bank&token=1", 400, "the text has 1 words"),
        ("api/lineup?seed=-1", 422, "'seed' is not valid"),
        ("api/lineup?seed=99999999999", 422, "'seed' is not valid"),
        ("api/lineup/answer?seed=1&chosen=1,1", 400, "different numbers"),
        ("api/lineup/answer?seed=1&chosen=one", 422, "'chosen' is not valid"),
        ("api/documents/topics/pages", 404, "there is no level 'pages' here; there are atoms, meta."),
        ("api/documents/topic/meta/99", 404, "there is no topic 99 here"),
        ("api/documents/topic/meta/x", 422, "'topic' is not valid"),
        ("api/documents/document/40", 404, "there is no document 40 here; there are 40."),
        ("api/documents/search", 422, "'q' is missing"),
        ("api/documents/search?q=bank&group=-1", 422, "'group' is not valid"),
        ("api/nothing", 404, "there is nothing at this address"),
        ("report/secret.txt", 404, "there is nothing at this address"),
    ],
)
def test_failures_are_one_sentence(client: TestClient, path: str, status: int, sentence: str) -> None:
    response = client.get(path)
    assert response.status_code == status
    error = check_failure(response.content)
    assert sentence in error
    assert "\n" not in error


def test_suggestions(client: TestClient) -> None:
    assert client.get("api/word?word=rivver").json()["suggestions"] == ["river"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"])
def test_read_only(client: TestClient, method: str) -> None:
    response = client.request(method, "api/model")
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"
    assert "read-only" in response.json()["error"]


# --- security


@pytest.mark.parametrize("path", ["", "api/model", "api/nothing", "report/index.html", "openapi.json"])
def test_security_headers(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cache-control"] == "no-cache"
    policy = headers["content-security-policy"]
    assert policy.startswith("default-src 'none'")
    assert ("'unsafe-inline'" in policy) == path.startswith("report/")
    assert headers["x-frame-options"] == ("SAMEORIGIN" if path.startswith("report/") else "DENY")
    assert "server" not in headers
    assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "192.168.0.4", "[::2]:80"]
)
def test_other_names_are_not_answered(client: TestClient, host: str) -> None:
    response = client.get("api/model", headers={"Host": host})
    assert response.status_code == 400
    assert "does not answer to this host name" in response.json()["error"]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8765"])
def test_names_of_this_machine_are_answered(client: TestClient, host: str) -> None:
    assert client.get("api/model", headers={"Host": host}).status_code == 200


def test_host_that_was_asked_for(explorer: Explorer) -> None:
    named = TestClient(make_app(explorer, host="corpus.example"), base_url="http://corpus.example")
    assert named.get("api/model").status_code == 200
    assert named.get("api/model", headers={"Host": "10.0.0.1"}).status_code == 400
    everywhere = TestClient(make_app(explorer, host="0.0.0.0"), base_url="http://10.0.0.1:8765")
    assert everywhere.get("api/model").status_code == 200
    assert everywhere.get("api/model", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(("header", "name"), [("A.b:80", "a.b"), ("[::1]", "::1"), ("[::1]:80", "::1"), ("", "")])
def test_host_names(header: str, name: str) -> None:
    assert host_name(header) == name


TRICKS = ["../", "..%2f", "%2e%2e/", "....//", "..\\", "/", "%00", "site/../", "report/../", "report/%2e%2e/"]
TARGETS = ["etc/passwd", "pyproject.toml", "app.py", "report/secret.txt", "secret.txt", "first/manifest.json"]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("trick", TRICKS)
def test_no_way_to_other_files(client: TestClient, trick: str, target: str) -> None:
    for n in (1, 3, 8):
        assert client.get(f"{BASE}/{trick * n}{target}").status_code == 404


# --- the page and the report


def test_files_of_the_page(client: TestClient) -> None:
    for name in site_names():
        response = client.get(name)
        assert response.content == (SITE / name).read_bytes()
        assert response.headers["content-type"] == CONTENT_TYPES[Path(name).suffix]
        assert client.get(name, headers={"If-None-Match": response.headers["etag"]}).status_code == 304
    assert client.get("/").content == client.get("index.html").content


def test_only_files_of_known_kinds_are_part_of_the_page(tmp_path: Path) -> None:
    for name in ("index.html", "parts/a.js", "notes.md", "a.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert site_names(tmp_path) == ["index.html", "parts/a.js"]


def test_the_report(client: TestClient, explorer: Explorer) -> None:
    assert client.get("report/index.html").text == "<p>a report</p>"
    assert client.get("report/results.json").status_code == 404
    assert "report" in client.get("api/model").json()["features"]
    without = TestClient(make_app(Explorer([explorer.first.model])), base_url=BASE)
    assert "report" not in without.get("api/model").json()["features"]
    assert "wordatoms reproduce" in without.get("report/index.html").json()["error"]


def test_head_has_no_body(client: TestClient) -> None:
    assert client.head("api/model").status_code == 200


def test_large_answers_are_compressed_for_those_who_want_it(explorer: Explorer) -> None:
    client = TestClient(make_app(explorer), base_url=BASE)
    squeezed = client.get("openapi.json")
    plain = client.get("openapi.json", headers={"Accept-Encoding": "identity"})
    assert squeezed.headers["content-encoding"] == "gzip"
    assert "content-encoding" not in plain.headers
    assert squeezed.json() == plain.json()


def test_names_that_a_person_gives_are_seen_at_once(client: TestClient, explorer: Explorer) -> None:
    before = client.get("api/atom/2").json()["label"]
    explorer.first.model.name(2, "music")
    assert client.get("api/atom/2").json()["label"] == "music"
    (explorer.first.model.path / "notes.json").unlink()
    assert client.get("api/atom/2").json()["label"] == before


def test_model_without_a_map_says_so(explorer: Explorer) -> None:
    client = TestClient(make_app(Explorer([explorer.of("second").model])), base_url=BASE)
    response = client.get("api/sentence?text=the+bank")
    assert response.status_code == 404
    assert "has no 'map' stage yet" in response.json()["error"]


def test_those_who_ask_the_same_wait_for_one_answer() -> None:
    n_asked, may_go_on = [], threading.Event()

    def answer() -> dict[str, int]:
        n_asked.append(1)
        may_go_on.wait(5)
        return {"n": len(n_asked)}

    async def ask_many() -> list[bytes]:
        dispatcher = Dispatcher(lambda: 0)
        scope = {"type": "http", "headers": []}
        tasks = [asyncio.create_task(dispatcher.quick(Request(scope), partial(answer))) for _ in range(5)]
        await asyncio.sleep(0.02)
        may_go_on.set()
        return [bytes((await task).body) for task in tasks]

    assert set(asyncio.run(ask_many())) == {b'{"n":1}'}


def test_answers_are_remembered_by_what_is_asked_and_not_by_the_address(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, n_asked = TestClient(make_app(explorer), base_url=BASE), []
    complete = WordAnswers.complete
    monkeypatch.setattr(WordAnswers, "complete", lambda *given: n_asked.append(given) or complete(*given))
    for query in ("q=ba&n=5", "n=5&q=ba&x=1", "x=2&q=ba&n=5&model=", "q=ba&n=5&model=first", "q=no&q=ba&n=5"):
        assert client.get(f"api/complete?{query}").json() == ["bank", "banks"]
    assert len(n_asked) == 1
    client.get("api/complete?q=ba&n=6")
    client.get("api/complete?q=ba&n=5&model=second")
    assert len(n_asked) == 3


# --- whatever is asked

SOME_TEXT = st.one_of(
    st.text(max_size=120), st.sampled_from(["bank", "BANK's", "banks", "a/b", "..", "%", "\x00", "'"])
)
NUMBERS = st.one_of(st.integers(-3, 60), st.integers(), st.text("0123456789,.-e ", max_size=12), SOME_TEXT)
ADDRESSES = ["model", "complete", "word", "sentences", "atoms", "atom", "search", "sentence", "meaning", "lineup"]
ADDRESSES += ["lineup/answer", "compare", "counterparts"]
PARAMETERS = {
    "q": SOME_TEXT,
    "word": SOME_TEXT,
    "text": SOME_TEXT,
    "model": st.one_of(st.sampled_from(["first", "second", ""]), SOME_TEXT),
    "forms": st.one_of(st.booleans(), SOME_TEXT),
    **dict.fromkeys(("n", "seed", "token", "chosen"), NUMBERS),
}


def encoded(text: str) -> str:
    from urllib.parse import quote

    return quote(text.encode("utf-8", "surrogatepass"), safe="")


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(ADDRESSES),
    st.one_of(st.none(), st.just("bank"), NUMBERS),
    st.fixed_dictionaries({}, optional=PARAMETERS),
)
def test_nothing_that_is_asked_breaks_it(
    client: TestClient, address: str, rest: object, parameters: dict[str, Any]
) -> None:
    path = f"{BASE}/api/{address}" + (f"/{encoded(str(rest))}" if rest is not None else "")
    query = "&".join(f"{name}={encoded(str(value))}" for name, value in parameters.items())
    response = client.get(f"{path}?{query}" if query else path)
    assert response.status_code in (200, 400, 404, 422)
    if response.status_code != 200:
        check_failure(response.content)
    else:
        json.loads(response.content)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(max_size=400))
def test_any_text_has_its_words_in_their_places(client: TestClient, text: str) -> None:
    response = client.get(f"{BASE}/api/sentence?text={encoded(text)}")
    if not text:
        assert response.status_code == 422
        return
    answer = response.json()
    units = answer["text"].encode("utf-16-le", "surrogatepass")
    for token in answer["tokens"]:
        assert units[2 * token["start"] : 2 * token["end"]].decode("utf-16-le") == token["text"]


def test_the_shipped_model_answers() -> None:
    client = TestClient(make_app(Explorer([wa.load()])), base_url=BASE)
    senses = client.get("api/word?word=tie").json()["senses"]
    assert len(senses) >= 3
    tokens = client.get("api/sentence", params={"text": "He wore a tie with his shirt."}).json()["tokens"]
    assert tokens[3]["best"]["atom"] in {sense["atom"] for sense in senses}


def test_a_query_without_end_is_refused(client: TestClient) -> None:
    answer = client.get(f"/api/complete?q=ti&x={'y' * 40_000}")
    assert answer.status_code == 414
    assert "more than" in answer.json()["error"]


@pytest.mark.parametrize(
    "header",
    [
        *("localhost:1@evil.com", "[::1].evil.com", "[::1]evil.com", "localhost:@evil.com", "127.0.0.1:80:80"),
        *("localhost:", "localhost/evil.com", "[::1", "::1", "localhost:123456", "localhost evil.com", ""),
    ],
)
def test_host_that_only_began_like_a_local_one_was_answered(header: str, client: TestClient) -> None:
    assert host_name(header) == ""
    assert client.get("api/model", headers={"Host": header}).status_code == 400
