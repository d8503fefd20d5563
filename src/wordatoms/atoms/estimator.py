"""k-SVD as a scikit-learn estimator: `KSVD(n_components=2000, sparsity=5).fit(X)`.

A thin wrapper of `wordatoms.atoms.ksvd` and `wordatoms.atoms.minibatch` with scikit-learn's names: components are
atoms, samples are rows.
"""

from __future__ import annotations

from os import PathLike
from typing import Any, cast

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import check_random_state, validation

from wordatoms.atoms.ksvd import KSVDCallback, check_tolerance, checked_start, ksvd, random_rows
from wordatoms.atoms.minibatch import USERS_PER_CHECK, Learner, learn_in_batches, relative_error
from wordatoms.atoms.sparse_coding import Matrix, SparseCodes, check_integers, checked_matrix, sparse_code
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
        Maximum number of iterations, which are passes over the samples if `batch_size` is given.
    batch_size : int, optional
        Learn from batches of about this many samples, best about twice `n_components`, instead of all at once. This
        takes about a third of the passes, and memory for a batch only: a memory-mapped array is never loaded whole.
    tol : float, default 0.0
        Stop when an iteration that replaces no atom lowers the error by less than this share of it. With 0 all
        iterations are run.
    nonnegative : bool, default False
        Allow no negative weights.
    keep_codes : bool, default False
        Keep the old code of a sample where the new one is worse; see `wordatoms.atoms.ksvd.ksvd`. Without effect on
        batches.
    warm_start : bool, default False
        Start `fit` from the atoms that the estimator has, if they are of the right shape.
    random_state : int, RandomState or None, default 0
        Seed for the choice of the first atoms and for the order of the batches.
    n_jobs : int, optional
        Number of threads, as in scikit-learn; the result does not depend on it.
    sparse_output : bool, default True
        Whether `transform` returns a `scipy.sparse.csr_matrix`, because codes are nearly all zeros, or a dense array
        (required by `set_output(transform="pandas")`).
    callback : callable, optional
        Called after each iteration with its number (from 1), the relative error and the seconds.
    checkpoint : str or path-like, optional
        Together with `batch_size`, a file for the state of `fit`: after Ctrl-C or a crash, the same `fit` resumes from
        it and gives the same bytes. See `wordatoms.atoms.minibatch.minibatch_ksvd`.

    Attributes
    ----------
    components_ : ndarray, shape (n_components, n_features)
        The atoms, of unit length.
    error_ : float
        ‖X − codes · atoms‖² / ‖X‖² at the end of `fit`. With batches, that of the last pass or of the last call of
        `partial_fit`, where each batch counts before the atoms learned from it.
    errors_ : ndarray, shape (n_iter_,)
        The error after each iteration.
    n_replaced_ : ndarray of int, shape (n_iter_,)
        Number of atoms replaced in each iteration.
    n_iter_ : int
        Number of iterations run, or of calls of `partial_fit`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str, shape (n_features,)
        Names of the features, if `X` was a table that has them.

    See Also
    --------
    wordatoms.sparse_code : Codes over given atoms.

    Examples
    --------
    >>> import numpy as np
    >>> import wordatoms as wa
    >>> X = np.random.default_rng(0).standard_normal((200, 10))
    >>> model = wa.KSVD(20, sparsity=3, max_iter=5).fit(X)
    >>> model.transform(X).shape
    (200, 20)
    >>> 0 < model.score(X) < 1
    True
    """

    def __init__(
        self,
        n_components: int | None = None,
        *,
        sparsity: int = 5,
        max_iter: int = 25,
        batch_size: int | None = None,
        tol: float = 0.0,
        nonnegative: bool = False,
        keep_codes: bool = False,
        warm_start: bool = False,
        random_state: Any = 0,
        n_jobs: int | None = None,
        sparse_output: bool = True,
        callback: KSVDCallback | None = None,
        checkpoint: str | PathLike[str] | None = None,
    ) -> None:
        self.n_components = n_components
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.tol = tol
        self.nonnegative = nonnegative
        self.keep_codes = keep_codes
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.sparse_output = sparse_output
        self.callback = callback
        self.checkpoint = checkpoint

    def fit(self, X: Any, y: Any = None) -> KSVD:  # noqa: ARG002 (scikit-learn's signature)
        """Learn the atoms.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
            The samples. Floats of 16 and 32 bits are computed in single precision.
        y : ignored

        Returns
        -------
        KSVD
            The estimator itself.
        """
        start = getattr(self, "components_", None) if self.warm_start else None
        rows = self._checked(X, reset=True)
        n_atoms = self._n_atoms(rows)
        start = start if start is not None and start.shape == (n_atoms, rows.shape[1]) else None
        if self.batch_size is None:
            self._fit_all(rows, n_atoms, start)
        else:
            self._fit_batches(rows, n_atoms, start)
        return self

    def _fit_all(self, rows: NDArray[Any], n_atoms: int, start: Matrix | None) -> None:
        result = ksvd(
            rows,
            n_atoms=n_atoms,
            sparsity=min(self.sparsity, n_atoms),
            n_iterations=self.max_iter,
            tol=self.tol,
            nonnegative=self.nonnegative,
            keep_codes=self.keep_codes,
            random_state=self._seed(),
            start=start,
            threads=self._threads(),
            callback=self.callback,
        )
        self._learner = Learner.after(result)
        self.components_, self.error_, self.errors_ = result.atoms, result.error, result.errors
        self.n_replaced_, self.n_iter_ = result.n_replaced, len(result.errors)

    def _fit_batches(self, rows: NDArray[Any], n_atoms: int, start: Matrix | None) -> None:
        check_integers(1, batch_size=self.batch_size)
        seed = self._seed()
        checked_matrix(rows, "X")
        learner, history = learn_in_batches(
            rows,
            random_rows(rows, n_atoms, seed) if start is None else checked_start(start, rows, n_atoms),
            sparsity=min(self.sparsity, n_atoms),
            batch_size=cast(int, self.batch_size),
            n_passes=self.max_iter,
            tol=self.tol,
            nonnegative=self.nonnegative,
            random_state=seed,
            threads=self._threads(),
            callback=self.callback,
            checkpoint=self.checkpoint,
        )
        self._learner = learner.turned()
        self.components_, self.error_, self.errors_ = (
            self._learner.vectors,
            history.errors[-1],
            np.array(history.errors),
        )
        self.n_replaced_, self.n_iter_ = np.array(history.n_replaced, np.int64), len(history.errors)

    def partial_fit(self, X: Any, y: Any = None) -> KSVD:  # noqa: ARG002 (scikit-learn's signature)
        """Learn from one more batch of samples.

        The first call takes its first atoms from its samples, so it needs at least `n_components` of them.
        Earlier batches count less as new ones come, so that the atoms follow samples that change. Atoms that hardly
        any sample uses are replaced from time to time. If a call is interrupted, the atoms stay as they were.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        KSVD
            The estimator itself.

        Examples
        --------
        >>> import numpy as np
        >>> import wordatoms as wa
        >>> rng = np.random.default_rng(0)
        >>> model = wa.KSVD(20, sparsity=3)
        >>> for _ in range(10):
        ...     model = model.partial_fit(rng.standard_normal((100, 10)))
        >>> model.n_iter_
        10
        """
        is_first = not hasattr(self, "components_")
        rows = checked_matrix(self._checked(X, reset=is_first), "X")
        check_integers(1, sparsity=self.sparsity)
        n_atoms = self._n_atoms(rows) if is_first else len(self.components_)
        learner = Learner.begin(random_rows(rows, n_atoms, self._seed())) if is_first else self._learner
        sparsity = min(self.sparsity, n_atoms)
        n_codes = int(learner.n_users.sum()) + len(rows) * sparsity
        learner, batch, n_replaced = learner.learn(
            rows,
            sparsity=sparsity,
            nonnegative=self.nonnegative,
            threads=self._threads(),
            replace_atoms=n_codes >= USERS_PER_CHECK * n_atoms,
        )
        self._learner, self.components_, self.error_ = learner, learner.vectors, batch.error
        self.errors_ = np.append(getattr(self, "errors_", []), batch.error)
        self.n_replaced_ = np.append(getattr(self, "n_replaced_", np.empty(0, np.int64)), n_replaced)
        self.n_iter_ = len(self.errors_)
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
        codes = self._codes(self._checked_for_codes(X)).to_csr()
        return codes if self.sparse_output else codes.toarray()

    def score(self, X: Any, y: Any = None) -> float:  # noqa: ARG002 (scikit-learn's signature)
        """Compute the share of the samples' squared length that their codes explain.

        Parameters
        ----------
        X : array-like, shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        float
            1 − ‖X − codes · atoms‖² / ‖X‖²; 1 is a perfect reconstruction.
        """
        rows = self._checked_for_codes(X)
        return 1 - relative_error(rows, self.components_, self._codes(rows))

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

    def _codes(self, rows: NDArray[Any]) -> SparseCodes:
        check_integers(1, sparsity=self.sparsity)
        return sparse_code(
            rows,
            self.components_,
            sparsity=min(self.sparsity, len(self.components_)),
            nonnegative=self.nonnegative,
            threads=self._threads(),
        )

    def _checked_for_codes(self, X: Any) -> NDArray[Any]:
        validation.check_is_fitted(self)
        return self._checked(X, reset=False)

    def _checked(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """X as an array; numbers are checked by `ksvd` and `sparse_code`, block by block and only once."""
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind == "f" and X.dtype.itemsize <= 8 and X.size:
            validation.validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        options: dict[str, Any] = {"dtype": [np.float64, np.float32, np.float16], "ensure_all_finite": False}
        checked: NDArray[Any] = validation.validate_data(self, X, reset=reset, **options)
        return checked

    def _n_atoms(self, rows: NDArray[Any]) -> int:
        """The number of atoms to learn, after checks of the parameters under the names that they have here."""
        check_integers(1, sparsity=self.sparsity, max_iter=self.max_iter)
        check_tolerance(self.tol)
        self._check_options()
        if self.n_components is None:
            return int(rows.shape[1])
        check_integers(1, n_components=self.n_components)
        if self.n_components > len(rows):
            raise InputError(
                f"n_components is {self.n_components:,} but there are only {len(rows):,} samples; "
                "pass fewer atoms, or more samples."
            )
        return self.n_components

    def _check_options(self) -> None:
        for name in ("nonnegative", "keep_codes", "warm_start", "sparse_output"):
            value = getattr(self, name)
            if not isinstance(value, bool | np.bool_):
                raise InputError(f"{name} is {value!r}; pass True or False.")
        if self.callback is not None and not callable(self.callback):
            raise InputError(f"callback is {self.callback!r}; pass a function of iteration, error and seconds.")
        if self.checkpoint is None:
            return
        if not isinstance(self.checkpoint, str | PathLike):
            raise InputError(f"checkpoint is {self.checkpoint!r}; pass the path of a file.")
        if self.batch_size is None:
            raise InputError("checkpoint is given without batch_size; only a fit in batches can resume, so pass both.")

    def _seed(self) -> int:
        seed = self.random_state
        if seed is None or seed is np.random or isinstance(seed, np.random.RandomState):
            return int(check_random_state(seed).randint(2**31))
        check_integers(0, random_state=seed)
        return cast(int, seed)

    def _threads(self) -> int:
        n_jobs = self.n_jobs
        is_integer = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool | np.bool_)
        if n_jobs is not None and (not is_integer or n_jobs == 0):
            raise InputError(f"n_jobs is {n_jobs!r}; pass 1 or more, -1 for all cores, or None.")
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
