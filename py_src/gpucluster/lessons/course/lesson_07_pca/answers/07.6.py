import numpy as np

# %% right delayed
import dask


def tall_svd(client, parts):
    level = [dask.delayed(np.linalg.qr)(part, mode="r") for part in parts]
    levels = [len(level)]
    while len(level) > 1:
        level = [
            dask.delayed(lambda pair: np.linalg.qr(np.vstack(pair), mode="r"))(level[i : i + 2])
            for i in range(0, len(level), 2)
        ]
        levels.append(len(level))
    R = client.compute(level[0]).result()
    _, values, Vt = np.linalg.svd(R, full_matrices=True)
    return list(values), Vt, levels

# %% right reversed_pairs
def r_of(*blocks):
    return np.linalg.qr(np.vstack(blocks), mode="r")


def tall_svd(client, parts):
    level, levels = client.map(r_of, parts, pure=False), [len(parts)]
    while levels[-1] > 1:
        odd = level[-1:] if len(level) % 2 else []
        level = [
            client.submit(r_of, two, one, pure=False) for one, two in zip(level[::2], level[1::2], strict=False)
        ] + odd
        levels.append(len(level))
    values, Vt = client.submit(lambda R: np.linalg.svd(R)[1:], level[0], pure=False).result()
    return values, Vt, levels

# %% wrong all_at_once, edit of right reversed_pairs
# fails: levels counts the matrices of each level: one per block, then merged pairs until one is left
def tall_svd(client, parts):
    level = client.map(r_of, parts, pure=False)
    R = client.submit(r_of, *level, pure=False).result()
    _, values, Vt = np.linalg.svd(R)
    return values, Vt, [len(parts), 1]

# %% wrong b_ascending: The smallest singular value is first, but 'largest first' is asked.
# fails: The singular values equal those of the whole table, to 1e-8
# ~ list(values), Vt => values[::-1], Vt[::-1]

# %% wrong b_chain: Joins one R after the other, so levels are 7, 6, 5 … and not 7, 4, 2, 1.
# fails: levels counts the matrices of each level: one per block, then merged pairs until one is left
# ~ range(0, len(level), 2) => [0]
# -         ]
# +         ] + level[2:]

# %% wrong b_diagonal: Takes the diagonal of R for the singular values, but its SVD is asked.
# fails: The singular values equal those of the whole table, to 1e-8
# ~ list(values), Vt => np.sort(np.abs(np.diag(R)))[::-1], Vt

# %% wrong b_no_first_level: Levels begins after the first join, but how many there were 'on each level' is asked.
# fails: levels counts the matrices of each level: one per block, then merged pairs until one is left
# ~ levels = [len(level)] => levels = []

# %% wrong b_odd_lost: The last R of an odd level is lost, but the table is all that 'the parts make up'.
# fails: The singular values equal those of the whole table, to 1e-8
# ~ range(0, len(level), 2) => range(0, len(level) - 1, 2)

# %% wrong b_products: Joins XᵀX of the blocks, which squares the table; 'do not form XᵀX'.
# fails: Even the smallest one is right, although it is a billion times smaller than the largest
# ~ np.linalg.qr)(part, mode="r") => lambda block: block.T @ block)(part)
# ~ np.linalg.qr(np.vstack(pair), mode="r") => sum(pair)
# ~ list(values), Vt => np.sqrt(values), Vt

# %% wrong b_r_added: Two R are added, but their stack is to be decomposed.
# fails: It runs without an error: ValueError
# ~ np.linalg.qr(np.vstack(pair), mode="r") => sum(pair)

# %% wrong b_v: Returns V with directions as columns, but Vt is asked.
# fails: Row i of Vt is the direction along which the table has the singular value i
# ~ list(values), Vt => list(values), Vt.T

# %% wrong c_chain_with_levels_of_a_tree, edit of right reversed_pairs: Each R is joined to what was joined before, one after the other; the levels are only computed.
# fails: The merges form a tree, not a chain: few tasks wait for each other
# ~ np.vstack => np.concatenate
def tall_svd(client, parts):
    first, *others = client.map(r_of, parts)
    for other in others:
        first = client.submit(r_of, first, other)
    levels = [len(parts)]
    while levels[-1] > 1:
        levels.append((levels[-1] + 1) // 2)
    _, values, Vt = np.linalg.svd(first.result())
    return values, Vt, levels

# %% wrong c_rs_gathered, edit of wrong c_chain_with_levels_of_a_tree: No tree; all Rs come to the notebook, and the levels are only computed.
# fails: Pairs are merged on the workers
# ~ r_of(*blocks) => r_of(block)
# ~ np.concatenate(blocks) => block
# ~ first.result() => np.concatenate(all_of_them), full_matrices=False
# -     first, *others = client.map(r_of, parts)
# -     for other in others:
# -         first = client.submit(r_of, first, other)
# +     all_of_them = client.gather(client.map(r_of, parts))

# %% wrong stacked_on_a_worker, edit of right delayed: All rows in one place, and levels that are made up.
# fails: No task reads more than one block, or more than two matrices
def tall_svd(client, parts):
    values, Vt = client.submit(
        lambda blocks: np.linalg.svd(np.concatenate(blocks), full_matrices=False)[1:], parts, pure=False
    ).result()
    levels = [len(parts)]
    while levels[-1] > 1:
        levels.append(-(-levels[-1] // 2))
    return values, Vt, levels
