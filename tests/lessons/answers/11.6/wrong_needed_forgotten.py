"""Makes room for what is there, not for what comes."""


def to_spill(buffers, needed, limit):
    held = sum(buffer["bytes"] for buffer in buffers)
    leaving = []
    for buffer in sorted(buffers, key=lambda buffer: buffer["last_used"]):
        if held <= limit:
            break
        if not buffer["exposed"]:
            leaving.append(buffer["name"])
            held -= buffer["bytes"]
    return leaving
