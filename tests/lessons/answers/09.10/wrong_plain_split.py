"""Wrong: line.split() knows no quotes; values with spaces fall apart, the quotes stay."""


def read_launch(line):
    words = line.split()
    cut = words.index("python")
    ranks = int(words[words.index("-np") + 1])
    environment = dict(word.split("=", 1) for word in words[:cut] if "=" in word)
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": words[cut:]}
