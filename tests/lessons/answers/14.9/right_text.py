"""shlex.join makes one text; options are sorted by kind."""

import shlex


def to_apptainer(command):
    words = shlex.split(command)
    place, nv, binds, folder, variables = 2, [], [], [], []
    while words[place].startswith("-"):
        option = words[place]
        place += 1
        if option in ("--rm", "-it", "-ti", "-i", "-t", "-d"):
            continue
        if "=" in option:
            option, value = option.split("=", 1)
        else:
            value = words[place]
            place += 1
        if option in ("-v", "--volume"):
            binds += ["--bind", value]
        elif option in ("-e", "--env"):
            variables += ["--env", value]
        elif option in ("-w", "--workdir"):
            folder = ["--pwd", value]
        elif option == "--gpus":
            nv = ["--nv"]
    rest = words[place + 1 :]
    new = ["apptainer", "exec" if rest else "run", *nv, *folder, *binds, *variables, f"docker://{words[place]}", *rest]
    return shlex.join(new)
