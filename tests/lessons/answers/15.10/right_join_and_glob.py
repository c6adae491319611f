import json
import os
import re


def publish(repository, name, model, program, largest):
    home = os.path.join(str(repository), name)
    os.makedirs(home, exist_ok=True)
    version = 1 + max((int(one) for one in os.listdir(home) if re.fullmatch("[0-9]+", one)), default=0)
    os.makedirs(os.path.join(home, str(version)))

    def tensor(kind, title, size):
        return kind + ' [{ name: "' + title + '", data_type: TYPE_FP32, dims: [' + str(size) + "] }]"

    lines = [
        'backend: "python"',
        "max_batch_size: " + str(largest),
        tensor("input", "FEATURES", len(model["weights"])),
        tensor("output", "CHANCE", 1),
    ]
    files = {"config.pbtxt": "\n".join(lines), f"{version}/model.py": program}
    files[f"{version}/model.json"] = json.dumps(model)
    for file, text in files.items():
        with open(os.path.join(home, file), "w", encoding="utf-8") as target:
            target.write(text)
    return version
