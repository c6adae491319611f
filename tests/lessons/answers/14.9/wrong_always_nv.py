"""--nv, always."""

import shlex

BECOMES = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
GONE = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}


def to_apptainer(command):
    words = shlex.split(command)[2:]
    options = ["--nv"]
    while words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        if name in BECOMES or name in GONE or name == "--gpus":
            value = value if equals else words.pop(0)
        if name == "--gpus":
            pass
        elif name in BECOMES:
            options += [BECOMES[name], value]
    image, *program = words
    return ["apptainer", "exec" if program else "run", *options, "docker://" + image, *program]
