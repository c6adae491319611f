import os
import tempfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def score_month(table, chance, folder, name):
    arrow = pa.Table.from_pandas(table, preserve_index=False)
    arrow = arrow.append_column("chance", pa.array(np.asarray(chance(table), dtype="float64")))
    with tempfile.TemporaryDirectory(dir=folder.parent) as other:
        pq.write_table(arrow, f"{other}/scores.parquet")
        os.rename(f"{other}/scores.parquet", folder / f"{name}.parquet")
    return arrow.num_rows
