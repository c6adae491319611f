"""Only = ends a name."""


def modernise(command, rules, channels):
    words = command.split()
    kept, packages = words[:2], []
    words = words[2:]
    while words:
        word = words.pop(0)
        if word in ("-c", "--channel"):
            words.pop(0)
        elif word == "-n":
            kept += [word, words.pop(0)]
        elif word.startswith("-"):
            kept.append(word)
        else:
            name = word
            for sign in "=":
                name = name.split(sign)[0]
            new = rules.get(name, name)
            if new is not None:
                packages.append(new)
    for channel in channels:
        kept += ["-c", channel]
    return " ".join(kept + packages)
