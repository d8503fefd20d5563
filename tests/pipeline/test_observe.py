"""The stage `observe`: planted senses are found in the uses of a word, and nothing where the text is silent."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from plantedtext import N_DISCOURSES, N_WORDS, WORDS, planted_text
from wordatoms.cli.root import cli
from wordatoms.errors import InputError, ModelError
from wordatoms.pipeline.atomize import AtomSettings
from wordatoms.pipeline.compact import compact
from wordatoms.pipeline.observe import ObserveSettings, observe
from wordatoms.pipeline.sources import CountSettings
from wordatoms.pipeline.train import train
from wordatoms.run import Run
from wordatoms.senses.families import word_families
from wordatoms.senses.inventory import Inventory, ListedSense
from wordatoms.senses.model import SenseModel
from wordatoms.senses.uses import SenseUses
from wordatoms.storage.folder import ModelFolder

TARGET = "zuzu"
SHARES = (0.75, 0.2, 0.05)
"""Of the planted word in the first three discourses."""


def ambiguous_text() -> str:
    """The planted text, with one more word that is used in three of its discourses."""
    rng = np.random.default_rng(3)
    lines = [line.split() for line in planted_text(1).split("\n")]
    for number, share in enumerate(SHARES):
        own = [line for place, line in enumerate(lines) if place % N_DISCOURSES == number]
        for place in rng.choice(len(own), round(share * 280), replace=False):
            own[place].insert(10, TARGET)
    return "\n".join(map(" ".join, lines))


def discourse(word: str) -> int:
    return WORDS.index(word) // N_WORDS if word in WORDS else -1


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("observe")
    (base / "text.txt").write_text(ambiguous_text())
    train(
        [base / "text.txt"],
        base / "model",
        settings=CountSettings(min_count=2),
        parameters={"dim": 24},
        atom_settings=AtomSettings(n_atoms=40, n_restarts=2, n_iterations=8),
        run=Run(2),
    )
    return base / "model"


@pytest.fixture(scope="module")
def model(folder: Path) -> SenseModel:
    return SenseModel(folder)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.glob("uses*"))}


def test_training_observes(folder: Path) -> None:
    assert "observe" in ModelFolder(folder).stages
    assert not observe(ModelFolder(folder)), "it is done"


def test_planted_senses_are_found_with_their_shares(model: SenseModel) -> None:
    senses = model.senses(TARGET)
    found = {discourse(sense.nearest[0].word): sense.share or 0.0 for sense in senses}
    assert found[0] == pytest.approx(SHARES[0], abs=0.08)
    assert found[1] == pytest.approx(SHARES[1], abs=0.08)
    assert {number for number, share in found.items() if share > 0.02} <= {0, 1, 2}, "and nothing else"


def test_a_word_of_one_discourse_has_one_main_sense(model: SenseModel) -> None:
    shares = [model.senses(word)[0].share or 0.0 for word in WORDS[:200:20]]
    assert np.median(shares) > 0.7


def test_the_papers_senses_keep_their_name(model: SenseModel) -> None:
    by_code = model.senses(TARGET, method="code")
    assert all(sense.share is None and sense.weight > 0 for sense in by_code)
    with pytest.raises(InputError, match="method is 'other'"):
        model.senses(TARGET, method="other")  # type: ignore[arg-type]


def test_contexts_choose_their_sense_or_none(model: SenseModel) -> None:
    for number in (0, 1):
        words = WORDS[number * N_WORDS : number * N_WORDS + 16]
        (found,) = model.disambiguate(TARGET, " ".join([*words[:8], TARGET, *words[8:]]))
        assert discourse(found.sense.nearest[0].word) == number
        assert found.sense.probability > 0.8
        assert found.deciding[0].word in words
        assert sum(each.probability for each in found.meanings) + found.p_none == pytest.approx(1)


def test_a_context_that_fits_no_sense_is_none_of_these(model: SenseModel) -> None:
    fitting = WORDS[:16]
    other = WORDS[7 * N_WORDS : 7 * N_WORDS + 16]
    p_none = [model.disambiguate(TARGET, " ".join([*words, TARGET]))[0].p_none for words in (fitting, other)]
    assert p_none[1] > 10 * p_none[0]


def test_no_context_leaves_the_shares_as_they_are(model: SenseModel) -> None:
    (found,) = model.disambiguate(TARGET, TARGET)
    assert found.tells_nothing
    assert found.verdict == "not enough context"
    assert not found.deciding
    shares = {sense.sense: sense.share for sense in model.senses(TARGET)}
    total = sum(share or 0.0 for share in shares.values())
    for meaning in found.meanings:
        assert meaning.probability == pytest.approx((shares[meaning.sense] or 0) / total * (1 - found.p_none), abs=0.01)


def test_threads_and_memory_do_not_change_the_bytes(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "text.txt").write_text((folder.parent / "text.txt").read_text())
    observe(ModelFolder(tmp_path / "model"), force=True, run=Run(1, memory=64 << 20))
    assert digests(tmp_path / "model") == digests(folder)


def test_other_settings_are_refused_unless_forced(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    copy = ModelFolder(tmp_path / "model")
    with pytest.raises(ModelError, match="n_occurrences 500, you ask for n_occurrences 50"):
        observe(copy, ObserveSettings(n_occurrences=50))
    with pytest.raises(InputError, match="pass 1 or more"):
        ObserveSettings(n_occurrences=0)


def test_a_compact_copy_answers_alike_and_has_no_places(folder: Path, tmp_path: Path, model: SenseModel) -> None:
    compact(ModelFolder(folder), tmp_path / "small")
    small = SenseModel(tmp_path / "small")
    assert small.uses is not None
    assert not len(small.uses.examples)
    assert [sense.sense for sense in small.senses(TARGET)] == [sense.sense for sense in model.senses(TARGET)]


def test_examples_are_lines_with_the_word(folder: Path, model: SenseModel) -> None:
    assert model.uses is not None
    content = (folder.parent / "text.txt").read_bytes()
    for use in model.uses.of(model.row(TARGET)):
        for place in use.places:
            assert TARGET in content[place.offset :].split(b"\n")[0].decode().split()


@pytest.mark.parametrize("name", ["uses-senses.npy", "uses-starts.npy", "uses-mean.npy", "uses-nearest.npy"])
def test_files_that_do_not_fit_together_are_refused(folder: Path, tmp_path: Path, name: str) -> None:
    for path in folder.glob("uses*"):
        shutil.copyfile(path, tmp_path / path.name)
    np.save(tmp_path / name, np.load(tmp_path / name)[:-1])
    with pytest.raises(ModelError, match="senses by use"):
        SenseUses.load(tmp_path)


def test_commands_show_shares_and_verdicts(folder: Path) -> None:
    runner = CliRunner()
    shown = runner.invoke(cli, ["senses", TARGET, "--model", str(folder)])
    assert shown.exit_code == 0
    assert shown.output.splitlines()[1].strip().startswith("0.7")
    records = json.loads(runner.invoke(cli, ["senses", TARGET, "--json", "--model", str(folder)]).output)
    assert {"share", "weight", "n_occurrences", "is_general"} <= set(records[TARGET][0])
    told = runner.invoke(cli, ["disambiguate", TARGET, TARGET, "--model", str(folder)])
    assert "not enough context" in told.output
    again = runner.invoke(cli, ["observe", str(folder)])
    assert "exists already" in again.output


def test_a_model_that_was_not_observed_answers_from_the_codes(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    manifest = json.loads((tmp_path / "model" / "manifest.json").read_text())
    del manifest["stages"]["observe"], manifest["checksum"]
    (tmp_path / "model" / "manifest.json").write_text(json.dumps(manifest))
    plain = SenseModel(tmp_path / "model")
    assert plain.uses is None
    assert plain.senses(TARGET)[0].share is None
    with pytest.raises(ModelError, match="wordatoms observe"):
        plain.senses(TARGET, method="uses")


def test_families_are_words_that_are_forms_of_each_other() -> None:
    forms = {"tie": ("tie", "ties"), "ties": ("ties", "tie"), "saw": ("saw",), "see": ("see", "saw")}
    assert word_families(("tie", "see", "ties", "saw"), lambda word: forms[word]) == [(0, 2), (1,), (3,)]


def test_full_disk_while_observing_loses_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(folder, tmp_path / "model")
    before = {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()}

    def full(_self: SenseUses, _folder: Path, **_options: bool) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(_folder / "uses.npy"))

    copy = ModelFolder(tmp_path / "model")
    with monkeypatch.context() as patch:
        patch.setattr(SenseUses, "save", full)
        with pytest.raises(OSError, match="No space left") as caught:
            observe(copy, force=True)
    assert Path(str(caught.value.filename)) == tmp_path / "model", "the name that the user knows"
    parts = tmp_path / "model" / ".work" / "parts"
    assert parts.is_dir(), "what was read is kept"
    shutil.rmtree(parts.parent)
    assert {path.name: path.read_bytes() for path in (tmp_path / "model").iterdir()} == before
    observe(ModelFolder(tmp_path / "model"), force=True)
    assert digests(tmp_path / "model") == digests(folder)


# --- a list of known senses


def inventory_of(*names: tuple[str, int]) -> Inventory:
    """Senses of the target, each with its name and the discourse that its cues are from."""
    return Inventory(
        tuple(
            ListedSense(TARGET, name, tuple(WORDS[number * N_WORDS : number * N_WORDS + 6])) for name, number in names
        )
    )


@pytest.fixture(scope="module")
def listed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("listed") / "model"
    shutil.copytree(folder, path)
    observe(
        ModelFolder(path), inventory=inventory_of(("often", 0), ("rarely", 1), ("never", 5)), force=True, run=Run(1)
    )
    return path


def test_listed_senses_have_their_names_and_shares(listed: Path) -> None:
    found = {sense.label: sense for sense in SenseModel(listed).senses(TARGET)}
    assert [*found] == ["often", "rarely"], "what the text does not show is left out"
    assert found["often"].share == pytest.approx(SHARES[0], abs=0.1)
    assert all(sense.listed and sense.named for sense in found.values())
    (answer,) = SenseModel(listed).disambiguate(TARGET, f"{' '.join(WORDS[N_WORDS : N_WORDS + 6])} {TARGET}")
    assert answer.meanings[0].label == "rarely"


def test_words_that_are_not_listed_have_found_senses(folder: Path, listed: Path) -> None:
    without, with_list = SenseUses.load(folder), SenseUses.load(listed)
    row = SenseModel(folder).row(WORDS[0])
    assert len(with_list.of(row)) <= len(without.of(row)), "they have one sense more often than not"
    assert {use.name for use in with_list.of(row)} == {""}


def test_a_list_is_part_of_the_settings(listed: Path) -> None:
    names = ("often", 0), ("rarely", 1), ("never", 5)
    assert not observe(ModelFolder(listed), inventory=inventory_of(*names)), "it is done"
    assert "inventory" in ModelFolder(listed).stages["observe"]["settings"]


def test_the_same_bytes_with_two_threads(listed: Path, tmp_path: Path) -> None:
    shutil.copytree(listed, tmp_path / "model")
    names = ("often", 0), ("rarely", 1), ("never", 5)
    assert observe(ModelFolder(tmp_path / "model"), inventory=inventory_of(*names), force=True, run=Run(2))
    assert digests(tmp_path / "model") == digests(listed)


def test_a_compact_model_keeps_listed_names(listed: Path, tmp_path: Path) -> None:
    compact(ModelFolder(listed), tmp_path / "small")
    assert [sense.label for sense in SenseModel(tmp_path / "small").senses(TARGET)] == ["often", "rarely"]


def test_a_list_on_the_command_line(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "model")
    (tmp_path / "list.tsv").write_text(f"{TARGET}\toften\t{' '.join(WORDS[:6])}\n")
    arguments = ["observe", str(tmp_path / "model"), "--quiet", "--force", "--inventory"]
    assert CliRunner().invoke(cli, [*arguments, str(tmp_path / "list.tsv")]).exit_code == 0
    shown = CliRunner().invoke(cli, ["senses", TARGET, "--model", str(tmp_path / "model")])
    assert "1.00  often" in shown.stdout
    (tmp_path / "list.tsv").write_text("no tabs\n")
    failed = CliRunner().invoke(cli, [*arguments, str(tmp_path / "list.tsv")])
    assert failed.exit_code == 1
    assert "expected word, name and cue words" in str(failed.exception)


def test_damaged_names_are_refused(listed: Path, tmp_path: Path) -> None:
    shutil.copytree(listed, tmp_path / "model")
    (tmp_path / "model" / "uses-names.txt").write_text("one\n")
    with pytest.raises(ModelError, match="do not fit together"):
        SenseUses.load(tmp_path / "model")
