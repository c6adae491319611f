"""A value with = is cut."""

SHORT = {
    "-A": "account",
    "-c": "cpus-per-task",
    "-J": "job-name",
    "-N": "nodes",
    "-n": "ntasks",
    "-o": "output",
    "-p": "partition",
    "-t": "time",
}


def directives(script):
    found = {}
    for line in script.splitlines():
        if line.strip() and not line.strip().startswith("#"):
            break
        if not line.startswith("#SBATCH "):
            continue
        name = None
        for word in line.split()[1:]:
            if word.startswith("#"):
                break
            if word.startswith("-"):
                name, equals, value = (*word.split("=")[:2], "")[0], "=" in word, (word.split("=") + [""])[1]
                name = SHORT.get(name, name.lstrip("-"))
                found[name] = value if equals else True
            elif name is not None:
                found[name] = word
    return found
