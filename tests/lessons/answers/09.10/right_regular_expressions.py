import re
import shlex


def read_launch(line):
    before, program = re.fullmatch(r"(.*?)\s(python\s.*)", line).groups()
    ranks = int(re.search(r"-np\s+(\d+)", before)[1])
    settings = [word for word in shlex.split(before) if re.match(r"[A-Z_0-9]+=", word)]
    environment = {}
    for setting in settings:
        name, value = setting.split("=", maxsplit=1)
        environment[name] = value
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": shlex.split(program)}
