"""k-SVD as a scikit-learn estimator: `KSVD(n_components=2000, sparsity=5).fit(X)`.

A thin wrapper of `wordatoms.atoms.ksvd` with scikit-learn's names: components are atoms, samples are rows. Left out:
`partial_fit`.
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
    """Dictionary learning by k-SVD: each sample is approximated by a sum of a few atoms.

    Parameters
    ----------
    n_components : int, optional
        Number of atoms, by default the number of features.
    sparsity : int, default 5
        Maximum number of atoms per sample, limited to `n_components`.
    max_iter : int, default 25
        Number of iterations; all of them are run.
    nonnegative : bool, default False
        Allow no negative weights.
    keep_codes : bool, default False
        Keep the old code of a sample where the new one is worse; see `wordatoms.atoms.ksvd.ksvd`.
    random_state : int, RandomState or None, default 0
        Seed for the choice of the first atoms.
    n_jobs : int, optional
        Number of threads, as in scikit-learn; the result does not depend on it.
    sparse_output : bool, default True
        Whether `transform` returns a `scipy.sparse.csr_matrix`, because codes are nearly all zeros, or a dense array
        (required by `set_output(transform="pandas")`).
    callback : callable, optional
        Called after each iteration with its number (from 1), the relative error and the seconds.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        The atoms, of unit length.
    error_ : float
        ‖X − codes · atoms‖² / ‖X‖² at the end of `fit`.
    errors_ : ndarray, shape (max_iter,)
        The error after each iteration.
    n_replaced_ : ndarray of int, shape (max_iter,)
        Number of atoms replaced in each iteration.
    n_iter_ : int
        Number of iterations run.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> X = np.random.default_rng(0).standard_normal((200, 10))
    >>> model = wa.KSVD(20, sparsity=3, max_iter=5).fit(X)
    >>> model.transform(X).shape
    (200, 20)
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
        """Learn the atoms.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        KSVD
            The estimator itself.
        """
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
        """Compute the codes of samples over the atoms.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)

        Returns
        -------
        csr_matrix or ndarray, shape (n_samples, n_components)
        """
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
        """Compute the samples that codes stand for.

        Parameters
        ----------
        X : array-like or sparse matrix, shape (n_samples, n_components)
            Codes, such as `transform` returns.

        Returns
        -------
        ndarray, shape (n_samples, n_features)
        """
        validation.check_is_fitted(self)
        codes = validation.check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32])
        if codes.shape[1] != len(self.components_):
            raise InputError(
                f"the codes have {codes.shape[1]} columns, but there are {len(self.components_)} atoms; "
                "pass what transform returns."
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
        """At most the number of atoms; `ksvd` checks the type."""
        numbers = (self.sparsity, n_atoms)
        return min(numbers) if all(isinstance(number, int | np.integer) for number in numbers) else self.sparsity

    def _seed(self) -> int:
        seed = self.random_state
        if seed is None or seed is np.random or isinstance(seed, np.random.RandomState):
            return int(check_random_state(seed).randint(2**31))
        return cast(int, seed)  # checked by `ksvd`

    def _threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
