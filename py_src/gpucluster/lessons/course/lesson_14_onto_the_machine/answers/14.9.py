import shlex

# %% right words: A loop over words.
BECOMES = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}
GONE = {"-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}


def to_apptainer(command):
    words = shlex.split(command)[2:]
    options = []
    while words[0].startswith("-"):
        name, equals, value = words.pop(0).partition("=")
        if name in BECOMES or name in GONE or name == "--gpus":
            value = value if equals else words.pop(0)
        if name == "--gpus":
            options.append("--nv")
        elif name in BECOMES:
            options += [BECOMES[name], value]
    image, *program = words
    return ["apptainer", "exec" if program else "run", *options, "docker://" + image, *program]

# %% right d_queue: A queue of words, a table of names.
DROPPED = {"--gpus", "-u", "--user", "-p", "--publish", "--name", "--shm-size", "--network", "--ipc"}
SAME = {"-v": "--bind", "--volume": "--bind", "-w": "--pwd", "--workdir": "--pwd", "-e": "--env", "--env": "--env"}


def to_apptainer(command):
    words = shlex.split(command)[2:]
    out = []
    while words and words[0].startswith("-"):
        word = words.pop(0)
        name, equals, value = word.partition("=")
        if name in SAME or name in DROPPED:
            value = value if equals else words.pop(0)
        if name == "--gpus":
            out.append("--nv")
        if name in SAME:
            out += [SAME[name], value]
    image, *rest = words
    return ["apptainer", "exec" if rest else "run", *out, f"docker://{image}", *rest]

# %% right d_text, edit of right d_queue: A text, written by shlex.join.
# -     return ["apptainer", "exec" if rest else "run", *out, f"docker://{image}", *rest]
# +     return shlex.join(["apptainer", "exec" if rest else "run", *out, f"docker://{image}", *rest])

# %% wrong always_exec: exec, even without a program.
# fails: apptainer exec is used with a program, apptainer run without one
# ~ apptainer", "exec" if program else "run", *options, " => apptainer", "exec", *options, "

# %% wrong always_nv: --nv, always.
# fails: --nv is there where Docker's option was, with the same values in order
# ~ [] => ["--nv"]
# ~ options.append("--nv") => pass

# %% wrong equals_forgotten: Values behind = are not known.
# fails: --nv is there where Docker's option was, with the same values in order
# ~ pop(0).partition("=") => pop(0), "", ""

# %% wrong c_replaced_everywhere: Replaces options wherever they stand, even in the program's own words.
# fails: It runs without an error: IndexError
# ~ options = [] => options, rest = [], []
# ~ while words[0].startswith("-"): => while words:
# -             options += [BECOMES[name], value]
# -     image, *program = words
# +             options += [BECOMES[name], value]
# +         elif name not in GONE | {"--rm", "-it", "-i", "-t", "-d"}:
# +             rest.append(name + equals + value)
# +     image, *program = rest

# %% wrong d_joined_by_spaces, edit of right d_text: Words with spaces lose their quotes.
# fails: The image is Docker's, by its docker:// name
# ~ return shlex.join => return " ".join

# %% wrong cut_at_every_equals: A variable's value is cut.
# fails: --env is there where Docker's option was, with the same values in order
# ~ options += [BECOMES[name], value] => options += [BECOMES[name], "=".join(value.split("=")[:2])]

# %% wrong d_last_of_each, edit of right d_queue: The last of each option only: a dictionary by Apptainer's names.
# fails: --bind is there where Docker's option was, with the same values in order
# ~ out = [] => out, found = [], {}
# -             out += [SAME[name], value]
# +             found[SAME[name]] = value
# +     for name, value in found.items():
# +         out += [name, value]

# %% wrong d_user_kept, edit of right d_queue: The user stays; Apptainer has no such option.
# fails: The image is Docker's, by its docker:// name
# -             out.append("--nv")
# +             out.append("--nv")
# +         if name in ("-u", "--user"):
# +             out += ["--user", value]

# %% wrong no_docker_prefix: The image without docker://.
# fails: The image is Docker's, by its docker:// name
# ~ "docker://" + image => image

# %% wrong split_at_spaces: Quotes are not understood.
# fails: apptainer exec is used with a program, apptainer run without one
# ~ words = shlex.split(command)[2:] => words = command.split()[2:]

# %% wrong programs_options: The program's own options are translated.
# fails: The program and its own options stay as they are
# ~ program = words => program = [BECOMES.get(word, word) for word in words]
