"""An iterator, and re.split."""

import re


def modernise(command, rules, channels):
    first, second, *rest = command.split()
    words, options, packages = iter(rest), [], []
    for word in words:
        if word in {"-c", "--channel"}:
            next(words)
        elif word[0] == "-":
            options += [word, next(words)] if word == "-n" else [word]
        else:
            packages.append(re.split(r"[=<>!]", word)[0])
    new = [rules.get(name, name) for name in packages]
    sources = [part for channel in channels for part in ("-c", channel)]
    return " ".join([first, second, *options, *sources, *filter(None, new)])
