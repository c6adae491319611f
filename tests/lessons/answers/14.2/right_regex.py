"""Style: takewhile and regular expressions."""

import re
from itertools import takewhile

from gpucluster.lessons.material.batchscripts import SHORT

COMMENT = re.compile(r"\s*(#.*)?$")
OPTION = re.compile(r"(?<!\S)(--?[^\s=]+)(?:=(\S*)|[ \t]+([^\s#-]\S*))?")


def directives(script):
    head = takewhile(COMMENT.match, script.split("\n"))
    rest = [re.sub(r"\s#.*", "", line[7:]) for line in head if line[:8] == "#SBATCH "]
    found = {}
    for option, joined, apart in (m.groups() for line in rest for m in OPTION.finditer(line)):
        name = SHORT[option] if option in SHORT else option.lstrip("-")
        found[name] = joined if joined is not None else apart if apart is not None else True
    return found
