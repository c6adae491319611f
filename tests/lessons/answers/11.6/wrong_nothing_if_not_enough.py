"""Gives up when even all of them are not enough."""


def to_spill(buffers, needed, limit):
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    for buffer in sorted(buffers, key=lambda buffer: buffer["last_used"]):
        if held + needed <= limit:
            return leaving
        if not buffer["exposed"]:
            leaving.append(buffer["name"])
            held -= buffer["bytes"]
    return leaving if held + needed <= limit else []
