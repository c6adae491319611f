"""The banner says what there is: measured where it is the learner's data, described where it is ours."""

from __future__ import annotations

from pathlib import Path

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from gpucluster import lessons
from gpucluster.datasets import describe
from gpucluster.datasets.errors import InvalidOption


def test_a_data_set_by_name() -> None:
    shown = lessons.banner("flights", copies=4)
    known = describe("flights", copies=4)
    assert (shown.rows, shown.columns, shown.memory_bytes) == (4 * 336_776, 20, known.memory_bytes)
    assert shown.distinct_source_rows == 336_776
    assert "tiled" in repr(shown)
    assert lessons.banner("flights").kind == "real"
    assert lessons.banner("flight_minutes").kind == "derived"


def test_own_tables_are_measured_lazy_or_not(tmp_path: Path) -> None:
    table = pd.DataFrame({"n": np.arange(1000), "word": ["some text"] * 1000})
    file = tmp_path / "table.csv"
    table.to_csv(file)
    whole = lessons.banner(table, kind="real", distinct=1000, files=file)
    assert (whole.rows, whole.columns) == (1000, 2)
    assert whole.memory_bytes == table.memory_usage(deep=True, index=False).sum()
    assert whole.disk_bytes == file.stat().st_size
    assert lessons.banner(table, kind="real", distinct=1000, files=tmp_path).disk_bytes == file.stat().st_size
    lazy = lessons.banner(dd.from_pandas(table, npartitions=3), kind="derived", distinct=10)
    assert (lazy.rows, lazy.columns, lazy.disk_bytes) == (1000, 2, None)
    assert lazy.memory_bytes == pytest.approx(whole.memory_bytes, rel=0.05)
    assert "not stored" in repr(lazy)


def test_own_arrays() -> None:
    shown = lessons.banner(da.ones((10, 3, 2), dtype="float32"), kind="derived", distinct=5, title="<squares>")
    assert (shown.rows, shown.columns, shown.memory_bytes) == (10, 6, 240)
    assert "<squares>" not in shown._repr_html_()


def test_what_is_missing_is_said() -> None:
    with pytest.raises(TypeError, match="Say what your data is"):
        lessons.banner(np.zeros(3))
    with pytest.raises(TypeError, match="only with the name"):
        lessons.banner(np.zeros(3), kind="real", distinct=3, copies=2)
    with pytest.raises(InvalidOption, match="no data set"):
        lessons.banner("trains")
