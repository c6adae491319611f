"""Line by line, with more entries than asked for."""


def read_log(text):
    found = {"rates": [], "other": []}
    for line in iter(text.splitlines()):
        match line.split(":"):
            case ["Model", name]:
                found["model"] = name.strip()
            case ["Batch size", number]:
                found["batch"] = int(number)
            case ["Number of GPUs", number]:
                found["gpus"] = int(number)
            case [label, rest] if label.startswith("Iter"):
                found["rates"] += [float(rest[: rest.index("img")])]
            case _:
                found["other"].append(line)
    n = len(found["rates"])
    found["mean"] = sum(found["rates"]) / n
    found["spread"] = 1.96 * (sum((rate - found["mean"]) ** 2 for rate in found["rates"]) / n) ** 0.5
    return found | {"total": found["mean"] * found["gpus"]}
