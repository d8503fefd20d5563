from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from planted import N_ATOMS, planted_atoms, planted_embeddings
from wordatoms.atoms.atoms import Atoms
from wordatoms.atoms.learning import (
    AtomReport,
    KSVDRun,
    OverlapPoint,
    best_size,
    combine_runs,
    count_users,
    default_sizes,
    drop_overused,
    find_incoherent,
    learn_run,
    least_coherence,
    merge_runs,
    most_users,
    overlap_point,
    overlaps,
    sparsity_by_count,
)
from wordatoms.atoms.sparse_coding import sparse_code
from wordatoms.embeddings.embeddings import Embeddings
from wordatoms.errors import InputError


def run_of(*rows: list[float]) -> KSVDRun:
    atoms = np.array(rows, np.float32)
    return KSVDRun(atoms / np.linalg.norm(atoms, axis=1, keepdims=True), np.full(len(rows), 9), 0.5)


def learn_atoms(
    embeddings: Embeddings, *, n_restarts: int, threads: int = 1, **options: Any
) -> tuple[Atoms, AtomReport]:
    """Two or more runs and their combination, with sparsity 2."""
    options |= {"sparsity": 2, "threads": threads}
    runs = [learn_run(embeddings, random_state=seed, **options) for seed in range(n_restarts)]
    return combine_runs(embeddings, runs, sparsity=2, threads=threads)


def test_planted_atoms_are_found_and_words_take_them_apart() -> None:
    embeddings = planted_embeddings()
    atoms, report = learn_atoms(embeddings, n_atoms=N_ATOMS, n_restarts=3)
    cosines = planted_atoms() @ atoms.vectors.T
    assert (cosines.max(axis=1) > 0.99).mean() >= 0.9
    assert report.n_atoms == len(atoms)
    assert report.overlap > 0.8
    for planted in range(N_ATOMS):
        first, second = cosines[planted].argmax(), cosines[(planted + 1) % N_ATOMS].argmax()
        if cosines[planted].max() > 0.99 and cosines[(planted + 1) % N_ATOMS].max() > 0.99:
            row = embeddings.find_rows([f"both{planted}"])[0]
            assert atoms.codes.atoms[row].tolist() == [first, second], "the heavier sense comes first"


def test_weights_are_those_of_the_unit_vector() -> None:
    embeddings = planted_embeddings()
    atoms, _ = learn_atoms(embeddings, n_atoms=N_ATOMS, n_restarts=2)
    again = sparse_code(embeddings.unit_vectors, atoms.vectors, sparsity=2)
    assert np.array_equal(again.atoms, atoms.codes.atoms)
    assert np.allclose(again.weights, atoms.codes.weights, atol=1e-6)


def test_atoms_are_numbered_by_falling_use() -> None:
    atoms, report = learn_atoms(planted_embeddings(), n_atoms=15, n_restarts=2)
    users = np.bincount(atoms.codes.atoms[atoms.codes.atoms >= 0], minlength=len(atoms))
    assert (np.diff(users) <= 0).all()
    assert report.words_per_atom[0] == atoms.n_words.min()
    assert report.words_per_atom[-1] == atoms.n_words.max()


def test_same_seed_gives_the_same_bytes_with_any_number_of_threads() -> None:
    found = [
        learn_atoms(planted_embeddings(), n_atoms=N_ATOMS, n_restarts=2, n_iterations=3, threads=threads)[0]
        for threads in (1, 3)
    ]
    assert found[0].vectors.tobytes() == found[1].vectors.tobytes()
    assert found[0].codes.weights.tobytes() == found[1].codes.weights.tobytes()
    assert found[0].labels == found[1].labels


def test_overlap_counts_close_matches_both_ways() -> None:
    one, other = run_of([1, 0, 0], [0, 1, 0]).atoms, run_of([1, 0.1, 0], [1, 0, 0.1], [0, 0, 1]).atoms
    assert overlaps([one, other]) == [(0, 1, 0.5), (1, 0, pytest.approx(2 / 3))]


