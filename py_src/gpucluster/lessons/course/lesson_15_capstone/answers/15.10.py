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
# ~ name.isdigit => is_dir

# %% wrong always_version_1
# fails: It returns the number of the new version, one more than the highest
# -     version = max([int(one.name) for one in folder.iterdir() if one.name.isdigit()], default=0) + 1
# +     version = 1

# %% wrong b_no_parents: Fails where the repository does not exist yet, which it may not.
# fails: It runs without an error: FileNotFoundError
# ~ parents=True, exist_ok => exist_ok

# %% wrong b_old_removed: Removes older versions, which stay.
# fails: Publishing a model again creates the next version and keeps the old one
# -     place.mkdir(exist_ok=True)
# +     for old in [one for one in folder.iterdir() if one.is_dir()]:
# +         shutil.rmtree(old)
# +     place.mkdir()
import shutil

# %% wrong b_text_version: Returns the folder of the version, not its number.
# fails: What it returns is one number
# ~ return version => return place

# %% wrong batch_of_one
# fails: max_batch_size is the largest batch
# ~ max_batch_size: {largest} => max_batch_size: 1

# %% wrong c_any_columns: Any number of columns is taken.
# fails: There is one input, of the right type, and its dims are those of one row
# ~ {len(model["columns"])} => -1

# %% wrong c_columns_left_out: Model.json has the numbers of the model, and not the names of its columns.
# fails: model.json is the model of this version
# ~ json.dumps(model) => json.dumps({key: model[key] for key in model if key != "columns"})

# %% wrong c_double_input: The input has TYPE_FP64.
# fails: There is one input, of the right type, and its dims are those of one row
# ~ "FEATURES" data_type: TYPE_FP32 => "FEATURES" data_type: TYPE_FP64

# %% wrong c_double_output: The output has TYPE_FP64.
# fails: There is one output, of the right type, and its dims are those of one row
# ~ "CHANCE" data_type: TYPE_FP32 => "CHANCE" data_type: TYPE_FP64

# %% wrong c_rows_in_dims: The dims of the input have a place for the rows as well.
# fails: There is one input, of the right type, and its dims are those of one row
# ~ dims: [ {len => dims: [ -1, {len

# %% wrong c_rows_in_output: The dims of the output have a place for the rows as well.
# fails: There is one output, of the right type, and its dims are those of one row
# ~ dims: [ 1 ] => dims: [ -1, 1 ]

# %% wrong c_text_of_a_dictionary: Model.json has Python's text of the dictionary, which is no JSON.
# fails: The repository follows the rules of the server
# ~ json.dumps(model) => str(model)

# %% wrong configuration_written_once: Leaves a configuration that is there: a new version may have other columns.
# fails: There is one input, of the right type, and its dims are those of one row
# -     (folder / "config.pbtxt").write_text(f"""name: "{name}"
# +     config = folder / "config.pbtxt"
# +     if not config.exists():
# +         config.write_text(f"""name: "{name}"

# %% wrong program_of_the_lesson: Does not look at the program that it is given.
# fails: model.py is the program
# ~ write_text(program) => write_text(PROGRAM)
from gpucluster.lessons.material.modelprogram import PROGRAM
