# %% right pairs: Pairs.
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("A", 1), ("L", 1), ("I", 0)]

# %% right text_levels: Small letters.
order = [(letter.lower(), 1 if letter in "DBAL" else 0) for letter in "FHJGEDBALI"]

# %% right tuples: A tuple of lists.
order = tuple([letter, level] for letter, level in zip("FHJGEDBALI", [0] * 5 + [1] * 4 + [0], strict=True))

# %% wrong all_in_job: All lines at level 1, including those that come before the job.
# fails: No line that does not belong
order = [(letter, 1) for letter in "ABCDEFGH"]

# %% wrong audit_last: Looks after the workers have started.
# fails: Each line comes after the lines that it needs
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("L", 1), ("A", 1), ("I", 0)]

# %% wrong example: The example of the comment, as it stands there: letters that are no lines.
# fails: All letters are among A, B, C, D, E, F, G, H, I, J, K, L
order = [("X", 0), ("Y", 0), ("Z", 1)]

# %% wrong install_in_job: Installs in the job.
# fails: No line that does not belong
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("C", 1), ("D", 1), ("B", 1), ("A", 1), ("L", 1), ("I", 0)]

# %% wrong list_as_proof: conda list as proof.
# fails: No line that does not belong
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("K", 1), ("L", 1), ("I", 0)]

# %% wrong no_levels: Everything on one level.
# fails: Each line has its indentation
order = [(letter, 0) for letter in "FHJGEDBALI"]

# %% wrong one_line: Only one line of the way.
# fails: No line is missing
order = [("A", 0)]

# %% wrong one_missing: Imports are not checked.
# fails: No line is missing
order = [("F", 0), ("H", 0), ("J", 0), ("G", 0), ("E", 0), ("D", 1), ("B", 1), ("L", 1), ("I", 0)]
