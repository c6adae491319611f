"""Style: recursion with match, result as text by shlex.join."""

import shlex


def _rest(words):
    match words:
        case ["--rm" | "-it" | "-i" | "-t" | "-d", *more]:
            return _rest(more)
        case [word, *more] if word.startswith("--") and "=" in word:
            return _rest([*word.split("=", 1), *more])
        case ["--gpus", _, *more]:
            return ["--nv"] + _rest(more)
        case ["-v" | "--volume", value, *more]:
            return ["--bind", value] + _rest(more)
        case ["-w" | "--workdir", value, *more]:
            return ["--pwd", value] + _rest(more)
        case ["-e" | "--env", value, *more]:
            return ["--env", value] + _rest(more)
        case [word, _, *more] if word.startswith("-"):
            return _rest(more)
        case [image, *program]:
            return ["docker://" + image] + program


def to_apptainer(command):
    words = shlex.split(command)
    new = _rest(words[2:])
    how = "run" if new[-1].startswith("docker://") else "exec"
    return shlex.join(["apptainer", how] + new)
