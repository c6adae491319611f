import re

# %% right iterator: An iterator, and re.split.
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

# %% right regex: Style: takes the options out of the text with regular expressions, packages by a set.
def modernise(command, rules, channels):
    start = re.match(r"\s*conda\s+(install|create)\b", command)
    rest = command[start.end() :]
    rest = re.sub(r"(?<!\S)(-c|--channel)\s+\S+", " ", rest)
    options = re.findall(r"(?<!\S)-n\s+\S+|(?<!\S)-y(?!\S)", rest)
    rest = re.sub(r"(?<!\S)-n\s+\S+|(?<!\S)-\S+", " ", rest)
    names = {re.match(r"[^=<>!]+", word).group() for word in rest.split()}
    new = sorted({rules.get(name, name) for name in names} - {None})
    return " ".join([f"conda {start.group(1)}", *[f"-c {c}" for c in channels], *new, *options])

# %% wrong beginnings, edit of the solution: A name that begins alike is taken for it.
# fails: All packages that the rules require are listed
# ~ new = rules.get(name, name) => new = next((new for known, new in rules.items() if name.startswith(known)), name)

# %% wrong channels_sorted, edit of the solution: Channels in the order of the alphabet.
# fails: The channels are the new ones, in order
# ~ in channels: => in sorted(channels):

# %% wrong channel_value_a_package, edit of wrong beginnings: The value of -c is taken for a package.
# fails: No others are listed, and no old pins
# ~ new = next((new for known, new in rules.items() if name.startswith(known)), name) => new = rules.get(name, name)
# -             words.pop(0)
# +             pass

# %% wrong channels_last, edit of the solution: Channels behind the packages.
# fails: The channels come before the packages
# ~ kept += ["-c", channel] => packages += ["-c", channel]

# %% wrong env_name: Takes the environment's name after -n for a package, so that a rule or a pin changes it.
# fails: Only -n with its name and -y stay
# ~ options += [word, next(words)] if word == "-n" else [word] => options.append(word)

# %% wrong not_renewed, edit of the solution: What has a new form is left out.
# fails: All packages that the rules require are listed
# ~ not None: => not None and name not in rules:

# %% wrong yes_lost, edit of the solution: -y is lost.
# fails: Only -n with its name and -y stay
# ~ kept.append(word) => pass
