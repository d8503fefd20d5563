"""Topics of texts as a scikit-learn transformer, and the levels of topics."""

from __future__ import annotations

import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn import config_context
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import check_estimator, estimator_checks_generator

import wordatoms as wa
from lettered import discourse, lettered, lettered_model
from samples import write
from wordatoms.documents.levels import find_topics, merge_shares
from wordatoms.errors import InputError
from wordatoms.senses.model import SenseModel


@pytest.fixture(scope="module")
def shared_model(tmp_path_factory: pytest.TempPathFactory) -> SenseModel:
    return lettered_model(tmp_path_factory.mktemp("estimator") / "model")


@pytest.fixture
def model(shared_model: SenseModel) -> SenseModel:
    (shared_model.path / "notes.json").unlink(missing_ok=True)
    return shared_model


def atom_of(model: SenseModel, planted: int) -> int:
    return model.senses(lettered(f"d{planted}w0"))[0].atom


TEXTS = [discourse(3, range(20)), discourse(9, range(20)), "nothing known"]


def test_checks_of_scikit_learn(model: SenseModel) -> None:
    """Checks that fit on numbers cannot apply to texts: scikit-learn skips them by the tags of the estimator."""
    estimator = wa.AtomTopics(str(model.path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that it cannot test estimators of texts
        passed = {each["check_name"] for each in check_estimator(estimator) if each["status"] == "passed"}
        left = [check.func.__name__ for _, check in estimator_checks_generator(estimator)]
    assert "check_estimator_cloneable" in passed
    assert {*left} <= passed
    tags = estimator.__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array


def test_shares_are_those_of_document_topics(model: SenseModel) -> None:
    topics = wa.AtomTopics(model, window=2).fit(TEXTS)
    shares = topics.transform(TEXTS)
    assert isinstance(shares, csr_matrix)
    assert shares.shape == (3, len(model.atoms))
    found = wa.document_topics(model, TEXTS, window=2)
    for row in range(3):
        np.testing.assert_array_equal(shares[row].toarray()[0], found.distribution(row)[found.shown])
    names = topics.get_feature_names_out()
    assert names.shape == (len(model.atoms),)
    assert names[shares[0].argmax()] == model.label(atom_of(model, 3))
    assert len({*names}) == len(names)


def test_frames_are_dense(model: SenseModel) -> None:
    pandas = pytest.importorskip("pandas")
    topics = wa.AtomTopics(model).set_output(transform="pandas")
    frame = topics.fit_transform(pandas.Series(TEXTS, index=list("xyz")))
    assert list(frame.index) in (list("xyz"), [0, 1, 2])  # older versions of scikit-learn do not keep it for a series
    assert list(frame.columns) == list(topics.get_feature_names_out())
    with config_context(transform_output="pandas"):
        assert wa.AtomTopics(model).fit_transform(TEXTS).shape == frame.shape
    assert isinstance(wa.AtomTopics(model, sparse_output=False).fit_transform(TEXTS), np.ndarray)


def test_pipelines_and_searches(model: SenseModel) -> None:
    texts = [discourse(atom, range(first, first + 9)) for first in range(8) for atom in (3, 9)]
    labels = ["three", "nine"] * 8
    pipeline = make_pipeline(wa.AtomTopics(model), LogisticRegression(C=100))
    assert pipeline.fit(texts, labels).score(texts, labels) == 1
    search = GridSearchCV(pipeline, {"atomtopics__soft": [False, True]}, cv=2).fit(texts, labels)
    assert search.best_score_ == 1


def test_a_column_of_a_table(model: SenseModel) -> None:
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"text": TEXTS, "year": [1, 2, 3]})
    columns = ColumnTransformer([("topics", wa.AtomTopics(model), "text")], remainder="passthrough")
    assert columns.fit_transform(table).shape == (3, len(model.atoms) + 1)
    with pytest.raises(InputError, match="are a DataFrame; pass a list of texts, or one column of a table"):
        wa.AtomTopics(model).fit(table)
    missing = wa.AtomTopics(model).fit_transform([None, float("nan"), TEXTS[0]])
    assert missing.sum(axis=1).ravel().tolist() == [[0, 0, 1]]


