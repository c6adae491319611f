"""Style: tables of options, one loop, list of words as result."""

import shlex

VALUE = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
DROPPED = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}
FLAGS = {"--rm", "-it", "-ti", "-i", "-t", "-d"}


def to_apptainer(command):
    words = shlex.split(command)[2:]
    out, k = [], 0
    while words[k].startswith("-"):
        option, equals, value = words[k].partition("=")
        k += 1
        if option in FLAGS:
            continue
        if not equals:
            value = words[k]
            k += 1
        if option == "--gpus":
            out.append("--nv")
        elif option in VALUE:
            out += [VALUE[option], value]
    image, *program = words[k:]
    return ["apptainer", "exec" if program else "run", *out, f"docker://{image}", *program]
