"""Applies a rule to each package whose name begins with it (dask-ml is treated as dask)."""

import re


def modernise(command, rules, channels):
    words = iter(command.split())
    head, kept, packages = [next(words), next(words)], [], []
    for word in words:
        if word in ("-c", "--channel"):
            next(words)
        elif word == "-n":
            kept += [word, next(words)]
        elif word.startswith("-"):
            kept.append(word)
        else:
            name = re.split("[=<>!]", word)[0]
            new = name
            for old in sorted(rules, key=len, reverse=True):
                if name.startswith(old):
                    new = rules[old]
                    break
            if new is not None:
                packages.append(new)
    return " ".join(head + kept + [w for c in channels for w in ("-c", c)] + packages)
