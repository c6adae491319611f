"""Wrong: the input has TYPE_FP64."""

import json


def publish(repository, name, model, program, largest):
    home = repository / name
    home.mkdir(parents=True, exist_ok=True)
    lines = [
        f'name: "{name}"',
        'backend: "python"',
        f"max_batch_size: {largest}",
        "input [",
        "  {",
        '    name: "FEATURES"',
        "    data_type: TYPE_FP64",
        f"    dims: [ {len(model['columns'])} ]",
        "  }",
        "]",
        "output [",
        "  {",
        '    name: "CHANCE"',
        "    data_type: TYPE_FP32",
        "    dims: [ 1 ]",
        "  }",
        "]",
    ]
    (home / "config.pbtxt").write_text("\n".join(lines) + "\n")
    version = 1 + max(
        (int(entry.name) for entry in home.iterdir() if entry.is_dir() and entry.name.isdigit()), default=0
    )
    (home / str(version)).mkdir()
    (home / str(version) / "model.py").write_text(program)
    (home / str(version) / "model.json").write_text(json.dumps(model))
    return version
