"""exec also where no command is given."""

import shlex

DROPPED = {"--gpus", "-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}
SAME = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}


def to_apptainer(command):
    words = shlex.split(command)[2:]
    out = []
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in SAME or name in DROPPED:
            value = value if equals else words.pop(0)
        if name == "--gpus":
            out.append("--nv")
        if name in SAME:
            out += [SAME[name], value]
    image, *rest = words
    return ["apptainer", "exec", *out, f"docker://{image}", *rest]
