"""Packages whose rule is None stay (rules.get(name) or name)."""

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
            packages.append(rules.get(name) or name)
    return " ".join(head + kept + [w for c in channels for w in ("-c", c)] + packages)
