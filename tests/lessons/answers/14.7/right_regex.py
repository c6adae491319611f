"""Style: takes the options out of the text with regular expressions, packages by a set."""

import re


def modernise(command, rules, channels):
    start = re.match(r"\s*conda\s+(install|create)\b", command)
    rest = command[start.end() :]
    rest = re.sub(r"(?<!\S)(-c|--channel)\s+\S+", " ", rest)
    options = re.findall(r"(?<!\S)-n\s+\S+|(?<!\S)-y(?!\S)", rest)
    rest = re.sub(r"(?<!\S)-n\s+\S+|(?<!\S)-\S+", " ", rest)
    names = {re.match(r"[^=<>!]+", word).group() for word in rest.split()}
    new = sorted({rules.get(name, name) for name in names} - {None})
    return " ".join([f"conda {start.group(1)}", *[f"-c {c}" for c in channels], *new, *options])
