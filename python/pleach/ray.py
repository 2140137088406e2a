"""Ray Data: ``pleach.ray.parse(dataset, column="text")`` adds the columns ``sentences`` and ``error``; or use the class
``Parse`` with ``map_batches`` yourself. Each actor opens the model once and maps it: a path must be there on every machine."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .cluster import column_of, parse_batch, parser
from .errors import need

if TYPE_CHECKING:
    import pyarrow
    import ray.data

__all__ = ["Parse", "parse"]


class Parse:
    """For ``dataset.map_batches(pleach.ray.Parse, batch_format="pyarrow", …)``."""

    def __init__(
        self,
        column: str = "text",
        model: str | os.PathLike[str] | None = None,
        *,
        threads: int = 1,
        **options: Any,
    ) -> None:
        self.column = column
        self.threads = threads
        self.parser = parser(None if model is None else os.fspath(model), options)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        """Parses a batch."""
        column_of(batch.column_names, self.column)
        parsed: pyarrow.Table = parse_batch(self.parser, batch.combine_chunks(), self.column, self.threads)
        return parsed


def parse(
    dataset: ray.data.Dataset,
    column: str = "text",
    model: str | os.PathLike[str] | None = None,
    *,
    concurrency: int | tuple[int, int] = 1,
    batch_size: int = 256,
    threads: int = 1,
    **options: Any,
) -> ray.data.Dataset:
    """Parses a column of texts with so many actors; all other columns stay. options: those of ``pleach.load``."""
    try:
        import ray.data  # noqa: F401
    except ImportError as error:
        raise need("ray[data]", "ray") from error
    names = dataset.columns()
    if names is not None:
        column_of(list(names), column)
    return dataset.map_batches(
        Parse,
        fn_constructor_args=(column, model),
        fn_constructor_kwargs={"threads": threads, **options},
        batch_format="pyarrow",
        batch_size=batch_size,
        concurrency=concurrency,
        num_cpus=threads,
        # An actor that dies is started anew, and what it was at is done again.
        max_restarts=-1,
        max_task_retries=-1,
    )
