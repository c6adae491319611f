# %% right lists
order = [["c", 0], ["j", 0], ["g", 0], ["e", 1], ["d", 0], ["f", 0], ["a", 1], ["b", 0]]

# %% right pairs
order = [("C", 0), ("J", 0), ("G", 0), ("E", 1), ("D", 0), ("F", 0), ("A", 1), ("B", 0)]

# %% wrong asks_each_time
# fails: No line that does not belong
order = [("C", 0), ("I", 0), ("J", 0), ("G", 0), ("E", 1), ("D", 0), ("F", 0), ("A", 1), ("B", 0)]

# %% wrong card_first
# fails: Each line comes after the lines that it needs
order = [("C", 0), ("G", 0), ("E", 1), ("J", 0), ("D", 0), ("F", 0), ("A", 1), ("B", 0)]

# %% wrong first_fit
# fails: No line that does not belong
order = [("C", 0), ("J", 0), ("G", 0), ("E", 1), ("H", 0), ("F", 0), ("A", 1), ("B", 0)]

# %% wrong letters_only
# fails: Each line has its indentation
order = "C J G E D F A B"

# %% wrong letters_only_too: Letters in one string, without levels.
# fails: No line is missing
order = "ABCDE"

# %% wrong lines_of_the_comment: The pairs of the comment "For example" were copied as they stand.
# fails: All letters are among A, B, C, D, E, F, G, H, I, J
order = [("X", 0), ("Y", 0), ("Z", 1)]

# %% wrong one_line_only: One line only; an order of several lines with a level 1 was asked for.
# fails: No line is missing
order = [("A", 0)]

# %% wrong rest_forgotten
# fails: No line is missing
order = [("C", 0), ("J", 0), ("G", 0), ("E", 1), ("D", 0), ("B", 0)]

# %% wrong same_line_twice: The same line stands there again and again.
# fails: Each line is used at most once
order = [("A", 0), ("A", 0), ("A", 1), ("A", 1)]
