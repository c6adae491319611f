"""If an option comes twice, the first one counts."""

from gpucluster.lessons.material.batchscripts import SHORT


def directives(script):
    asked = {}
    for line in script.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        if not line.startswith("#SBATCH "):
            continue
        own, waiting = {}, None
        for word in line.split()[1:]:
            if word.startswith("#"):
                break
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                waiting = SHORT.get(name, name.lstrip("-"))
                own[waiting] = value if equals else True
            elif waiting:
                own[waiting] = word
        for name, value in own.items():
            asked.setdefault(name, value)
    return asked
