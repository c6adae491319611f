"""Translates options after the image as well."""

import shlex

VALUE = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
DROPPED = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}


def to_apptainer(command):
    out, rest, words = [], [], shlex.split(command)[2:]
    while words:
        word = words.pop(0)
        option, equals, value = word.partition("=")
        if option in ("--rm", "-it", "-i", "-t", "-d"):
            continue
        if option == "--gpus" or option in VALUE or option in DROPPED:
            if not equals:
                value = words.pop(0) if words else ""
            if option == "--gpus":
                out.append("--nv")
            elif option in VALUE:
                out += [VALUE[option], value]
        else:
            rest.append(word)
    return ["apptainer", "exec" if len(rest) > 1 else "run", *out, f"docker://{rest[0]}", *rest[1:]]
