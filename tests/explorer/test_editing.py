"""Names, hidden atoms and picks made in the page: only on request, only from the page itself, and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

import wordatoms as wa
from browsing import FLAGS, WIDE, Visitor, find_browser, serving, why_no_browser
from explorerworld import world_models
from wordatoms.cli.explore import explore
from wordatoms.errors import InputError
from wordatoms.explorer.app import make_app
from wordatoms.explorer.editing import MOST_UNDONE, Editor
from wordatoms.explorer.export import export_site
from wordatoms.explorer.security import LONGEST_EDIT
from wordatoms.explorer.service import Explorer
from wordatoms.run import Run

BASE, TOKEN = "http://127.0.0.1:8765", "the-token-of-this-run"
HEADERS = {"origin": BASE, "x-wordatoms-token": TOKEN}


@pytest.fixture
def model(tmp_path: Path) -> wa.SenseModel:
    return world_models(tmp_path)[0]


@pytest.fixture
def client(model: wa.SenseModel) -> Iterator[TestClient]:
    with TestClient(make_app(Explorer([model], edit=True), token=TOKEN), base_url=BASE) as opened:
        yield opened


def test_an_undo_that_fails_can_be_tried_again(model: wa.SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, label = Editor(model), model.label(1)
    editor.name(1, "rivers")
    with monkeypatch.context() as patch:
        patch.setattr(type(model), "name", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(OSError, match="No space"):
            editor.undo()
    assert editor.undo().n_undo == 0
    assert model.label(1) == label


def test_every_change_is_undone(model: wa.SenseModel) -> None:
    editor, label = Editor(model), model.label(1)
    assert editor.name(1, " shores ").done == "Atom 1 is called “shores”."
    editor.name(1, "rivers")
    editor.hide(2, hidden=True)
    assert editor.pick("bank", [0, 1]).n_undo == 4
    assert (model.label(1), model.notes.hidden, model.notes.picks) == ("rivers", {2}, {"bank": (0, 1)})
    assert "automatic" in editor.undo().done
    editor.undo()
    assert (model.notes.hidden, model.notes.picks) == (set(), {})
    editor.undo()
    assert model.label(1) == "shores"
    assert editor.undo().n_undo == 0
    assert model.label(1) == label
    with pytest.raises(InputError, match="nothing to undo"):
        editor.undo()


def test_a_change_that_fails_leaves_nothing_to_undo(model: wa.SenseModel) -> None:
    editor = Editor(model)
    editor.hide(2, hidden=True)
    with pytest.raises(InputError, match="hidden"):
        editor.pick("bank", [2])
    with pytest.raises(InputError):
        editor.name(99, "none")
    assert editor.undo().n_undo == 0


def test_undo_is_bounded(model: wa.SenseModel) -> None:
    editor = Editor(model)
    for number in range(MOST_UNDONE + 5):
        edited = editor.name(0, f"name {number}")
    assert edited.n_undo == MOST_UNDONE


def test_changes_over_http_are_seen_at_once(client: TestClient, model: wa.SenseModel) -> None:
    assert "edit" in client.get("api/model").json()["features"]
    asked = client.get("api/candidates?word=Bank").json()
    assert asked["word"] == "bank"
    assert [each["atom"] for each in asked["candidates"]] == [each.atom for each in model.candidates("bank")]
    done = client.post("api/edit/name", json={"atom": 1, "name": "shores"}, headers=HEADERS)
    assert done.json() == {"done": "Atom 1 is called “shores”.", "n_undo": 1}
    assert client.get("api/atom/1").json()["label"] == "shores"
    client.post("api/edit/pick", json={"word": "bank", "atoms": [1]}, headers=HEADERS).raise_for_status()
    assert [sense["atom"] for sense in client.get("api/word?word=bank").json()["senses"]] == [1]
    for _ in range(2):
        client.post("api/edit/undo", json={}, headers=HEADERS).raise_for_status()
    assert client.get("api/atom/1").json()["label"] != "shores"
    assert model.notes.picks == {}
    refused = client.post("api/edit/undo", json={}, headers=HEADERS)
    assert (refused.status_code, refused.json()["error"]) == (400, "there is nothing to undo.")


@pytest.mark.parametrize(
    ("path", "body", "status", "sentence"),
    [
        ("name", b'{"atom": "1", "name": "x"}', 422, "'atom' is not valid: input should be a valid integer."),
        ("name", b'{"atom": true, "name": "x"}', 422, "'atom' is not valid: input should be a valid integer."),
        ("name", b'{"atom": 1.5, "name": "x"}', 422, "'atom' is not valid"),
        ("name", b'{"atom": -1, "name": "x"}', 422, "'atom' is not valid"),
        ("name", b'{"atom": 9, "name": "x"}', 400, "there is no atom 9"),
        ("name", b'{"atom": 1, "name": null}', 422, "'name' is not valid"),
        ("name", b'{"atom": 1}', 422, "'name' is missing."),
        ("name", b'{"atom": 1, "name": "x", "more": 1}', 422, "'more' is not a field of this change; leave it out."),
        ("name", b"[]", 422, "the body is not an object; send one with the fields of the change."),
        ("name", b"{", 422, "the body is not JSON in UTF-8; send an object with the fields of the change."),
        ("name", b'{"atom": 1, "name": "\xff"}', 400, "the body is not JSON in UTF-8"),
        ("hide", b'{"atom": 1, "hidden": "yes"}', 422, "'hidden' is not valid: input should be a valid boolean."),
        ("hide", b'{"atom": 1, "hidden": 1}', 422, "'hidden' is not valid: input should be a valid boolean."),
        ("pick", b'{"word": "bank", "atoms": ["1"]}', 422, "'atoms' is not valid: input should be a valid integer."),
        ("undo", b'{"more": 1}', 422, "'more' is not a field of this change; leave it out."),
        ("rename", b"{}", 404, "there is no change 'rename'; there are name, hide, pick and undo."),
    ],
)
def test_a_body_that_is_no_change_says_why(
    client: TestClient, model: wa.SenseModel, path: str, body: bytes, status: int, sentence: str
) -> None:
    response = client.post(f"api/edit/{path}", content=body, headers={**HEADERS, "content-type": "application/json"})
    assert response.status_code == status
    assert response.json()["error"].startswith(sentence)
    assert (model.notes.names, model.notes.hidden, model.notes.picks) == ({}, set(), {})


def test_a_change_of_unknown_length_is_refused(client: TestClient) -> None:
    parts = iter([b'{"atom": 1, ', b'"name": "x"}'])
    response = client.post("api/edit/name", content=parts, headers={**HEADERS, "content-type": "application/json"})
    assert response.status_code == 411
    assert response.json()["error"] == "a change says how long it is; send a Content-Length, and no parts."


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://127.0.0.1:9999"}, 403),
        ({"origin": "https://127.0.0.1:8765"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": ""}, 403),
        ({"x-wordatoms-token": "guess"}, 403),
        ({"x-wordatoms-token": ""}, 403),
        ({"x-wordatoms-token": "ü"}, 403),
        ({"content-type": "text/plain"}, 415),  # what a form of another site could send
        ({"content-length": str(LONGEST_EDIT + 1)}, 413),
        ({"content-length": "many"}, 413),
        ({"host": "evil.example"}, 400),
    ],
    ids=str,
)
def test_requests_of_other_sites_change_nothing(
    headers: dict[str, str], status: int, client: TestClient, model: wa.SenseModel
) -> None:
    content = b'{"atom": 1, "name": "caught"}'
    given = {**HEADERS, "content-type": "application/json", **headers}
    response = client.post("api/edit/name", content=content, headers={k: v.encode() for k, v in given.items()})
    assert response.status_code == status
    assert "\n" not in response.json()["error"]
    assert model.notes.names == {}


def test_what_means_nothing_is_one_sentence(client: TestClient, model: wa.SenseModel) -> None:
    for path, content in (
        ("name", {"atom": 1}),
        ("name", {"atom": -1, "name": "x"}),
        ("name", {"atom": 1, "name": "x" * 201}),
        ("hide", {"atom": 1, "hidden": "perhaps"}),
        ("pick", {"word": "bank", "atoms": ["one"]}),
        ("pick", {"word": "bank", "atoms": list(range(300))}),
        ("pick", {"word": "nothing", "atoms": [1]}),
        ("pick", {"word": "bank", "atoms": [99]}),
        ("name", [1, 2]),
    ):
        response = client.post(f"api/edit/{path}", json=content, headers=HEADERS)
        assert response.status_code in (400, 404, 422), (path, content)
        assert response.json()["error"]
    assert client.post("api/edit/name", content=b"{", headers={**HEADERS, "content-type": "application/json"}).is_error
    assert client.put("api/edit/name", json={}, headers=HEADERS).status_code == 405
    assert client.post("api/word", json={}, headers=HEADERS).status_code == 405
    assert (model.notes.names, model.notes.picks, model.notes.hidden) == ({}, {}, set())


def test_without_request_nothing_can_be_changed(model: wa.SenseModel) -> None:
    for app in (
        make_app(Explorer([model])),
        make_app(Explorer([model]), token=TOKEN),
        make_app(Explorer([model], edit=True)),
    ):
        with TestClient(app, base_url=BASE) as reader:
            changed = reader.post("api/edit/name", json={"atom": 1, "name": "x"}, headers=HEADERS)
            assert changed.status_code == 405
            assert reader.get("api/candidates?word=bank").status_code == 404
    assert model.notes.names == {}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.org"])
def test_editing_is_refused_to_other_machines(host: str, model: wa.SenseModel) -> None:
    with pytest.raises(InputError, match="this machine only"):
        make_app(Explorer([model], edit=True), host=host, token=TOKEN)
    result = CliRunner().invoke(explore, ["--edit", "--host", host, "--model", str(model.path), "--no-browser"])
    assert result.exit_code == 2
    assert "this machine only" in result.output


def test_an_export_has_nothing_to_edit(model: wa.SenseModel, tmp_path: Path) -> None:
    export_site(Explorer([model], edit=True), tmp_path / "site", n_lineups=1, run=Run(threads=1))
    assert '"edit"' not in (tmp_path / "site" / "api" / "model.json").read_text()
    result = CliRunner().invoke(explore, ["--edit", "--export", str(tmp_path / "other"), "--model", str(model.path)])
    assert result.exit_code == 2
    assert "--edit has no effect with --export" in result.output


def test_names_and_picks_in_the_browser(model: wa.SenseModel) -> None:
    if missing := why_no_browser():
        pytest.skip(missing)
    from playwright.sync_api import sync_playwright

    with serving(Explorer([model], edit=True), token=TOKEN) as base, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        page = chromium.new_page(viewport=dict(zip(("width", "height"), WIDE, strict=True)), reduced_motion="reduce")
        visitor = Visitor(page, base)
        visitor.open("#/atom/1").sees("h1")
        assert page.locator(".edit-form").count() == 0  # the token is missing
        visitor.open(f"#/atom/1?token={TOKEN}").sees(".edit-form input").fill("<b>shores</b>")
        assert TOKEN not in page.url
        page.get_by_role("button", name="Rename", exact=True).click()
        visitor.reads("h1", "<b>shores</b>")
        page.get_by_role("button", name="Hide from all senses").click()
        visitor.reads("main", "This atom is hidden")
        page.get_by_role("button", name="Undo").click()
        visitor.sees("button:text-is('Hide from all senses')")
        page.get_by_role("button", name="Undo").click()
        page.wait_for_function("() => !document.querySelector('h1').innerText.includes('shores')")
        assert model.notes.names == {}
        visitor.go("#/word/bank").sees(".sense")
        page.get_by_role("link", name="Pick senses").click()
        boxes = page.locator(".candidates input")
        boxes.first.wait_for()
        for number in range(boxes.count()):
            boxes.nth(number).set_checked(number == 1)
        page.get_by_role("button", name="Save").click()
        visitor.reads("#edited", "1 picked atom")
        visitor.go("#/word/bank").sees(".sense", 1)
        page.get_by_role("button", name="Undo").click()
        visitor.sees(".sense", 2)
        assert model.notes.picks == {}
        chromium.close()
    assert visitor.complaints == []
