"""Collections of documents by group and over time: planted trends, words, passages, tables, pictures, the command."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import wordatoms as wa
from lettered import discourse, lettered, lettered_model
from samples import write
from wordatoms.cli.topics import topics as command
from wordatoms.documents import evidence as evidence_module
from wordatoms.documents import topic_words
from wordatoms.documents.report import draw_pictures, make_page
from wordatoms.documents.study import DocumentStudy, study_documents
from wordatoms.errors import InputError
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel

MONTHS = [f"2024-{month:02}" for month in range(1, 7)]
RISING, STEADY = np.linspace(0.1, 0.6, 6), np.full(6, 0.3)
"""The share of discourse 3 in each month: it rises in group a and stays in group b."""
N_EACH = 60


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("study") / "model")


def atom_of(model: SenseModel, planted: int) -> int:
    return model.senses(lettered(f"d{planted}w0"))[0].atom


def planted_documents() -> list[tuple[str, str, str, str]]:
    """Name, text, group and date; half of each document may be about discourse 3, the rest about 5 or 9."""
    rng = np.random.default_rng(5)
    rows = []
    for group, shares in (("a", RISING), ("b", STEADY)):
        for month, share in zip(MONTHS, shares, strict=True):
            for number in range(N_EACH):
                halves = [3 if rng.random() < share else int(rng.choice([5, 9])) for _ in range(2)]
                text = ". ".join(discourse(atom, rng.permutation(30)[:15]) for atom in halves)  # type: ignore[arg-type]
                rows.append((f"{group}{month}-{number}", text, group, f"{month}-{1 + number % 28:02}"))
    return rows


@pytest.fixture(scope="module")
def study(model: SenseModel) -> DocumentStudy:
    names, texts, groups, dates = zip(*planted_documents(), strict=True)
    return study_documents(
        model, zip(names, texts, strict=True), groups=groups, times=dates, window=2, by="party", time="month"
    )


def test_planted_shares_are_within_their_intervals(model: SenseModel, study: DocumentStudy) -> None:
    planted = {("a", month): share for month, share in zip(MONTHS, RISING, strict=True)}
    planted |= {("b", month): share for month, share in zip(MONTHS, STEADY, strict=True)}
    planted |= {("a", None): RISING.mean(), ("b", None): STEADY.mean()}
    rows = [row for row in study.comparison.shares if row.topic == atom_of(model, 3) and row.group]
    inside = [row.low <= planted[row.group, row.period] <= row.high for row in rows]  # type: ignore[index,operator]
    assert len(rows) == 14
    assert sum(inside) >= 13  # of 95% intervals


def test_planted_trend_and_difference_stand_out_and_no_other(model: SenseModel, study: DocumentStudy) -> None:
    three = atom_of(model, 3)
    trends = {row.group: row for row in study.comparison.trends if row.topic == three}
    assert trends["a"].stands_out
    assert trends["a"].low <= 0.5 <= trends["a"].high  # type: ignore[operator]
    assert trends["b"].low <= 0 <= trends["b"].high  # type: ignore[operator]
    assert not trends["b"].stands_out
    assert study.comparison.trends[0].topic == three
    (difference,) = (row for row in study.comparison.differences if row.topic == three)
    assert difference.low <= RISING.mean() - STEADY.mean() <= difference.high  # type: ignore[operator]


def test_topics_have_their_words_and_passages(model: SenseModel, study: DocumentStudy) -> None:
    three = atom_of(model, 3)
    (topic,) = (each for each in study.topics if each.topic == three)
    own = {lettered(f"d3w{word}") for word in range(30)}
    assert {*topic.words} <= own
    assert len(topic.words) == 10
    assert topic.npmi is not None
    assert topic.npmi > 0.1
    assert topic.held_out_npmi is None
    passages = study.passages[three]
    assert len(passages) == len({passage.document for passage in passages}) == 3
    texts = {name: text for name, text, _, _ in planted_documents()}
    for passage in passages:
        assert passage.text in texts[passage.document]
        assert len(passage.text.split()) == 5
        assert {*passage.words} <= own
        assert 1 <= len(passage.words) <= 5
    assert 0 < study.diversity <= 1


def test_threads_and_long_documents_change_no_passage(
    model: SenseModel, study: DocumentStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, texts, groups, dates = zip(*planted_documents(), strict=True)
    options: dict[str, Any] = {"groups": groups, "times": dates, "window": 2}
    monkeypatch.setattr(evidence_module, "KEPT_WHOLE", 40)
    monkeypatch.setattr("wordatoms.senses.topics.GROUP_DOCUMENTS", 97)
    same = study_documents(model, zip(names, texts, strict=True), run=Run(threads=3), **options)
    assert same.topics == study.topics
    assert same.comparison.shares == study.comparison.shares
    for topic, passages in study.passages.items():
        found = [(each.document, each.text, each.words) for each in same.passages[topic]]
        assert found == [(each.document, each.text, each.words) for each in passages]


def test_coherence_on_other_documents_and_few_word_sets(model: SenseModel, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [discourse(atom, range(20)) for atom in (3, 9) for _ in range(10)]
    monkeypatch.setattr(topic_words, "MOST_STRETCHES", 4)
    found = study_documents(model, texts, held_out=[texts[0], texts[-1], ("named", texts[0])])
    assert {round(topic.npmi or 0, 3) for topic in found.topics} == {1.0}
    assert all(topic.held_out_npmi == pytest.approx(1) for topic in found.topics)


def test_merged_topics_show_passages_of_their_atoms(model: SenseModel) -> None:
    three, nine = atom_of(model, 3), atom_of(model, 9)
    texts = [discourse(atom, range(30)) for atom in (3, 3, 9)]
    found = study_documents(model, texts, level={three: "both", nine: "both", "*": "-"})
    assert [(topic.name, topic.share) for topic in found.topics] == [("both", 1.0)]
    assert [passage.document for passage in found.passages[0]] == ["1", "3", "2"]


def test_one_document_and_documents_without_words(model: SenseModel) -> None:
    (only,) = study_documents(model, [discourse(3, range(9))]).topics
    assert (only.share, only.low, only.npmi) == (1.0, None, 1.0)
    with pytest.raises(InputError, match="no document has a share"):
        study_documents(model, ["nothing", ""])
    with pytest.raises(InputError, match="there are no documents"):
        study_documents(model, [])


# Tables, pictures, the page


def read_table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_folder_of_tables_and_pictures(study: DocumentStudy, tmp_path: Path) -> None:
    files = study.write(tmp_path / "out")
    assert {"topics.csv", "shares.csv", "documents.csv", "passages.csv", "differences.csv", "trends.csv"} <= {*files}
    assert {"topics.svg", "groups.svg", "differences.svg", "trends.svg", "over-time-01.svg"} <= {*files}
    assert sorted(files) == sorted(path.name for path in (tmp_path / "out").iterdir())
    shares = read_table(tmp_path / "out" / "shares.csv")
    assert len(shares) == len(study.comparison.shares)
    assert list(shares[0])[:7] == ["topic", "name", "group", "period", "share", "low", "high"]
    documents = read_table(tmp_path / "out" / "documents.csv")
    assert documents[0]["group"] == "a"
    assert documents[0]["period"] == "2024-01"
    for path in (tmp_path / "out").glob("*.svg"):
        ElementTree.fromstring(path.read_text("utf-8"))
    study.write(tmp_path / "out")  # the same once more


def test_a_folder_is_replaced_only_on_request_and_if_it_is_one(study: DocumentStudy, tmp_path: Path) -> None:
    write(tmp_path / "mine" / "letters.txt", b"mine")
    with pytest.raises(InputError, match="exists and is not empty"):
        study.write(tmp_path / "mine", force=True)
    write(tmp_path / "old" / "topics.csv", b"old")
    with pytest.raises(InputError, match="exists and is not empty"):
        study.write(tmp_path / "old")
    assert (tmp_path / "old" / "topics.csv").read_bytes() == b"old"
    study.write(tmp_path / "old", force=True)
    assert (tmp_path / "old" / "shares.csv").exists()
    with pytest.raises(InputError, match="does not exist"):
        study.write(tmp_path / "nowhere" / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "old"]


def test_the_page_needs_nothing_else(study: DocumentStudy, tmp_path: Path) -> None:
    study.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script" not in page
    assert not re.search(r"""(src|href)=["']|url\(|@import""", page)
    assert "prefers-color-scheme: dark" in page
    assert "By party" in page
    assert "Over time" in page
    assert page.count("<mark>") >= 3
    with pytest.raises(InputError, match="is there already"):
        study.report(tmp_path / "page.html")
    with pytest.raises(InputError, match=r"ends in \.html"):
        study.report(tmp_path / "page.txt")


