"""argparse reads the old line, a list is returned."""

import argparse
import re


def modernise(command, rules, channels):
    program, action, *words = command.split()
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("-c", "--channel", action="append")
    parser.add_argument("-n")
    parser.add_argument("-y", action="store_true")
    found, packages = parser.parse_known_args(words)
    new = [program, action] + (["-y"] if found.y else []) + (["-n", found.n] if found.n else [])
    for channel in channels:
        new += ["-c", channel]
    for package in packages:
        name = re.match(r"[\w.-]+", package).group()
        renewed = rules.get(name, name)
        if renewed:
            new.append(renewed)
    return new
