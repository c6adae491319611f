"""Turns values that look like numbers into int."""

from gpucluster.lessons.material.batchscripts import SHORT


def directives(script):
    asked = {}
    for line in script.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
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
    return {k: int(v) if isinstance(v, str) and v.isdigit() else v for k, v in asked.items()}
