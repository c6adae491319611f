"""Options with =, in one text by hand."""

import shlex


def to_apptainer(command):
    words = iter(shlex.split(command.removeprefix("docker run ")))
    new = []
    for word in words:
        if not word.startswith("-"):
            image = word
            break
        name, _, value = word.partition("=")
        if name in ("--rm", "-it", "-i", "-t", "-d"):
            continue
        value = value or next(words)
        if name == "--gpus":
            new.append("--nv")
        target = {"-v": "bind", "--volume": "bind", "-w": "pwd", "--workdir": "pwd", "-e": "env", "--env": "env"}.get(
            name
        )
        if target:
            new.append(f"--{target}={shlex.quote(value)}")
    program = list(words)
    start = "apptainer exec" if program else "apptainer run"
    return " ".join([start, *new, "docker://" + image, *map(shlex.quote, program)])
