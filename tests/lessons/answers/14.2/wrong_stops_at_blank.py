"""Stops at a blank line."""

from gpucluster.lessons.material.batchscripts import SHORT


def directives(script):
    asked = {}
    for line in script.splitlines():
        if not line.startswith("#"):
            break
        if not line.startswith("#SBATCH "):
            continue
        waiting = None
        for word in line.split()[1:]:
            if word.startswith("#"):
                break
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                waiting = SHORT.get(name, name.lstrip("-"))
                asked[waiting] = value if equals else True
            elif waiting:
                asked[waiting] = word
    return asked
