"""One regular expression for an option and its value."""

import re

SHORT = {
    "-A": "account",
    "-c": "cpus-per-task",
    "-J": "job-name",
    "-N": "nodes",
    "-n": "ntasks",
    "-o": "output",
    "-p": "partition",
    "-t": "time",
}
OPTION = re.compile(r"(?:^|(?<=\s))(--[\w-]+|-\w)(?:=(\S*)|\s+([^-#\s]\S*))?")


def directives(script):
    head = re.split(r"^[ \t]*[^#\s].*$", script, maxsplit=1, flags=re.MULTILINE)[0]
    found = {}
    for line in re.findall(r"^#SBATCH (.*)$", head, re.MULTILINE):
        line = re.split(r"(?:^|\s)#", line)[0]
        for option, joined, apart in OPTION.findall(line):
            found[SHORT.get(option, option.lstrip("-"))] = joined or apart or True
    return found
