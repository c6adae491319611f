"""Takes the environment's name after -n for a package, so that a rule or a pin changes it."""

import re


def modernise(command, rules, channels):
    words = iter(command.split())
    out, _started = [next(words), next(words)], False
    for word in words:
        if word in ("-c", "--channel"):
            next(words)
        elif word.startswith("-"):
            out.append(word)
        else:
            name = re.split("[=<>!]", word)[0]
            new = rules.get(name, name)
            if new is not None:
                out.append(new)
    return " ".join(out[:2] + [w for c in channels for w in ("-c", c)] + out[2:])