def test_copies_share_the_model_and_pickles_its_path(model: SenseModel) -> None:
    topics = wa.AtomTopics(model, level="meta").fit()
    assert clone(topics).model is model
    with pytest.raises(NotFittedError):
        clone(topics).transform(TEXTS)
    again = pickle.loads(pickle.dumps(topics))
    assert again.model == str(model.path)
    assert (again.transform(TEXTS) != topics.transform(TEXTS)).nnz == 0
    assert len(pickle.dumps(topics)) < 100_000


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("one text", "pass a list of texts"),
        ([3], r"^document 1 is of type int; pass texts\.$"),
        (["a", ("name", "text")], "document 2 is of type tuple"),
        (np.array([["a", "b"]]), "2 dimensions; pass one column of texts"),
        (3, "are of type int"),
    ],
)
def test_what_is_no_text_is_one_sentence(model: SenseModel, texts: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wa.AtomTopics(model).fit(texts)


# Levels


def test_meta_atoms_add_up_their_atoms(model: SenseModel) -> None:
    atoms, meta = (wa.AtomTopics(model, level=level).fit_transform(TEXTS) for level in ("atoms", "meta"))
    members = model.meta_atoms.members
    topics = find_topics(model, "meta")
    for number, own in members.items():
        np.testing.assert_allclose(meta[:, number].toarray(), atoms[:, own].sum(axis=1))
        assert sorted(topics.atoms_of(number)) == sorted(own)


def test_regions_of_the_bundled_model_and_of_one_without() -> None:
    topics = wa.AtomTopics(level="regions").fit()
    (shares,) = topics.transform(["The orchestra played a symphony."]).toarray()
    assert topics.get_feature_names_out()[shares.argmax()] == "Music, film and the arts"
    assert shares.sum() == pytest.approx(1)


def test_a_model_without_regions_says_so(model: SenseModel) -> None:
    with pytest.raises(InputError, match="has no regions; take the level meta or atoms"):
        wa.AtomTopics(model, level="regions").fit()


def test_a_merge_of_ones_own(model: SenseModel, tmp_path: Path) -> None:
    three, five, nine = (atom_of(model, planted) for planted in (3, 5, 9))
    merge = {three: "mine", model.label(five).upper(): "mine", f"atom {nine}: whatever": "-"}
    topics = wa.AtomTopics(model, level=merge).fit()
    assert list(topics.get_feature_names_out()) == ["mine", "other"]
    shares = topics.transform([*TEXTS[:2], discourse(5, range(20))]).toarray()
    np.testing.assert_allclose(shares, [[1, 0], [0, 1], [1, 0]])  # what is left out goes to the next atom
    lines = f"\ufeff# a comment\n\n{three}\tmine\textra\n{model.label(five)}\tmine\r\n{nine}\t\n"
    path = write(tmp_path / "merge.tsv", lines.encode())
    from_file = wa.AtomTopics(model, level=path).fit()
    assert (from_file.topics_.of_atom == topics.topics_.of_atom).all()
    rest = wa.AtomTopics(model, level={three: "mine", "*": ""}).fit()
    assert list(rest.get_feature_names_out()) == ["mine"]
    assert rest.transform(TEXTS).toarray().ravel().tolist() == [1, 1, 0]


def test_hidden_atoms_belong_to_no_topic(model: SenseModel) -> None:
    three = atom_of(model, 3)
    model.hide(three)
    for level in ("atoms", "meta", {three: "mine", atom_of(model, 5): "mine"}):
        topics = wa.AtomTopics(model, level=level).fit()
        assert topics.topics_.of_atom[three] == -1
        assert topics.transform(TEXTS).shape[1] == len(topics.get_feature_names_out())


@pytest.mark.parametrize(
    ("level", "message"),
    [
        ("region", r"^'region' is neither a level \(atoms, meta, regions\) nor the file of a merge\.$"),
        ({"no such atom": "a"}, "the merge names the atom 'no such atom'"),
        ({10**6: "a"}, "the merge names the atom '1000000'"),
        ({1: "a", "atom 1": "b"}, "puts atom 1 into 'a' and into 'b'"),
        ({"*": "-"}, "leaves out all atoms"),
    ],
)
def test_bad_levels_are_one_sentence(model: SenseModel, level: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wa.AtomTopics(model, level=level).fit()


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "is not UTF-8"), (b"12 a\n", "line 1 of .* has no tab"), (b"\0\tx\n", "names the atom")],
)
def test_bad_files_of_merges_are_one_sentence(model: SenseModel, tmp_path: Path, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        wa.AtomTopics(model, level=write(tmp_path / "merge.tsv", content)).fit()


def test_names_that_recur_get_their_numbers(model: SenseModel) -> None:
    model.name(1, "same")
    model.name(2, "same")
    names = find_topics(model, "atoms").names
    assert (names[1], names[2]) == ("same (atom 1)", "same (atom 2)")


def test_merging_leaves_the_shares_of_atoms_as_they_are(model: SenseModel) -> None:
    """Topics of a coarser level once overwrote the shares that they were made of."""
    found = wa.document_topics(model, [discourse(3, range(12)) + " " + discourse(5, range(12))] * 2, window=1)
    before = found.shares.copy(), found.starts.copy()
    assert len(found.shares) > 2
    merged = merge_shares(found, find_topics(model, dict.fromkeys(range(len(model.atoms)), "all")))
    assert merged.matrix.toarray().ravel() == pytest.approx([1, 1])
    np.testing.assert_array_equal(found.shares, before[0])
    np.testing.assert_array_equal(found.starts, before[1])
