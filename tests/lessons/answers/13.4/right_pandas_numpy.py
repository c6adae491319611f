"""Right: pandas tables filtered by device, intervals merged by cummax; try and except for the missing table."""

import numpy as np
import pandas as pd


def device_summary(connection, device):
    kernels = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL", connection).query("deviceId == @device")
    try:
        copies = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY", connection).query("deviceId == @device")
    except Exception:
        copies = pd.DataFrame({"start": [], "end": [], "bytes": [], "copyKind": []}, dtype="int64")
    kernels = kernels.sort_values("start")
    latest = kernels["end"].cummax()
    gaps = (kernels["start"] - latest.shift()).clip(lower=0).sum()
    low = min([kernels["start"].min(), *copies["start"]])
    high = max([latest.iloc[-1], *copies["end"]])
    gaps += kernels["start"].iloc[0] - low + high - latest.iloc[-1]
    moved = copies.groupby("copyKind")["bytes"].sum()
    return {
        "kernel_seconds": float((kernels["end"] - kernels["start"]).sum()) * 1e-9,
        "to_device_bytes": int(moved.get(1, 0)),
        "to_host_bytes": int(moved.get(2, 0)),
        "idle_share": float(gaps / np.int64(high - low)),
    }
