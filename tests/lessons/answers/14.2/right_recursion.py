"""Style: recursion over lines and over words, dictionaries are merged."""

from gpucluster.lessons.material.batchscripts import SHORT


def _options(words):
    if not words or words[0].startswith("#"):
        return {}
    first, rest = words[0], words[1:]
    if "=" in first:
        name, value = first.split("=", 1)
    elif rest and rest[0][0] not in "-#":
        name, value, rest = first, rest[0], rest[1:]
    else:
        name, value = first, True
    return {SHORT.get(name, name.lstrip("-")): value} | _options(rest)


def directives(script):
    found = {}
    for line in script.split("\n"):
        bare = line.strip()
        if bare == "":
            continue
        if bare[0] != "#":
            return found
        if line.startswith("#SBATCH "):
            found = found | _options(line[len("#SBATCH ") :].split())
    return found
