"""Exposed buffers leave as well."""


def to_spill(buffers, needed, limit):
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    for buffer in sorted(buffers, key=lambda buffer: buffer["last_used"]):
        if held + needed <= limit:
            break
        leaving.append(buffer["name"])
        held -= buffer["bytes"]
    return leaving
