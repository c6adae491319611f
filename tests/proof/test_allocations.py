"""RMM's log becomes a table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from benchmarks.gpu.allocations import as_parquet

LOG = """Thread,Time,Action,Pointer,Size,Stream
4242,02:10:11.123456,allocate,0x7f0000000000,1048576,0x0
4242,02:10:11.123499,free,0x7f0000000000,1048576,0x0
"""


def test_what_rmm_wrote_is_kept(tmp_path: Path) -> None:
    assert as_parquet(LOG, tmp_path / "log.parquet") == 2
    table = pd.read_parquet(tmp_path / "log.parquet")
    assert table["Action"].tolist() == ["allocate", "free"]
    assert table["Size"].sum() == 2 * 1048576
    assert table["Pointer"].nunique() == 1
