"""Sorts the list that it is given."""


def to_spill(buffers, needed, limit):
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    buffers.sort(key=lambda buffer: buffer["last_used"])
    for buffer in buffers:
        if held + needed <= limit:
            break
        if not buffer["exposed"]:
            leaving.append(buffer["name"])
            held -= buffer["bytes"]
    return leaving
