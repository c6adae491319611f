import pandas as pd


def device_summary(connection, device):
    kernels = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_KERNEL", connection)
    kernels = kernels[kernels.deviceId == device].sort_values("start")
    names = pd.read_sql("SELECT name FROM sqlite_master WHERE type='table'", connection).name.tolist()
    if "CUPTI_ACTIVITY_KIND_MEMCPY" in names:
        copies = pd.read_sql("SELECT * FROM CUPTI_ACTIVITY_KIND_MEMCPY", connection)
        copies = copies[copies.deviceId == device]
    else:
        copies = pd.DataFrame({"start": [], "end": [], "bytes": [], "copyKind": []})
    everything = pd.concat([kernels[["start", "end"]], copies[["start", "end"]]]) if len(copies) else kernels
    before = kernels.end.cummax().shift(fill_value=kernels.start.min())
    busy = (kernels.end - kernels[["start"]].assign(before=before).max(axis=1)).clip(lower=0).sum()
    return {
        "kernel_seconds": (kernels.end - kernels.start).sum() / 1e9,
        "to_device_bytes": int(copies.loc[copies.copyKind == 1, "bytes"].sum()),
        "to_host_bytes": int(copies.loc[copies.copyKind == 2, "bytes"].sum()),
        "idle_share": 1 - busy / (everything.end.max() - everything.start.min()),
    }
