# %% right as_given
order = [("F", 0), ("C", 0), ("I", 0), ("E", 1), ("D", 1), ("B", 1), ("A", 1)]

# %% right lists
order = [["F", 0], ["C", 0], ["I", 0], ["E", 1], ["D", 1], ["B", 1], ["A", 1]]

# %% right weights_first
order = [("C", 0), ("F", 0), ("I", 0), ("E", 1), ("D", 1), ("B", 1), ("A", 1)]

# %% wrong divided_by_ranks
# fails: No line that does not belong
order = [("F", 0), ("C", 0), ("I", 0), ("E", 1), ("D", 1), ("H", 1), ("A", 1)]

# %% wrong flat
# fails: Each line has its indentation
order = [("F", 0), ("C", 0), ("I", 0), ("E", 0), ("D", 0), ("B", 0), ("A", 0)]

# %% wrong flat_too: All lines on level 0, and the two that do not belong are among them.
# fails: All letters are among A, B, C, D, E, F, G, H, I
order = [(letter, 0) for letter in "ABCDEFGHIJ"]

# %% wrong mean_before_the_sum
# fails: Each line comes after the lines that it needs
order = [("F", 0), ("C", 0), ("I", 0), ("E", 1), ("B", 1), ("D", 1), ("A", 1)]

# %% wrong new_weights_for_each_batch
# fails: Each line comes after the lines that it needs
order = [("F", 0), ("I", 0), ("C", 1), ("E", 1), ("D", 1), ("B", 1), ("A", 1)]

# %% wrong no_step
# fails: No line is missing
order = [("F", 0), ("C", 0), ("I", 0), ("E", 1), ("D", 1), ("B", 1)]

# %% wrong one_line_twice: The same line again and again.
# fails: Each line is used at most once
order = [("A", 0), ("A", 0), ("A", 1), ("A", 1)]

# %% wrong rows_travel
# fails: No line that does not belong
order = [("F", 0), ("C", 0), ("I", 0), ("G", 1), ("E", 1), ("D", 1), ("B", 1), ("A", 1)]

# %% wrong text: A text of letters without levels.
# fails: No line is missing
order = "A B C D E F"
