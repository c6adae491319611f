# %% right dictionary: A dictionary; an unknown label is an error.
import numpy as np


def distinct(block):
    return list(dict.fromkeys(block.tolist()))


def encode(block, categories):
    number = {label: code for code, label in enumerate(categories.tolist())}
    return np.array([number[label] for label in block.tolist()])

# %% right objects: Plain Python objects in an array; comparing with all categories at once.
# ~ return list(dict.fromkeys(block.tolist())) => return np.array(sorted(set(block.tolist())), dtype=object)
# -     number = {label: code for code, label in enumerate(categories.tolist())}
# -     return np.array([number[label] for label in block.tolist()])
# +     same = np.asarray(block)[:, None] == np.asarray(categories)[None, :]
# +     return np.where(same.any(axis=1), same.argmax(axis=1), -1).astype("int16")

# %% right pandas: Categories of pandas: an unknown label becomes -1.
# ~ numpy as np => pandas as pd
# ~ list(dict.fromkeys(block.tolist())) => pd.Series(block).drop_duplicates().to_numpy()
# -     number = {label: code for code, label in enumerate(categories.tolist())}
# -     return np.array([number[label] for label in block.tolist()])
# +     return pd.Categorical(block, categories=categories).codes

# %% wrong all_rows: Sends all rows.
# fails: distinct returns each label of a block once
# ~ list(dict.fromkeys(block.tolist())) => block

# %% wrong b_cut_words: Cuts the categories to the length of the block's words, so an unknown short word gets the code of a longer one.
# fails: A label missing from categories gets no valid code: an error, or −1
# ~ list(dict.fromkeys(block.tolist())) => np.unique(block)
def encode(block, categories):
    known = np.asarray(categories).astype(block.dtype).tolist()
    return np.array([known.index(label) if label in known else -1 for label in block.tolist()], dtype=int)

# %% wrong b_from_one: Codes begin with 1, but a code is the place in categories.
# fails: Codes run from 0 to the number of categories − 1
# ~ enumerate(categories.tolist()) => enumerate(categories.tolist(), start=1)

# %% wrong b_own_numbers: Each block numbers its own words and does not use the merged list.
# fails: The same label has the same code in every block
# ~ enumerate(categories.tolist()) => enumerate(np.unique(block).tolist())

# %% wrong c_two_letters: Keeps the first two letters of each word.
# fails: No label of the block is missing, and none is added
# ~ list(dict.fromkeys(block.tolist())) => sorted({label[:2] if isinstance(label, str) else label for label in block.tolist()})

# %% wrong hash: A hash: two labels may share a code, and codes mean nothing.
# fails: categories[code] is the label
# -     return np.array([number[label] for label in block.tolist()])
# +     return np.array([sum(map(ord, str(label))) % len(categories) for label in block.tolist()])

# %% wrong text_of_numbers: Numbers become text.
# fails: Labels keep their type: strings or integers
# ~ return list(dict.fromkeys(block.tolist())) => return np.unique(block.astype(str))
