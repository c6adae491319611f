"""Right: a template with one line for each tensor, and os.path instead of Path."""

import json
import os
import re
from string import Template

CONFIG = Template("""\
name: "$name"
backend: "python"
max_batch_size: $largest
input: [{name: "FEATURES", data_type: TYPE_FP32, dims: [$columns]}]
output: [{name: "CHANCE", data_type: TYPE_FP32, dims: [1]}]
""")


def publish(repository, name, model, program, largest):
    home = os.path.join(repository, name)
    os.makedirs(home, exist_ok=True)
    versions = [int(entry) for entry in os.listdir(home) if re.fullmatch(r"[0-9]+", entry)]
    version = max(versions) + 1 if versions else 1
    folder = os.path.join(home, str(version))
    os.mkdir(folder)
    with open(os.path.join(folder, "model.py"), "w") as file:
        file.write(program)
    with open(os.path.join(folder, "model.json"), "w") as file:
        json.dump(model, file, indent=2)
    with open(os.path.join(home, "config.pbtxt"), "w") as file:
        file.write(CONFIG.substitute(name=name, largest=largest, columns=len(model["columns"])))
    return version
