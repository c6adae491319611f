"""argparse knows what begins with a dash."""

import argparse

SHORT = {
    "-A": "account",
    "-c": "cpus-per-task",
    "-J": "job-name",
    "-N": "nodes",
    "-n": "ntasks",
    "-o": "output",
    "-p": "partition",
    "-t": "time",
}


def words_of(script):
    for line in script.splitlines():
        text = line.strip()
        if text and text[0] != "#":
            return
        if line.startswith("#SBATCH "):
            for word in text.split()[1:]:
                if word[0] == "#":
                    break
                yield word


def directives(script):
    words = list(words_of(script))
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    known = set()
    for word in words:
        name = word.split("=", 1)[0]
        if name.startswith("-") and name not in known:
            known.add(name)
            parser.add_argument(name, nargs="?", const=True, action="append", dest=SHORT.get(name, name.lstrip("-")))
    found = {}
    for name, values in vars(parser.parse_args(words)).items():
        if values:
            found[name] = values[-1]
    return found
