# %% right regular_expressions
import re
import shlex


def read_launch(line):
    before, program = re.fullmatch(r"(.*?)\s(python\s.*)", line).groups()
    ranks = int(re.search(r"-np\s+(\d+)", before)[1])
    settings = [word for word in shlex.split(before) if re.match(r"[A-Z_0-9]+=", word)]
    environment = {}
    for setting in settings:
        name, value = setting.split("=", maxsplit=1)
        environment[name] = value
    return {"ranks": ranks, "workers": ranks - 2, "environment": environment, "program": shlex.split(program)}

# %% right slices
from shlex import split


def read_launch(line):
    words = split(line)
    start = words.index("python")
    launcher, program = words[:start], words[start:]
    ranks = int(launcher[launcher.index("-np") + 1])
    variables = (word.partition("=") for word in launcher if not word.startswith("-"))
    environment = {name: value for name, sign, value in variables if sign}
    return {"ranks": ranks, "workers": max(0, ranks - 2), "environment": environment, "program": program}

# %% wrong all_words_are_variables
# fails: environment has each NAME=VALUE before the program, and no other
# ~ shlex.split(before) if re.match(r"[A-Z_0-9]+=", word) => shlex.split(line) if "=" in word

# %% wrong one_rank_too_few_taken
# fails: workers are the ranks except the scheduler's and the client's
# ~ ranks - 2 => ranks - 1

# %% wrong last_np
# fails: ranks is the number after -np of the launcher, as an int
# ~ re.search(r"-np\s+(\d+)", before)[1] => re.findall(r"-np\s+(\d+)", line)[-1]

# %% wrong hard_coded
# fails: ranks is the number after -np of the launcher, as an int
def read_launch(line):
    return {
        "ranks": 4,
        "workers": 2,
        "environment": {"LD_PRELOAD": "/opt/mpi/lib64/libmpi.so", "MV2_USE_CUDA": "1"},
        "program": ["python", "cupy_sum_mpi.py"],
    }

# %% wrong program_is_text
# fails: program is the list of words from python onwards
# ~ shlex.split(program) => program

# %% wrong ranks_as_text
# fails: ranks is the number after -np of the launcher, as an int
# ~ "ranks": ranks => "ranks": str(ranks)
