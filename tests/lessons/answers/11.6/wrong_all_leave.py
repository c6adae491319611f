"""Everything that may leave does."""


def to_spill(buffers, needed, limit):
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    for buffer in sorted(buffers, key=lambda buffer: buffer["last_used"]):
        if False:
            break
        if not buffer["exposed"]:
            leaving.append(buffer["name"])
            held -= buffer["bytes"]
    return leaving
