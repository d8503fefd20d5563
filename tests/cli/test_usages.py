"""`disambiguate`, `cluster` and `similarity` in context as a user meets them, on a planted bank of money and rivers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import fails, run
from invoking import invoke, refused
from naive_posterior import world_embeddings, world_map, world_model

MONEY, RIVER = 0, 1
AT_THE_BANK = "The bank gave a loan of cash to the account."
AT_THE_RIVER = "A boat on the river near the bank, by the water."
LINES = f"{AT_THE_BANK}\n\nno such word\nboat, bank, shore, banks\n{AT_THE_RIVER}\r\n"
"""Usages in lines 1, 4, 4 and 5."""


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("usages") / "model"
    return world_model(path, world_embeddings(), induced_map=world_map()).path


@pytest.fixture
def lines(tmp_path: Path) -> Path:
    path = tmp_path / "lines.txt"
    path.write_bytes(LINES.encode())
    return path


# --- disambiguate


def test_one_text(model: Path) -> None:
    shown = run("disambiguate", "bank", AT_THE_RIVER, "--model", model, "-n", "1").stdout.decode().splitlines()
    assert shown[0].split() == ["probability", "atom", "label", "nearest", "words"]
    assert shown[1].split()[1] == str(RIVER)
    assert shown[2].startswith("decided by: ")
    assert "river (" in shown[2]
    assert len(shown) == 3


def test_several_occurrences_in_any_form(model: Path) -> None:
    text = f"{AT_THE_BANK} zyx {AT_THE_RIVER} Banks!"
    shown = invoke("disambiguate", "BANK", text, "--model", model).stdout
    assert [part.splitlines()[0] for part in shown.split("\n\n")] == [
        "bank, word 2:",
        "bank, word 19:",
        "banks, word 23:",
    ]
    answers = json.loads(invoke("disambiguate", "bank", text, "--model", model, "--json").stdout)
    assert [(answer["form"], answer["position"]) for answer in answers] == [("bank", 1), ("bank", 18), ("banks", 22)]
    assert [answer["senses"][0]["atom"] for answer in answers] == [MONEY, RIVER, RIVER]
    assert set(answers[0]) == {"word", "form", "position", "n_known", "senses", "deciding"} | {
        "p_none",
        "tells_nothing",
        "verdict",
    }
    assert set(answers[0]["senses"][0]) == {"atom", "probability", "label", "nearest", "share", "sense"}
    assert {pull["word"] for pull in answers[0]["deciding"]} <= {"loan", "cash", "account"}


def test_word_without_a_known_word_around_it(model: Path) -> None:
    alone = invoke("disambiguate", "bank", "a bank", "--model", model)
    assert alone.stderr == "no word around 'bank' is known; these are the senses of the word alone.\n"
    quiet = invoke("disambiguate", "bank", "a bank", "--model", model, "--quiet")
    assert quiet.stdout == alone.stdout
    assert quiet.stderr == "", "the remark was shown in spite of --quiet"


def test_file_has_one_row_per_occurrence(model: Path, lines: Path) -> None:
    result = run("disambiguate", "bank", "--file", lines, "--model", model)
    rows = [line.split("\t") for line in result.stdout.decode().splitlines()]
    assert rows[0] == ["line", "form", "probability", "atom", "label", "decided by"]
    assert [row[:2] for row in rows[1:]] == [["1", "bank"], ["4", "bank"], ["4", "banks"], ["5", "bank"]]
    assert [int(row[3]) for row in rows[1:]] == [MONEY, RIVER, RIVER, RIVER]
    assert all(0.5 < float(row[2]) <= 1 for row in rows[1:])
    assert result.stderr.decode() == "2 lines without any form of 'bank'\n"
    piped = run("disambiguate", "bank", "--file", "-", "--model", model, "--quiet", stdin=LINES.encode())
    assert (piped.stdout, piped.stderr) == (result.stdout, b"")


def test_file_as_json_has_one_object_per_line(model: Path, lines: Path) -> None:
    found = invoke("disambiguate", "bank", "--file", lines, "--model", model, "--json", "-n", "1").stdout.splitlines()
    answers = [json.loads(line) for line in found]
    assert [answer["line"] for answer in answers] == [1, 4, 4, 5]
    assert [len(answer["senses"]) for answer in answers] == [1] * 4
    (alone,) = json.loads(invoke("disambiguate", "bank", AT_THE_BANK, "--model", model, "--json", "-n", "1").stdout)
    assert answers[0].keys() == {"line", *alone}
    assert answers[0]["senses"][0]["probability"] == pytest.approx(alone["senses"][0]["probability"])


@pytest.mark.parametrize("stdin", [b"a river\n", b""])
def test_file_without_the_word_is_refused(model: Path, stdin: bytes) -> None:
    for options in ([], ["--json"]):
        message = refused("disambiguate", "bank", "--file", "-", *options, "--model", model, stdin=stdin)
        assert message == "no line of - contains a form of 'bank'; pass texts with the word, one per line."
    assert "did you mean river" in refused("disambiguate", "rivre", "--file", "-", "--model", model, stdin=stdin)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rivre", "the water"], "'rivre' is not among the 18 words of the vocabulary; did you mean river"),
        (["bank", "the river"], "no form of 'bank' is in the text; pass a text with the word."),
        (["bank", ""], "the text is empty; pass one with 'bank' in it."),
        (["bank", " \n"], "the text is empty"),
        (["bank", "--file", "-"], "line 2 of - is not UTF-8 text (byte 5); pass one text per line."),
    ],
)
def test_disambiguate_refuses(model: Path, arguments: list[str], sentence: str) -> None:
    asked = ("disambiguate", *arguments, "--model", model, "--json")
    assert sentence in refused(*asked, stdin=b"a bank\nbank \xff\n")


def test_failure_is_one_sentence_and_nothing_else(model: Path) -> None:
    result = run("disambiguate", "bank", "--file", "-", "--model", model, "--json", stdin=b"a bank\nbank \xff\n")
    assert "line 2 of - is not UTF-8 text" in fails(result)
    assert result.stdout == b""
    assert "no form of 'bank'" in fails(run("cluster", "bank", "--contexts", "-", "--model", model, stdin=b"river\n"))


def test_a_text_or_a_file(model: Path, lines: Path) -> None:
    for given in ([], [AT_THE_BANK, "--file", lines]):
        assert "pass either TEXT, or --file" in invoke("disambiguate", "bank", *given, "--model", model, code=2).stderr
    message = invoke("disambiguate", "bank", "--file", "none.txt", "--model", model, code=2).stderr
    assert "does not exist" in message


def test_model_without_a_map(tmp_path: Path) -> None:
    path = world_model(tmp_path / "model", world_embeddings()).path
    assert "has no 'map' stage yet; run: wordatoms map" in refused("disambiguate", "bank", "bank", "--model", path)


# --- cluster


@pytest.mark.parametrize("k", ["2", "auto"])
def test_clusters(model: Path, k: str) -> None:
    texts = [AT_THE_BANK, AT_THE_RIVER, "cash and credit, bank account, loan", "bank: money, loan, credit, account"]
    result = invoke("cluster", "bank", "--contexts", "-", "-k", k, "--model", model, stdin="\n".join(texts).encode())
    shown = result.stdout.splitlines()
    assert shown[0] == "cluster 1: 3 usages (75%)"
    assert shown[1].endswith(f"atom {MONEY}: money, loan, cash")
    assert {line.split(":")[0] for line in shown[3:6]} == {"  line 1", "  line 3", "  line 4"}
    assert shown[6].startswith("cluster 2: 1 ")
    assert shown[-1] == f"  line 2: {AT_THE_RIVER}"
    assert result.stderr == ""


def test_lines_were_numbered_without_the_blank_ones(model: Path, lines: Path) -> None:
    result = run("cluster", "bank", "--contexts", lines, "-k", "2", "--model", model, "--json")
    found = json.loads(result.stdout)
    assert found["word"] == "bank"
    assert [(usage["line"], usage["form"]) for usage in found["usages"]] == [
        (1, "bank"),
        (4, "bank"),
        (4, "banks"),
        (5, "bank"),
    ]
    assert [usage["cluster"] for usage in found["usages"]] == [1, 0, 0, 0]
    assert [(each["cluster"], each["size"], each["senses"][0]["atom"]) for each in found["clusters"]] == [
        (0, 3, RIVER),
        (1, 1, MONEY),
    ]
    assert found["clusters"][1]["typical_lines"] == [1]
    assert result.stderr.decode() == "2 lines without any form of 'bank'\n"
    assert "line 1: The bank gave" in invoke("cluster", "bank", "--contexts", lines, "--model", model).stdout


def test_long_texts_are_cut(model: Path) -> None:
    shown = invoke("cluster", "bank", "--contexts", "-", "--model", model, stdin=b"bank " + 200 * b"loan ")
    assert shown.stdout.splitlines()[-1].endswith("…")
    assert max(map(len, shown.stdout.splitlines())) < 120


@pytest.mark.parametrize(
    ("stdin", "sentence"),
    [
        (b"", "- contains no contexts; write one per line."),
        (b"\n \n", "- contains no contexts"),
        (b"a river\nthe shore\n", "no form of 'bank' is in the 2 texts; pass texts with the word."),
        (b"bank\n\xff\n", "line 2 of - is not UTF-8 text"),
    ],
)
def test_cluster_refuses(model: Path, stdin: bytes, sentence: str) -> None:
    assert sentence in refused("cluster", "bank", "--contexts", "-", "--model", model, stdin=stdin)


@pytest.mark.parametrize("k", ["0", "-1", "many"])
def test_wrong_k(model: Path, lines: Path, k: str) -> None:
    message = invoke("cluster", "bank", "--contexts", lines, "-k", k, "--model", model, code=2).stderr
    assert "is not a number above 0 or auto" in message


def test_cluster_of_an_unknown_word(model: Path) -> None:
    message = refused("cluster", "zyx", "--contexts", "-", "--model", model, stdin=b"a river\n")
    assert "'zyx' is not among the 18 words" in message


# --- similarity


def similarity(model: Path, *arguments: str) -> float:
    return float(invoke("similarity", *arguments, "--model", model).stdout)


def test_similarity_in_two_contexts(model: Path) -> None:
    same = similarity(model, "bank", "bank", "--context1", AT_THE_BANK, "--context2", "cash in the bank, credit")
    assert same > similarity(model, "bank", "bank", "--context1", AT_THE_BANK, "--context2", AT_THE_RIVER)
    asked = ("bank", "shore", "--context1", AT_THE_RIVER, "--context2", "the shore of the river")
    found = json.loads(run("similarity", *asked, "--model", model, "--json").stdout)
    assert (found["word1"], found["word2"]) == ("bank", "shore")
    assert found["similarity"] == pytest.approx(similarity(model, *asked), abs=1e-4)


def test_similarity_in_one_context(model: Path) -> None:
    plain = similarity(model, "bank", "shore")
    assert similarity(model, "bank", "shore", "--context1", AT_THE_RIVER) > plain
    assert similarity(model, "shore", "bank", "--context2", AT_THE_BANK) < plain


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["bank", "shore", "--context1", "the shore"], "no form of 'bank' is in its context"),
        (["bank", "shore", "--context2", " "], "the context of 'shore' is empty"),
        (["bank", "shroe", "--context1", AT_THE_BANK], "'shroe' is not among the 18 words"),
        (["bank", "river bank", "--context1", "a bank"], "it is a phrase: pass texts that contain it"),
    ],
)
def test_similarity_refuses(model: Path, arguments: list[str], sentence: str) -> None:
    assert sentence in refused("similarity", *arguments, "--model", model)


# --- given places, phrases and unknown words


def test_marked_word(model: Path) -> None:
    text = "the [bank] of the river, the bank"
    found = json.loads(invoke("disambiguate", "bank", text, "--mark", "[]", "--json", "--model", model).stdout)
    assert [each["position"] for each in found] == [1]
    assert "no word of the text is marked by '<>'" in refused(
        "disambiguate", "bank", text, "--mark", "<>", "--model", model
    )
    assert "the marks are 'x'" in refused("disambiguate", "bank", text, "--mark", "x", "--model", model)


def test_marked_words_of_a_file(model: Path) -> None:
    lines = b"a [bank] by the river, a bank\nno mark\n[banks] and [bank] of money\n"
    found = invoke("disambiguate", "bank", "--file", "-", "--mark", "[]", "--json", "--model", model, stdin=lines)
    assert [json.loads(line)["line"] for line in found.stdout.splitlines()] == [1, 3, 3]
    made = invoke("cluster", "bank", "--contexts", "-", "--mark", "[]", "--json", "--model", model, stdin=lines)
    assert [each["line"] for each in json.loads(made.stdout)["usages"]] == [1, 3, 3]
    assert "1 line without a marked word" in made.stderr
    assert "no word of the 1 lines is marked" in refused(
        "cluster", "bank", "--contexts", "-", "--mark", "[]", "--model", model, stdin=b"a bank\n"
    )


def test_similarity_at_marked_places(model: Path) -> None:
    texts = ["--context1", "a [bank] of the river and bank", "--context2", "the [bank] of the river"]
    assert float(invoke("similarity", "bank", "bank", *texts, "--mark", "[]", "--model", model).stdout) > 0.9


def test_phrase_and_unknown_word_are_answered_from_their_contexts(model: Path) -> None:
    found = invoke("disambiguate", "unheard quartet", "the unheard quartet and the choir sang", "--model", model)
    assert "'unheard quartet' is not a word of the model; these are the atoms that its contexts suggest" in found.stderr
    assert invoke("cluster", "zyx", "--contexts", "-", "--model", model, stdin=b"zyx river\n").stdout


def test_read(model: Path) -> None:
    found = json.loads(invoke("read", "The bank of the zyx river", "--json", "--model", model).stdout)
    assert [each["text"] for each in found] == ["The", "bank", "of", "the", "zyx", "river"]
    assert found[4]["word"] is None
    assert found[1]["sense"]["probability"] > 0
    assert "(unknown)" in invoke("read", "The bank of the zyx river", "--model", model).stdout
    assert "the text has no words" in refused("read", "…", "--model", model)


# --- tables


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = [
        ("m", AT_THE_BANK),
        ("n", ""),
        ("o", "no such word"),
        ("p", "boat, bank,\nshore, banks"),
        ("r", AT_THE_RIVER),
    ]
    path = tmp_path / "texts.jsonl"
    path.write_text("".join(json.dumps({"name": name, "text": text}) + "\n" for name, text in rows))
    return path


def test_a_column_of_a_table_is_read_like_lines(model: Path, lines: Path, table: Path) -> None:
    for command, option in (("disambiguate", "--file"), ("cluster", "--contexts"), ("induce", "--contexts")):
        asked = (command, "bank", "--model", model, "--json", option)
        assert invoke(*asked, table, "--column", "text").stdout == invoke(*asked, lines).stdout
        assert refused(*asked, table) == (
            f"{table} is a table; say with --column (in Python column=…) which of its columns has the text: name, text."
        )
        assert "has no column 'body'; its columns are name, text" in refused(*asked, table, "--column", "body")
        assert "lines.txt is not a table" in refused(*asked, lines, "--column", "text")
        assert "standard input is not a table" in refused(*asked, "-", "--column", "text")


def test_a_text_with_several_usages_is_listed_once(model: Path) -> None:
    asked = ("cluster", "bank", "--contexts", "-", "-k", "1", "--model", model)
    texts = b"boat bank shore bank river bank\na loan from the bank\n"
    (found,) = json.loads(invoke(*asked, "--json", stdin=texts).stdout)["clusters"]
    assert found["size"] == 4
    assert sorted(found["typical_lines"]) == [1, 2]
    assert invoke(*asked, stdin=texts).stdout.count("line 1:") == 1


def test_rows_have_names(model: Path, table: Path) -> None:
    asked = ("cluster", "bank", "--model", model, "--contexts", table, "--column", "text", "-k", "2")
    found = json.loads(invoke(*asked, "--id", "name", "--json").stdout)
    assert [(usage["line"], usage["id"]) for usage in found["usages"]] == [(1, "m"), (4, "p"), (4, "p"), (5, "r")]
    shown = invoke(*asked, "--id", "name").stdout
    assert f"\n  m: {AT_THE_BANK}\n" in shown
    assert "\n  p: boat, bank, shore, banks\n" in shown
    ended = invoke(*asked)
    assert f"\n  row 1: {AT_THE_BANK}\n" in ended.stdout
    assert "2 rows without any form of 'bank'" in ended.stderr
    named = ("cluster", "bank", "--model", model, "--contexts", table, "--id", "name")
    assert "--id names a column of a table" in invoke(*named, code=2).stderr
    text = ("disambiguate", "bank", AT_THE_BANK, "--model", model, "--column", "text")
    assert "pass the table with --file" in invoke(*text, code=2).stderr
