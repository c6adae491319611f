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
# edit of the solution
# -     return np.unique(block)
# +     return block
import numpy as np

# %% wrong b_cut_words: Cuts the categories to the length of the block's words, so an unknown short word gets the code of a longer one.
# fails: A label that is not in categories gets no valid code: an error, or −1
# ~ list(dict.fromkeys(block.tolist())) => np.unique(block)
def encode(block, categories):
    known = np.asarray(categories).astype(block.dtype).tolist()
    return np.array([known.index(label) if label in known else -1 for label in block.tolist()], dtype=int)

# %% wrong b_from_one: Codes begin with 1, but a code is the place in categories.
# fails: Codes run from 0 to the number of categories − 1
# ~ return list(dict.fromkeys(block.tolist())) => return np.unique(block)
# ~ number[label] for label in block => code_of.get(label, -1) for label in np.asarray(block)
# -     number = {label: code for code, label in enumerate(categories.tolist())}
# +     code_of = {label: code for code, label in enumerate(np.asarray(categories).tolist(), start=1)}

# %% wrong b_own_numbers: Each block numbers its own words and does not use the merged list.
# fails: The same label has the same code in every block
# edit of right pandas
# ~ pandas as pd => numpy as np
# ~ return pd.Series(block).drop_duplicates().to_numpy() => return np.unique(block)
# ~ pd.Categorical(block, categories=categories).codes => np.unique(block, return_inverse=True)[1]

# %% wrong c_two_letters: Keeps the first two letters of each word.
# fails: No label of the block is missing, and none is added
# ~ number = {label: code for code => places = {label: place for place
# ~ number[label] => places.get(label, -1)
# -     return list(dict.fromkeys(block.tolist()))
# +     return sorted({label[:2] if isinstance(label, str) else label for label in block.tolist()})

# %% wrong hash: A hash: two labels may share a code, and codes mean nothing.
# fails: categories[code] gives the label back
# edit of wrong b_own_numbers
# -     return np.unique(block, return_inverse=True)[1]
# +     return np.array([sum(map(ord, str(label))) % len(categories) for label in block.tolist()])

# %% wrong text_of_numbers: Numbers become text.
# fails: Labels stay what they are: words, or whole numbers
# ~ return list(dict.fromkeys(block.tolist())) => return np.unique(block.astype(str))
