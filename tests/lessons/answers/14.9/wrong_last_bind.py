"""Collects the options in a dictionary: of several binds or variables only the last one stays."""

import shlex

VALUE = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}


def to_apptainer(command):
    words, found = shlex.split(command)[2:], {}
    while words[0].startswith("-"):
        option, equals, value = words.pop(0).partition("=")
        if option in ("--rm", "-it", "-i", "-t", "-d"):
            continue
        value = value if equals else words.pop(0)
        if option == "--gpus":
            found["--nv"] = None
        elif option in VALUE:
            found[VALUE[option]] = value
    out = [w for pair in found.items() for w in pair if w is not None]
    return ["apptainer", "exec" if words[1:] else "run", *out, f"docker://{words[0]}", *words[1:]]
