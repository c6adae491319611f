"""Wrong: knows no value after an equals sign, and takes the whole word as an option without a value."""

import shlex


def to_apptainer(command):
    with_value = {
        "-v": "--bind",
        "--volume": "--bind",
        "-w": "--pwd",
        "--workdir": "--pwd",
        "-e": "--env",
        "--env": "--env",
        "-u": None,
        "--user": None,
        "-p": None,
        "--publish": None,
        "--name": None,
        "--shm-size": None,
        "--network": None,
        "--ipc": None,
    }
    words = shlex.split(command)[2:]
    options = []
    while words and words[0].startswith("-"):
        name, equals, value = words.pop(0), "", ""
        if name == "--gpus":
            value = value if equals else words.pop(0)
            options.append("--nv")
        elif name in with_value:
            value = value if equals else words.pop(0)
            if with_value[name]:
                options += [with_value[name], value]
    image, *program = words
    return shlex.join(["apptainer", "exec" if program else "run", *options, f"docker://{image}", *program])
