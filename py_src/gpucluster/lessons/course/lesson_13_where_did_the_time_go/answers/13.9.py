# %% right as_given
order = [("C", 0), ("B", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("I", 1), ("K", 1), ("H", 1)]

# %% right c_measured_first: A text of letters and levels; measured again before the results are checked.
order = [(letter, int(level)) for letter, level in zip("CBAGEDKIH", "000111111", strict=True)]

# %% right lists
order = [["C", 0], ["B", 0], ["A", 0], ["G", 1], ["E", 1], ["D", 1], ["I", 1], ["K", 1], ["H", 1]]

# %% wrong all_at_once
# fails: No line that does not belong
order = [("C", 0), ("B", 0), ("A", 0), ("G", 1), ("E", 1), ("J", 1), ("I", 1), ("K", 1), ("H", 1)]

# %% wrong backwards
# fails: Each line comes after the lines that it needs
order = [("H", 1), ("K", 1), ("I", 1), ("D", 1), ("E", 1), ("G", 1), ("A", 0), ("B", 0), ("C", 0)]

# %% wrong baseline_after_the_change
# fails: Each line comes after the lines that it needs
order = [("C", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("B", 1), ("I", 1), ("K", 1), ("H", 1)]

# %% wrong flat
# fails: Each line has its indentation
order = [("C", 0), ("B", 0), ("A", 0), ("G", 0), ("E", 0), ("D", 0), ("I", 0), ("K", 0), ("H", 0)]

# %% wrong letters_only: Letters in one string, without levels.
# fails: No line is missing
order = "ABCDE"

# %% wrong lines_of_the_comment: The pairs of the comment "For example" were copied as they stand.
# fails: All letters are among A, B, C, D, E, F, G, H, I, J, K
order = [("X", 0), ("Y", 0), ("Z", 1)]

# %% wrong no_baseline
# fails: No line is missing
order = [("C", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("I", 1), ("K", 1), ("H", 1)]

# %% wrong same_line_twice: The same line stands there again and again.
# fails: Each line is used at most once
order = [("A", 0), ("A", 0), ("A", 1), ("A", 1)]

# %% wrong with_a_distractor
# fails: No line that does not belong
order = [("C", 0), ("B", 0), ("A", 0), ("G", 1), ("E", 1), ("D", 1), ("I", 1), ("K", 1), ("F", 1), ("H", 1)]
