"""Style: a deque that is eaten from the left; binds, variables and the rest collected in groups."""

from collections import deque
from shlex import quote, split


def to_apptainer(command):
    queue = deque(split(command))
    queue.popleft(), queue.popleft()
    binds, variables, folder, gpus = [], [], [], []
    goes = {
        "-v": binds,
        "--volume": binds,
        "-e": variables,
        "--env": variables,
        "-w": folder,
        "--workdir": folder,
        "--gpus": gpus,
    }
    while queue[0][0] == "-":
        word = queue.popleft()
        if word in {"--rm", "-i", "-t", "-it", "-d"}:
            continue
        if word.startswith("--") and "=" in word:
            word, _, value = word.partition("=")
        else:
            value = queue.popleft()
        goes.get(word, []).append(value)
    image = queue.popleft()
    text = "apptainer " + ("exec" if queue else "run") + (" --nv" if gpus else "")
    for option, values in (("--bind", binds), ("--env", variables), ("--pwd", folder[-1:])):
        for value in values:
            text += f" {option}={quote(value)}"
    return " ".join([text, quote("docker://" + image), *map(quote, queue)])
