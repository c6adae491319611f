"""Writes the image without docker://."""

import shlex

VALUE = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}


def to_apptainer(command):
    words, out = shlex.split(command)[2:], []
    while words[0].startswith("-"):
        option, equals, value = words.pop(0).partition("=")
        if option in ("--rm", "-it", "-i", "-t", "-d"):
            continue
        value = value if equals else words.pop(0)
        if option == "--gpus":
            out.append("--nv")
        elif option in VALUE:
            out += [VALUE[option], value]
    return ["apptainer", "exec" if words[1:] else "run", *out, words[0], *words[1:]]
