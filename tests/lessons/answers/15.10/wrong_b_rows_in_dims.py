"""Wrong: the dims have the rows, too, but they leave the rows out."""

import json


def publish(repository, name, model, program, largest):
    home = repository / name
    home.mkdir(parents=True, exist_ok=True)
    version = 1 + max((int(entry.name) for entry in home.iterdir() if entry.name.isdigit()), default=0)
    folder = home / str(version)
    folder.mkdir(exist_ok=True)
    (folder / "model.py").write_text(program)
    (folder / "model.json").write_text(json.dumps(model))
    (home / "config.pbtxt").write_text(f"""name: "{name}"
backend: "python"
max_batch_size: {largest}
input [
  {{
    name: "FEATURES"
    data_type: TYPE_FP32
    dims: [ {"-1, " + str(len(model["columns"]))} ]
  }}
]
output [
  {{
    name: "CHANCE"
    data_type: TYPE_FP32
    dims: [ {"-1, 1"} ]
  }}
]
""")
    return version