def test_atom_of_one_run_only_is_left_out_and_near_ones_become_their_mean() -> None:
    merged = merge_runs([run_of([1, 0.2, 0], [0, 0, 1]), run_of([1, -0.2, 0], [0, 1, 0])])
    assert merged.n_unrepeated == 2
    assert merged.n_merged == 1
    assert np.allclose(merged.atoms, [[1, 0, 0]], atol=1e-6)


def test_there_are_never_more_atoms_than_a_run_has() -> None:
    """Runs of at most two atoms find four directions, one of them thrice: it stays, and the most used of the rest."""
    first, second, third = run_of([1, 0, 0, 0], [0, 1, 0, 0]), run_of([1, 0, 0, 0], [0, 1, 0, 0]), run_of([1, 0, 0, 0])
    more = [run_of([0, 0, 1, 0], [0, 0, 0, 1])] * 2
    merged = merge_runs([first, second, third, *more])
    assert np.allclose(merged.atoms[0], [1, 0, 0, 0])
    assert len(merged.atoms) == 2
    n_learned = sum(len(run.atoms) for run in (first, second, third, *more))
    assert n_learned - merged.n_unrepeated - merged.n_merged == 2


def test_merged_atoms_are_never_near_each_other() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=(30, 6))
    runs = [run_of(*(base + rng.normal(scale=0.3, size=base.shape)).tolist()) for _ in range(4)]
    atoms = merge_runs(runs).atoms
    assert (np.triu(atoms @ atoms.T, 1) <= 0.8 + 1e-6).all()


def test_single_run_needs_no_second_one() -> None:
    merged = merge_runs([run_of([1, 0], [0, 1])])
    assert merged.n_unrepeated == 0
    assert len(merged.atoms) == 2


def test_runs_with_nothing_in_common_are_refused() -> None:
    with pytest.raises(InputError, match="no atom came back in a second run"):
        merge_runs([run_of([1, 0, 0]), run_of([0, 1, 0])])


def test_atom_without_close_words_is_dropped() -> None:
    embeddings = planted_embeddings()
    away = np.random.default_rng(9).normal(size=embeddings.dim)
    away -= np.linalg.lstsq(planted_atoms().T, away, rcond=None)[0] @ planted_atoms()
    atoms = run_of(*planted_atoms().tolist(), away.tolist()).atoms
    assert np.flatnonzero(find_incoherent(embeddings, atoms, least_coherence(embeddings))).tolist() == [N_ATOMS]
    assert not find_incoherent(embeddings, atoms, 2.0).any(), "where all are incoherent, none stands out"


def naive_drop(embeddings: Embeddings, atoms: np.ndarray) -> list[int]:
    """The atoms that remain: count users by hand, drop those far above the median, start again."""
    left = list(range(len(atoms)))
    while True:
        codes = sparse_code(embeddings.unit_vectors, atoms[left], sparsity=2)
        users = [sum(place in row for row in codes.atoms.tolist()) for place in range(len(left))]
        logs = np.log(np.array(users) + 1.0)
        spread = max((np.quantile(logs, 0.75) - np.quantile(logs, 0.25)) / 1.349, 0.1)
        bound = np.exp(np.median(logs) + 4 * spread) - 1
        if max(users) <= bound:
            return left
        left = [atom for atom, n in zip(left, users, strict=True) if n <= bound]


def crowded(n_common: int) -> tuple[Embeddings, np.ndarray]:
    """Planted words that also contain some directions that very many words share."""
    embeddings = planted_embeddings()
    rng = np.random.default_rng(5)
    common = np.linalg.qr(rng.normal(size=(embeddings.dim, n_common)))[0].T.astype(np.float32)
    vectors = embeddings.unit_vectors + 1.2 * common[np.arange(len(embeddings)) % n_common]
    return replace(embeddings, vectors=vectors.astype(np.float32)), np.concatenate([planted_atoms(), common])


