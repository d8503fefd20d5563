"""What has a table of its own: as a pandas table and as an Arrow table, both optional dependencies.

Answers of a model become tables in `wordatoms.senses.frames`.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from wordatoms.errors import require_extra

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table


class Tabular:
    """Base of classes with a table."""

    @abstractmethod
    def to_frame(self) -> DataFrame:
        """Return the table."""

    def to_arrow(self) -> Table:
        """Return the table of `to_frame` as an Arrow table, for Polars, DuckDB, Parquet and others.

        Returns
        -------
        pyarrow.Table
            A named index is a column.
        """
        table = require_extra("pyarrow", "parquet").Table
        frame = self.to_frame()
        found: Table = table.from_pandas(frame, preserve_index=frame.index.name is not None)
        return found
