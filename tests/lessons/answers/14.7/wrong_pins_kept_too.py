"""Packages without a rule keep their pins."""

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
            new = rules.get(re.split("[=<>!]", word)[0], word)
            if new is not None:
                packages.append(new)
    return " ".join(head + kept + [w for c in channels for w in ("-c", c)] + packages)