@pytest.mark.parametrize("n_common", [1, 2, 3])
def test_no_atom_of_the_final_codes_is_overused(n_common: int) -> None:
    embeddings, atoms = crowded(n_common)
    coded = drop_overused(embeddings, atoms.astype(np.float32), sparsity=2, threads=1)
    kept = naive_drop(embeddings, atoms.astype(np.float32))
    assert coded.atoms.tolist() == atoms.astype(np.float32)[kept].tolist()
    assert coded.n_overused == len(atoms) - len(kept) > 0
    n_users = count_users(coded.codes)
    assert n_users.max() <= coded.most_users == most_users(n_users)


def test_the_report_gives_the_bound_of_the_final_codes() -> None:
    atoms, report = learn_atoms(planted_embeddings(), n_atoms=N_ATOMS, n_restarts=2)
    n_users = count_users(atoms.codes)
    assert n_users.max() <= report.most_users == most_users(n_users)


def test_last_run_makes_up_for_merging() -> None:
    rng, planted = np.random.default_rng(3), planted_atoms()
    runs = [run_of(*(planted + rng.normal(scale=0.05, size=planted.shape)).tolist()) for _ in range(2)]
    atoms, report = combine_runs(planted_embeddings(), runs, sparsity=2)
    assert report.error < report.merged_error
    assert ((planted @ atoms.vectors.T).max(axis=1) > 0.99).all()


def test_more_atoms_than_words_is_refused() -> None:
    with pytest.raises(InputError, match="5 atoms were asked for but only 2 words or items have a vector"):
        learn_run(Embeddings(["a", "b", "zero"], np.eye(3, 4) * [[1], [1], [0]]), n_atoms=5)


# --- how many atoms, and how many per word


def embeddings_with_counts(counts: list[int] | None) -> Embeddings:
    return Embeddings(["a", "b", "c", "d"], np.eye(4), counts=None if counts is None else np.array(counts))


def test_overlap_point_is_the_mean_both_ways() -> None:
    first, second = np.eye(4, dtype=np.float32)[:2], np.eye(4, dtype=np.float32)[1:3]
    point = overlap_point([KSVDRun(first, np.ones(2, np.int64), 0.2), KSVDRun(second, np.ones(2, np.int64), 0.4)])
    assert point == OverlapPoint(2, 0.5, 1.0, pytest.approx(0.3))


def test_best_size_is_where_half_of_the_added_atoms_stop_coming_back() -> None:
    curve = [OverlapPoint(10, 0.9, 9, 0.5), OverlapPoint(20, 0.75, 15, 0.4), OverlapPoint(40, 0.6, 24, 0.3)]
    assert best_size(curve) == 20
    assert best_size(curve[:2]) == 20
    assert best_size(curve[:1]) == 10


def test_sparsity_grows_with_the_logarithm_of_the_count() -> None:
    assert sparsity_by_count(embeddings_with_counts([99999, 999, 99, 9]), 2, 6).tolist() == [6, 4, 3, 2]


def test_sparsity_of_equal_counts_is_the_fewest() -> None:
    assert sparsity_by_count(embeddings_with_counts([7, 7, 7, 7]), 2, 6).tolist() == [2, 2, 2, 2]


def test_sparsity_by_count_needs_counts() -> None:
    with pytest.raises(InputError, match="counts of these words are unknown"):
        sparsity_by_count(embeddings_with_counts(None), 2, 6)
    with pytest.raises(InputError, match="from 6 to 2"):
        sparsity_by_count(embeddings_with_counts([4, 3, 2, 1]), 6, 2)


@pytest.mark.parametrize(
    ("n_words", "sizes"),
    [
        (50_000, (500, 1000, 1500, 2000, 3000, 4000)),
        (8_000, (500, 1000, 1500)),
        (600, (7, 15, 24, 40, 60, 120)),
        (5, (1,)),
    ],
)
def test_sizes_suit_the_vocabulary(n_words: int, sizes: tuple[int, ...]) -> None:
    assert default_sizes(n_words) == sizes
