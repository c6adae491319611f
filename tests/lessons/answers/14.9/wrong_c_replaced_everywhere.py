"""Wrong: replaces options wherever they stand, also in the program's own words."""

import shlex


def to_apptainer(command):
    words = shlex.split(command)[2:]
    kept = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
    dropped = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}
    options, rest = [], []
    while words:
        name, equals, value = words.pop(0).partition("=")
        if name == "--gpus":
            value = value if equals else words.pop(0)
            options.append("--nv")
        elif name in kept:
            options += [kept[name], value if equals else words.pop(0)]
        elif name in dropped:
            value = value if equals else words.pop(0)
        elif name not in {"--rm", "-it", "-i", "-t", "-d"}:
            rest.append(name + equals + value)
    image, *program = rest
    return shlex.join(["apptainer", "exec" if program else "run", *options, f"docker://{image}", *program])
