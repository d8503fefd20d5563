"""k-SVD as a scikit-learn estimator: `KSVD(n_components=2000, sparsity=5).fit(X)`.

A thin coat over `wordatoms.atoms.ksvd` with scikit-learn's names: components are atoms, samples are rows. Codes come
out as
a sparse matrix, because a dense one of words by atoms is large and nearly all zeros; `sparse_output=False` gives
arrays, or data frames after `set_output(transform="pandas")`. Left out: `partial_fit`.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, validation

from wordatoms.atoms.ksvd import KSVDCallback, ksvd
from wordatoms.atoms.sparse_coding import Matrix, sparse_code
from wordatoms.errors import InputError


class KSVD(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Atoms that give each sample as a sum of a few of them, found by k-SVD.

    Parameters
    ----------
    n_components
        Number of atoms; by default that of the features.
    sparsity
        Largest number of atoms per sample; where there are fewer atoms, all of them.
    max_iter
        Number of iterations; all of them are made.
    nonnegative
        Keep all weights at 0 or above.
    keep_codes
        As of `wordatoms.atoms.ksvd.ksvd`.
    random_state
        Seed of the start. `None` or a `RandomState` draws one.
    n_jobs
        Number of threads, as everywhere in scikit-learn; the result does not depend on it.
    sparse_output
        Whether `transform` gives a `scipy.sparse.csr_matrix` or a dense array.
    callback
        Called after each iteration with its number, the relative error and the seconds.

    Attributes
    ----------
    components_
        The atoms, (n_components, n_features), of unit length.
    error_
        ‖X − codes · atoms‖² as a share of ‖X‖², at the end of `fit`.
    errors_, n_replaced_
        The error after each iteration, and how many atoms it replaced.
    n_iter_
        Number of iterations made.
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        sparsity: int = 5,
        max_iter: int = 25,
        nonnegative: bool = False,
        keep_codes: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        sparse_output: bool = True,
        callback: KSVDCallback | None = None,
    ) -> None:
        self.n_components = n_components
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.nonnegative = nonnegative
        self.keep_codes = keep_codes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.sparse_output = sparse_output
        self.callback = callback

    def fit(self, X: Any, y: Any = None) -> KSVD:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the atoms from the samples X, (n_samples, n_features)."""
        rows = self._checked(X, reset=True)
        n_atoms = rows.shape[1] if self.n_components is None else self.n_components
        result = ksvd(
            rows,
            n_atoms=n_atoms,
            sparsity=self._sparsity(n_atoms),
            n_iterations=self.max_iter,
            nonnegative=self.nonnegative,
            keep_codes=self.keep_codes,
            random_state=self._seed(),
            threads=self._threads(),
            callback=self.callback,
        )
        self.components_, self.error_, self.errors_ = result.atoms, result.error, result.errors
        self.n_replaced_, self.n_iter_ = result.n_replaced, len(result.errors)
        return self

    def transform(self, X: Any) -> Any:
        """The codes of samples over the atoms, (n_samples, n_components)."""
        validation.check_is_fitted(self)
        rows = self._checked(X, reset=False)
        codes = sparse_code(
            rows,
            self.components_,
            sparsity=self._sparsity(len(self.components_)),
            nonnegative=self.nonnegative,
            threads=self._threads(),
        ).to_csr()
        return codes if self.sparse_output else codes.toarray()

    def inverse_transform(self, X: Any) -> Matrix:
        """The samples that codes stand for, (n_samples, n_features)."""
        validation.check_is_fitted(self)
        codes = validation.check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        if codes.shape[1] != len(self.components_):
            raise InputError(
                f"the codes have {codes.shape[1]} columns, but there are {len(self.components_)} atoms; "
                "pass what transform gave."
            )
        samples: Matrix = codes @ self.components_
        return samples

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def _checked(self, X: Any, *, reset: bool) -> NDArray[Any]:
        checked: NDArray[Any] = validation.validate_data(self, X, reset=reset, dtype=[np.float64, np.float32])
        return checked

    def _sparsity(self, n_atoms: int) -> int:
        """At most the number of atoms; what is no integer is left to the check of the function."""
        numbers = (self.sparsity, n_atoms)
        return min(numbers) if all(isinstance(number, int | np.integer) for number in numbers) else self.sparsity

    def _seed(self) -> int:
        seed = self.random_state
        if seed is None or seed is np.random or isinstance(seed, np.random.RandomState):
            return int(check_random_state(seed).randint(2**31))
        return cast(int, seed)  # an integer, as the function checks

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
