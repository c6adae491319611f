"""Answers to exercise 15.10."""

# %% right only_numbers: Only folders with numbers are versions.
import json


def publish(repository, name, model, program, largest):
    folder = repository / name
    folder.mkdir(parents=True, exist_ok=True)
    version = max([int(one.name) for one in folder.iterdir() if one.name.isdigit()], default=0) + 1
    place = folder / str(version)
    place.mkdir(exist_ok=True)
    (folder / "config.pbtxt").write_text(f"""name: "{name}"
backend: "python"
max_batch_size: {largest}
input [ {{ name: "FEATURES" data_type: TYPE_FP32 dims: [ {len(model["columns"])} ] }} ]
output [ {{ name: "CHANCE" data_type: TYPE_FP32 dims: [ 1 ] }} ]
""")
    (place / "model.py").write_text(program)
    (place / "model.json").write_text(json.dumps(model))
    return version

# %% right repeated_fields
# edit of right only_numbers
# ~ name.isdigit => is_dir
# -     (folder / "config.pbtxt").write_text(f"""name: "{name}"
# - backend: "python"
# +     (folder / "config.pbtxt").write_text(f"""# repeated fields, one by one
# + name: '{name}',
# + backend: 'python';
# - input [ {{ name: "FEATURES" data_type: TYPE_FP32 dims: [ {len(model["columns"])} ] }} ]
# - output [ {{ name: "CHANCE" data_type: TYPE_FP32 dims: [ 1 ] }} ]
# + input {{
# +   name: "FEATURES"
# +   data_type: TYPE_FP32
# +   dims: {len(model["columns"])}
# + }}
# + output: {{ name: "CHANCE", data_type: TYPE_FP32, dims: 1 }}
# + instance_group [ {{ kind: KIND_CPU count: 1 }} ]

# %% right text
# edit of right only_numbers
# ~ name.isdigit => is_dir

# %% wrong always_version_1
# fails: It returns the number of the new version, one more than the highest
# edit of right only_numbers
# -     version = max([int(one.name) for one in folder.iterdir() if one.name.isdigit()], default=0) + 1
# +     version = 1

# %% wrong b_batch_fixed: Max_batch_size is always 256, the number of the example.
# fails: max_batch_size is the largest batch
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
max_batch_size: {256}
input [
  {{
    name: "FEATURES"
    data_type: TYPE_FP32
    dims: [ {len(model["columns"])} ]
  }}
]
output [
  {{
    name: "CHANCE"
    data_type: TYPE_FP32
    dims: [ {1} ]
  }}
]
""")
    return version

# %% wrong b_rows_in_dims: The dims have the rows, too, but they leave the rows out.
# fails: There is one input, of the right type, and its dims are those of one row
# edit of wrong b_batch_fixed
# ~ max_batch_size: {256} => max_batch_size: {largest}
# ~ dims: [ {len(model["columns"])} ] => dims: [ {"-1, " + str(len(model["columns"]))} ]
# ~ dims: [ {1} ] => dims: [ {"-1, 1"} ]

# %% wrong b_no_parents: Fails where the repository does not exist yet, which it may not.
# fails: It runs without an error: FileNotFoundError
# edit of wrong b_batch_fixed
# ~ home.mkdir(parents=True, exist_ok=True) => home.mkdir(exist_ok=True)
# ~ max_batch_size: {256} => max_batch_size: {largest}

# %% wrong b_old_removed: Removes older versions, which stay.
# fails: A model that is published again gets the next version, and the old one stays
# edit of wrong b_batch_fixed
# ~ mkdir(exist_ok=True) => mkdir()
# ~ max_batch_size: {256} => max_batch_size: {largest}
# - import json
# + import json
# + import shutil
# -     version = 1 + max((int(entry.name) for entry in home.iterdir() if entry.name.isdigit()), default=0)
# +     version = 1 + max((int(entry.name) for entry in home.iterdir() if entry.name.isdigit()), default=0)
# +     for old in home.iterdir():
# +         if old.is_dir():
# +             shutil.rmtree(old)

# %% wrong b_text_version: Returns the folder of the version, not its number.
# fails: What it returns is one number
# edit of wrong b_batch_fixed
# ~ max_batch_size: {256} => max_batch_size: {largest}
# ~ return version => return folder

# %% wrong batch_of_one
# fails: max_batch_size is the largest batch
# edit of right text
# ~ max_batch_size: {largest} => max_batch_size: 1

# %% wrong c_any_columns: Any number of columns is taken.
# fails: There is one input, of the right type, and its dims are those of one row
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
        "    data_type: TYPE_FP32",
        "    dims: [ -1 ]",
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

# %% wrong c_columns_left_out: Model.json has the numbers of the model, and not the names of its columns.
# fails: model.json is the model of this version
# edit of wrong c_any_columns
# ~ "    dims: [ -1 ]" => f"    dims: [ {len(model['columns'])} ]"
# ~ dumps(model) => dumps({key: model[key] for key in model if key != "columns"})

# %% wrong c_double_input: The input has TYPE_FP64.
# fails: There is one input, of the right type, and its dims are those of one row
# edit of wrong c_any_columns
# -         "    data_type: TYPE_FP32",
# -         "    dims: [ -1 ]",
# +         "    data_type: TYPE_FP64",
# +         f"    dims: [ {len(model['columns'])} ]",

# %% wrong c_double_output: The output has TYPE_FP64.
# fails: There is one output, of the right type, and its dims are those of one row
# edit of wrong c_any_columns
# ~ "    dims: [ -1 ]" => f"    dims: [ {len(model['columns'])} ]"
# -         '    name: "CHANCE"',
# -         "    data_type: TYPE_FP32",
# +         '    name: "CHANCE"',
# +         "    data_type: TYPE_FP64",

# %% wrong c_rows_in_dims: The dims of the input have a place for the rows as well.
# fails: There is one input, of the right type, and its dims are those of one row
# edit of wrong c_any_columns
# ~ "    dims: [ -1 ]" => f"    dims: [ -1, {len(model['columns'])} ]"

# %% wrong c_rows_in_output: The dims of the output have a place for the rows as well.
# fails: There is one output, of the right type, and its dims are those of one row
# edit of wrong c_any_columns
# ~ "    dims: [ -1 ]" => f"    dims: [ {len(model['columns'])} ]"
# ~ "    dims: [ 1 ]", => "    dims: [ -1, 1 ]",

# %% wrong c_text_of_a_dictionary: Model.json has Python's text of the dictionary, which is no JSON.
# fails: The repository follows the rules of the server
# edit of wrong c_columns_left_out
# ~ write_text(json.dumps({key: model[key] for key in model if key != "columns"})) => write_text(str(model))

# %% wrong configuration_written_once: Leaves a configuration that is there: a new version may have other columns.
# fails: There is one input, of the right type, and its dims are those of one row
# edit of right text
# -     (folder / "config.pbtxt").write_text(f"""name: "{name}"
# +     config = folder / "config.pbtxt"
# +     if not config.exists():
# +         config.write_text(f"""name: "{name}"

# %% wrong program_of_the_lesson: Does not look at the program that it is given.
# fails: model.py is the program
# edit of right text
# ~ write_text(program) => write_text(PROGRAM)
# - import json
# + import json
# +
# + from gpucluster.lessons.material.modelprogram import PROGRAM