def test_text_of_documents_cannot_become_markup(model: SenseModel, tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    text = f"{discourse(3, range(5))} {evil} {discourse(3, range(5, 12))}"
    found = study_documents(
        model, [(evil, text)] * 12, groups=[evil, "b"] * 6, times=["2024-01", "2024-02"] * 6, by=evil, source=evil
    )
    found.report(tmp_path / "page.html")
    found.write(tmp_path / "out")
    for path in [tmp_path / "page.html", *(tmp_path / "out").glob("*.svg")]:
        assert "<script" not in path.read_text("utf-8")


def test_tables_of_documents(study: DocumentStudy, tmp_path: Path) -> None:
    study.write_table(tmp_path / "wide.tsv", wide=True)
    with (tmp_path / "wide.tsv").open(newline="", encoding="utf-8") as file:
        header, *rows = csv.reader(file, delimiter="\t")
    assert header == ["document", "group", "period", "n_words", *study.shares.topics.names]
    assert len(rows) == len(study.shares)
    assert sum(map(float, rows[0][4:])) == pytest.approx(1, abs=1e-4)
    study.write_table(tmp_path / "long.csv", min_share=0.4)
    assert all(float(row["share"]) >= 0.4 for row in read_table(tmp_path / "long.csv"))


# The command


def run(*arguments: object) -> Result:
    result = CliRunner().invoke(command, [*map(str, arguments)])
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "speeches.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("id", "text", "party", "date"), *planted_documents()])
    return path


def test_command_writes_everything(model: SenseModel, table: Path, study: DocumentStudy, tmp_path: Path) -> None:
    asked = (table, "--column", "text", "--id", "id", "--by", "party", "--time", "date:month", "--window", 2)
    made = run(*asked, "--model", model.path, "-o", f"{tmp_path}/out/", "--report", tmp_path / "page.html")
    assert made.stdout == ""
    assert read_table(tmp_path / "out" / "shares.csv")[0]["share"] == f"{study.comparison.shares[0].share:.6g}"
    assert (tmp_path / "page.html").exists()
    shown = run(*asked, "--model", model.path, "--quiet")
    assert "trends that stand out, from the first period to the last" in shown.stdout
    answer = json.loads(run(*asked, "--model", model.path, "--json", "--quiet").stdout)
    assert answer["groups"] == ["a", "b"]
    assert answer["periods"] == MONTHS
    assert {"topics", "shares", "differences", "trends", "diversity"} <= {*answer}


def test_command_merges_topics_in_one_table(model: SenseModel, table: Path, tmp_path: Path) -> None:
    merge = write(tmp_path / "merge.tsv", f"{atom_of(model, 3)}\tmine\n".encode())
    run(table, "--column", "text", "--model", model.path, "--merge", merge, "-o", tmp_path / "table.csv", "--wide")
    assert list(read_table(tmp_path / "table.csv")[0])[4:] == ["mine", "other"]


BAD = {
    "missing-column.csv": (b"text,party\nword,a\n", ["--time", "date"], r"has no column 'date'"),
    "no-date.csv": (
        b"text,date\nword,2024-01-01\nword,soon\n",
        ["--time", "date"],
        r"'soon' in row 2 of \S*no-date.csv",
    ),
    "no-month.csv": (b"text,date\nword,2024\n", ["--time", "date:month"], "has no month; take a longer period"),
    "no-group.csv": (b"text,party\nKNOWN,\n", ["--by", "party"], "no document has a group"),
    "empty.csv": (b"text,party\n", ["--by", "party"], "there are no documents"),
    "unknown.csv": (b"text,party\nwhat,a\n", ["--by", "party"], "no document has a share"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_tables_are_one_sentence_and_leave_nothing(model: SenseModel, tmp_path: Path, name: str) -> None:
    content, options, message = BAD[name]
    path = write(tmp_path / name, content.replace(b"KNOWN", discourse(3, range(9)).encode()))
    outputs = ("-o", f"{tmp_path}/out/", "--report", tmp_path / "page.html")
    with pytest.raises(InputError, match=message) as error:
        run(path, "--column", "text", "--model", model.path, *options, *outputs)
    assert "\n" not in str(error.value)
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_one_group_one_period_and_missing_cells_are_remarked(model: SenseModel, tmp_path: Path) -> None:
    known = discourse(3, range(9))
    rows = "".join(f"{known},a,2024-01-0{day}\n" for day in range(1, 7))
    path = write(tmp_path / "one.csv", f"text,party,date\n{rows}{known},,\n,a,2024-01-01\n".encode())
    made = run(
        path, "--column", "text", "--model", model.path, "--by", "party", "--time", "date", "-o", tmp_path / "out"
    )
    assert "'party' is always 'a', so there are no groups to compare" in made.stderr
    assert "all documents are from 2024-01, so there is no trend" in made.stderr
    assert "1 document without 'party', which count only in all together" in made.stderr
    assert "1 document without a word that the model knows" in made.stderr
    assert not (tmp_path / "out" / "differences.csv").exists()


@pytest.mark.parametrize(
    "wrong",
    [
        ["--by", "a"],
        ["--time", "a"],
        ["--column", "a", "--time-format", "%Y"],
        ["--level", "meta", "--merge", __file__],
        ["--column", "a", "--by", "b", "-o", "table.csv"],
        ["--level", "meta", "--by-atom"],
        ["--column", "a", "--time", ":month"],
    ],
)
def test_options_that_do_not_go_together(model: SenseModel, tmp_path: Path, wrong: list[str]) -> None:
    assert run(write(tmp_path / "a.csv"), "--model", model.path, *wrong).exit_code == 2


def test_what_cannot_be_written_is_said_before_any_work(model: SenseModel, tmp_path: Path) -> None:
    write(tmp_path / "out" / "letters.txt", b"mine")
    with pytest.raises(InputError, match="exists and is not empty"):
        run("missing.csv", "--column", "a", "--by", "b", "--model", model.path, "-o", f"{tmp_path}/out/")
    with pytest.raises(InputError, match=r"ends in \.html"):
        run("missing.csv", "--column", "a", "--by", "b", "--model", model.path, "--report", tmp_path / "page.txt")


def test_a_folder_with_files_of_others_is_not_replaced(study: DocumentStudy, tmp_path: Path) -> None:
    study.write(tmp_path / "out")
    study.write(tmp_path / "out", force=True)
    (tmp_path / "out" / "my-notes.txt").write_text("mine")
    with pytest.raises(InputError, match=r"out also holds my-notes\.txt, which would be lost"):
        study.write(tmp_path / "out", force=True)
    assert (tmp_path / "out" / "my-notes.txt").read_text() == "mine"


def test_documents_are_not_replaced_by_what_is_made_of_them(model: SenseModel, tmp_path: Path) -> None:
    table = tmp_path / "news.csv"
    table.write_text(f'text\n"{discourse(3, range(15))}"\n')
    given = ["--column", "text", "--model", str(model.path), "--force"]
    result = CliRunner().invoke(command, [str(table), *given, "-o", str(table)])
    assert isinstance(result.exception, InputError)
    assert "is one of the documents; write to another file" in str(result.exception)
    assert table.read_text().startswith("text\n")


def test_a_wrong_period_is_named(model: SenseModel, tmp_path: Path) -> None:
    table = tmp_path / "news.csv"
    table.write_text("text,d\na,2020-01-01\n")
    given = ["--column", "text", "--model", str(model.path), "--time", "d:century"]
    assert "day, week, month, quarter, year" in CliRunner().invoke(command, [str(table), *given]).output


def test_pictures_have_no_characters_that_xml_forbids(model: SenseModel, tmp_path: Path) -> None:
    texts = [discourse(3, range(15)), discourse(5, range(15))] * 10
    found = study_documents(model, texts, groups=["\x1b[31mred", "<script>"] * 10, window=2)
    found.write(tmp_path / "out")
    for path in (tmp_path / "out").glob("*.svg"):
        ElementTree.fromstring(path.read_text("utf-8"))
    found.report(tmp_path / "page.html")
    assert "\x1b" not in (tmp_path / "page.html").read_text("utf-8")


def test_a_report_inside_the_folder_is_written_and_replaced(model: SenseModel, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    options = [
        table,
        "--model",
        model.path,
        "--column",
        "text",
        "--by",
        "party",
        "--time",
        "date:month",
        "-o",
        f"{out}/",
        "--report",
        str(out / "page.html"),
    ]
    assert run(*options).exit_code == 0
    assert (out / "page.html").is_file()
    with pytest.raises(InputError, match="exists and is not empty"):
        run(*options)
    (out / "page.html").write_text("old")
    assert run(*options, "--force").exit_code == 0
    assert "<!DOCTYPE html>" in (out / "page.html").read_text()


def test_wide_is_for_one_table(model: SenseModel, table: Path, tmp_path: Path) -> None:
    result = run(table, "--model", model.path, "--column", "text", "--wide", "-o", f"{tmp_path / 'out'}/")
    assert result.exit_code == 2
    assert "--wide is for one table" in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "wrong", [{"level": 5}, {"level": ["meta"]}, {"window": "a"}, {"window": 2.5}, {"step": "x"}, {"scale": "x"}]
)
def test_wrong_types_are_one_sentence(model: SenseModel, wrong: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=r"level is of type|window is|step is|scale is"):
        study_documents(model, ["text"] * 6, soft=True, **wrong)


def test_the_map_shows_the_shares_of_atoms() -> None:
    found = study_documents(wa.load(), ["The orchestra played a symphony by Mahler.", "Goals won the match."] * 3)
    assert sum(atom.share for atom in found.map) == pytest.approx(1)
    chart = draw_pictures(found)["map"]
    assert chart.svg().count("<circle") == len(found.map)
    assert "Music, film and the arts</text>" in chart.svg()
    assert "On the map" in make_page(found)


def test_a_model_without_a_map_has_no_picture_of_it(study: DocumentStudy) -> None:
    assert study.map == () or "map" in draw_pictures(study)
