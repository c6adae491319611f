# %% right replace
import os


def score_month(table, chance, folder, name):
    beside = folder / f".{name}.part"
    table.assign(chance=chance(table)).to_parquet(beside, index=False)
    os.replace(beside, folder / f"{name}.parquet")
    return len(table)

# %% right cleans_up
def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    part = folder / (name + ".unfinished")
    try:
        scored.to_parquet(str(part), index=False)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.rename(folder / (name + ".parquet"))
    return len(scored)

# %% right d_elsewhere: Written into a separate folder inside the folder, which is gone at the end.
import tempfile
from pathlib import Path


def score_month(table, chance, folder, name):
    scored = table.assign(chance=chance(table))
    with tempfile.TemporaryDirectory(dir=folder) as other:
        part = Path(other) / "part"
        scored.to_parquet(part)
        part.replace(folder / (name + ".parquet"))
    return len(scored)

# %% wrong a_file_each_time
# fails: After a run, nothing else is in the folder
# -     os.replace(beside, folder / f"{name}.parquet")
# +     os.replace(beside, folder / f"{name}.parquet")
# +     os.link(folder / f"{name}.parquet", folder / f"{name}-{os.urandom(8).hex()}.parquet")

# %% wrong appends
# fails: The second run writes each flight once
# -     table.assign(chance=chance(table)).to_parquet(beside, index=False)
# +     scored, file = table.assign(chance=chance(table)), folder / f"{name}.parquet"
# +     if file.exists():
# +         scored = pd.concat([pd.read_parquet(file), scored])
# +     scored.to_parquet(beside, index=False)
import pandas as pd

# %% wrong b_adds_column: Adds the column to the given table, which must not change.
# fails: Inputs are not modified
# -     table.assign(chance=chance(table)).to_parquet(beside, index=False)
# +     table["chance"] = chance(table)
# +     table.to_parquet(beside, index=False)

# %% wrong b_chance_only: Writes only the chance, but all columns of the table are to be written.
# fails: The columns are those of the table, and chance
# ~ table.assign => table[[]].assign

# %% wrong b_half_parquet: The file beside ends with .parquet and stays there, half written, when writing fails.
# fails: No file that ends with .parquet is partial
# ~ ".{name}.part" => "{name}.new.parquet"

# %% wrong b_in_place: Writes into the file itself, so a failure in the middle leaves half a file and not the one of the run before.
# fails: A failed run does not change the file of the last good run
# ~ ".{name}.part" => "{name}.parquet"

# %% wrong b_keeps_first: Does nothing where the file exists, but it must have what the last call gave.
# fails: The corrected run writes each flight once
# - def score_month(table, chance, folder, name):
# + def score_month(table, chance, folder, name):
# +     if (folder / f"{name}.parquet").exists():
# +         return len(table)

# %% wrong b_late_only: Returns the number of likely late flights, not the number of rows.
# fails: It returns the number of flights
# ~ len(table) => int((chance(table) > 0.5).sum())

# %% wrong b_old_removed: Removes the old file before it writes the new one, so a failure loses the run before.
# fails: A failed run does not change the file of the last good run
# - def score_month(table, chance, folder, name):
# + def score_month(table, chance, folder, name):
# +     (folder / f"{name}.parquet").unlink(missing_ok=True)

# %% wrong b_silent, edit of right cleans_up: Swallows the error of a full disk and returns 0, but the error has to come out.
# fails: If the file cannot be written, the error is not hidden
# ~ BaseException => OSError
# ~ raise => return 0

# %% wrong b_sorted: The highest chances come first, but the rows stay in the order of the table.
# fails: The flights are in order, with their values
# ~ to_parquet => sort_values("chance", ascending=False).to_parquet

# %% wrong half_parquet_for_a_while, edit of right cleans_up: The half file ends with .parquet, until it is cleaned up.
# fails: No such file is partial during writing either: a crash cleans nothing up
# ~ folder / (name + ".unfinished") => folder / "beside.parquet"

# %% wrong restores_a_backup, edit of right cleans_up: Written under its final name; what was there comes back only if nothing crashes.
# fails: No such file is partial during writing either: a crash cleans nothing up
# -     part = folder / (name + ".unfinished")
# +     part = folder / (name + ".parquet")
# +     old = part.read_bytes() if part.exists() else None
# -         part.unlink(missing_ok=True)
# +         part.unlink(missing_ok=True)
# +         if old is not None:
# +             part.write_bytes(old)

# %% wrong single_precision: Writes the chances in 4 bytes.
# fails: chance is the model's probability for each flight, not rounded
# ~ chance(table) => chance(table).astype("float32")

# %% wrong suffix_replaced: `with_suffix` takes what stands behind a dot in the name for a suffix.
# fails: The file is the name and .parquet, in the folder
# ~ folder / f"{name}.parquet" => final
# -     beside = folder / f".{name}.part"
# +     final = (folder / name).with_suffix(".parquet")
# +     beside = final.with_suffix(".part")
