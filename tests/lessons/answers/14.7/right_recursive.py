"""Style: recursion by the first word, shlex for quotes, --channel in the result left short."""

import shlex


def _name(word):
    return word if word[-1] not in "=<>!" and not any(c in word for c in "=<>!") else _name(word[:-1])


def _walk(words, rules):
    match words:
        case []:
            return [], []
        case ["-c" | "--channel", _, *rest]:
            return _walk(rest, rules)
        case ["-n", env, *rest]:
            options, packages = _walk(rest, rules)
            return ["-n", env] + options, packages
        case [word, *rest]:
            options, packages = _walk(rest, rules)
            if word.startswith("-"):
                return [word] + options, packages
            name = _name(word)
            new = rules.get(name, name)
            return options, packages if new is None else [new] + packages


def modernise(command, rules, channels):
    conda, what, *words = shlex.split(command)
    options, packages = _walk(words, rules)
    for channel in reversed(list(channels)):
        options = ["-c", channel] + options
    return shlex.join([conda, what, *options, *packages])
