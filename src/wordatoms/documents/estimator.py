"""Documents as topics in scikit-learn: `AtomTopics().fit_transform(texts)`.

A wrapper of `wordatoms.senses.topics.document_topics` with scikit-learn's contract. The topics are those of a trained
model, so there is nothing to fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from wordatoms.documents.levels import Level, TopicMap, find_topics, merge_shares
from wordatoms.errors import InputError, require_texts
from wordatoms.run import Run
from wordatoms.senses.model import SenseModel, load
from wordatoms.senses.topics import DEFAULT_SCALE, document_topics


class AtomTopics(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn texts into shares of topics, which are atoms of a model or groups of them.

    Parameters
    ----------
    model : SenseModel, path or None, default None
        The model, or its folder; by default the bundled English model.
    level : str, path or mapping, default "atoms"
        What a topic is: "atoms", "meta" (meta-atoms) or "regions"; or a merge of one's own, from atoms, given by number
        or name, to names of topics. A merge may be a file with an atom, a tab and a topic in each line. An empty name
        or "-" leaves an atom out; atoms that are not listed make up the topic "other", or the one listed for "*".
    window : int, optional
        Known words on each side of the middle of a window; by default as many as the model was trained with.
    step : int, optional
        Words from the beginning of a window to the next; by default `window`.
    soft : bool, default False
        Give a window probabilities over atoms instead of its nearest atom.
    scale : float, optional
        Sharpness of the probabilities if `soft`.
    sparse_output : bool, default True
        Whether `transform` returns a `scipy.sparse.csr_matrix` or a dense array. After `set_output(transform="pandas")`
        the table is dense in any case.
    n_jobs : int, optional
        Number of threads, as in scikit-learn; the result does not depend on it.

    Attributes
    ----------
    topics_ : TopicMap
        The topics: their numbers, their names, and the topic of each atom.

    Examples
    --------
    >>> import wordatoms as wa
    >>> topics = wa.AtomTopics(level="regions").fit()
    >>> shares = topics.transform(["The orchestra played a symphony by Mahler.", ""])
    >>> shares.shape, shares.sum(axis=1).tolist()
    ((2, 29), [[1.0], [0.0]])
    >>> topics.get_feature_names_out()[shares[0].argmax()]
    'Music, film and the arts'
    """

    def __init__(
        self,
        model: SenseModel | Path | str | None = None,
        *,
        level: Level = "atoms",
        window: int | None = None,
        step: int | None = None,
        soft: bool = False,
        scale: float | None = None,
        sparse_output: bool = True,
        n_jobs: int | None = None,
    ) -> None:
        self.model = model
        self.level = level
        self.window = window
        self.step = step
        self.soft = soft
        self.scale = scale
        self.sparse_output = sparse_output
        self.n_jobs = n_jobs

    def fit(self, X: Iterable[str] | None = None, y: Any = None) -> AtomTopics:  # noqa: ARG002 (scikit-learn's signature)
        """Load the model and find its topics; nothing is learned from the texts.

        Parameters
        ----------
        X : iterable of str, optional
            Texts; only checked.
        y : ignored

        Returns
        -------
        AtomTopics
            The estimator itself.
        """
        if X is not None:
            _check_texts(X)
        self._model = self._load()
        self.topics_: TopicMap = find_topics(self._model, self.level)
        return self

    def transform(self, X: Iterable[str]) -> Any:
        """Compute the share of each topic in each text.

        Parameters
        ----------
        X : iterable of str
            Texts: a list, an array or a column of a table; a missing value is an empty text.

        Returns
        -------
        csr_matrix, ndarray or DataFrame, shape (n_texts, n_topics)
            Each row sums to 1, or is zero if the text has no word that the model knows.
        """
        check_is_fitted(self)
        found = document_topics(
            self._model,
            _check_texts(X),
            window=self.window,
            step=self.step,
            soft=self.soft,
            scale=DEFAULT_SCALE if self.scale is None else self.scale,
            leave_out=self.topics_.left_out,
            run=Run(threads=int(effective_n_jobs(self.n_jobs))),
        )
        shares = merge_shares(found, self.topics_).matrix
        return shares if self.sparse_output and not self._makes_frames() else shares.toarray()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:  # noqa: ARG002
        """Return the names of the topics.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        return np.array(self.topics_.names, object)

    def _makes_frames(self) -> bool:
        """Whether `set_output` or the configuration asks for a table, which cannot be sparse."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        return bool((own or get_config()["transform_output"]) != "default")

    def __sklearn_clone__(self) -> AtomTopics:
        """Return an estimator that is not fitted, with the same model: copying a model would copy all its arrays."""
        return type(self)(**self.get_params(deep=False))

    def __getstate__(self) -> dict[str, Any]:
        """Keep the path of the model, not the model: worker processes open it again."""
        state: dict[str, Any] = dict(super().__getstate__())
        if isinstance(state["model"], SenseModel):
            state["model"] = str(state["model"].path)
        state.pop("_model", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "topics_" in state:
            self._model = self._load()

    def _load(self) -> SenseModel:
        return self.model if isinstance(self.model, SenseModel) else load(self.model)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "topics_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _check_texts(texts: Any) -> list[str]:
    found = require_texts(texts, "the documents")
    if len(getattr(texts, "shape", ())) > 1:
        raise InputError(f"the documents have {len(texts.shape)} dimensions; pass one column of texts.")
    listed = list(found)
    for number, text in enumerate(listed, 1):
        if not isinstance(text, str):
            raise InputError(f"document {number:,} is of type {type(text).__name__}; pass texts.")
    return listed
