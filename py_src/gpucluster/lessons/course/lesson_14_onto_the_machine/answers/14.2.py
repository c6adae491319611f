from gpucluster.lessons.material.batchscripts import SHORT

# %% right loop_too: Style: word by word with the name that waits for its value.
def directives(script):
    asked = {}
    for line in script.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        if not line.startswith("#SBATCH "):
            continue
        waiting = None
        for word in line.split()[1:]:
            if word.startswith("#"):
                break
            if word.startswith("-"):
                name, equals, value = word.partition("=")
                waiting = SHORT.get(name, name.lstrip("-"))
                asked[waiting] = value if equals else True
            elif waiting is not None:
                asked[waiting] = word
    return asked

# %% right regex: Style: takewhile and regular expressions.
import re
from itertools import takewhile


COMMENT = re.compile(r"\s*(#.*)?$")
OPTION = re.compile(r"(?<!\S)(--?[^\s=]+)(?:=(\S*)|[ \t]+([^\s#-]\S*))?")


def directives(script):
    head = takewhile(COMMENT.match, script.split("\n"))
    rest = [re.sub(r"\s#.*", "", line[7:]) for line in head if line[:8] == "#SBATCH "]
    found = {}
    for option, joined, apart in (m.groups() for line in rest for m in OPTION.finditer(line)):
        name = SHORT[option] if option in SHORT else option.lstrip("-")
        found[name] = joined if joined is not None else apart if apart is not None else True
    return found

# %% wrong no_space: Takes #SBATCHES for a directive (no space is asked for).
# fails: Comments that look like directives do not count
# ~ startswith("#SBATCH "): => startswith("#SBATCH"):

# %% wrong stops_at_blank: Stops at a blank line.
# fails: Blank lines and comments end nothing
# ~ line.strip() and not line.lstrip() => not line

# %% wrong comment_kept: Does not stop at a word that begins with #: the comment's words become values.
# fails: A comment after a directive is not part of its value
# -             if word.startswith("#"):
# -                 break

# %% wrong cut_at_every_equals: A value with = is cut.
# fails: A value may have a = in it
# ~ word.partition("=") => (word.replace("=", " = ").split() + ["", ""])[:3]

# %% wrong first_counts_too: If an option comes twice, the first one counts.
# fails: The later one counts
# ~ waiting = None => own, waiting = {}, None
# ~ asked[waiting] = value => own[waiting] = value
# -                 asked[waiting] = word
# +                 own[waiting] = word
# +         for name, value in own.items():
# +             asked.setdefault(name, value)

# %% wrong first_option_only: Only the first option of a line.
# fails: Short options
# ~ if word.startswith("#"): => if word.startswith("#") or (waiting and word.startswith("-")):

# %% wrong none_for_flags: Options without a value are None.
# fails: Options without a value are True
# ~ value if equals else True => value if equals else None

# %% wrong numbers: Turns values that look like numbers into int.
# fails: Both ways of writing a value
# -     return asked
# +     return {k: int(v) if isinstance(v, str) and v.isdigit() else v for k, v in asked.items()}

# %% wrong only_equals: A value after a space is lost.
# fails: Both ways of writing a value
# -             elif waiting is not None:
# -                 asked[waiting] = word

# %% wrong reads_on: Does not stop at the first command.
# fails: Lines below the first command do not count
# ~ if line.strip() and not line.lstrip().startswith("#"): => if False:

# %% wrong short_names_kept: Short options keep their names.
# fails: Short options
# ~ SHORT.get(name, name.lstrip("-")) => name.lstrip("-")
