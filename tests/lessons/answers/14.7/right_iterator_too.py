"""Style: an iterator over the words, next() for values, re.split for the name."""

import re


def modernise(command, rules, channels):
    words = iter(command.split())
    head = [next(words), next(words)]
    kept, packages = [], []
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
    return " ".join(head + kept + [w for c in channels for w in ("-c", c)] + packages)
