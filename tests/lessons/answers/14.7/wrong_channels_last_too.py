"""Writes the channels after the packages."""

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
            new = rules.get(name, name)
            if new is not None:
                packages.append(new)
    return " ".join(head + kept + packages + [w for c in channels for w in ("-c", c)])
