# %% right b_blocks_first: The blocks come first, then the centroids, and sums travel before counts.
order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]

# %% right b_centroids_first: The centroids are chosen before the blocks are cut, and sums travel before counts.
order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]

# %% right b_counts_first: Counts travel before sums, which is the same.
order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("J", 1), ("F", 1), ("D", 1)]

# %% wrong b_count_first: Points are added up per cluster before it is known which cluster they have; 'put the steps in order'.
# fails: Each line comes after the lines that it needs
order = [("B", 0), ("I", 0), ("H", 0), ("G", 1), ("C", 1), ("F", 1), ("J", 1), ("D", 1)]

# %% wrong b_extra_means: The line with the local means is in as well; 'two lines do not belong'.
# fails: No line that does not belong
order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("G", 1), ("E", 1), ("F", 1), ("J", 1), ("D", 1)]

# %% wrong b_no_counts: Only the sums travel, the Allreduce of the counts is left out, and it does belong.
# fails: No line is missing
order = [("B", 0), ("I", 0), ("H", 0), ("C", 1), ("G", 1), ("F", 1), ("D", 1)]

# %% wrong b_no_levels: Nothing is one level further in, but 'level 1 is what the loop repeats'.
# fails: Each line has its indentation
order = [("B", 0), ("I", 0), ("H", 0), ("C", 0), ("G", 0), ("F", 0), ("J", 0), ("D", 0)]

# %% wrong b_slides: As on the slides the workers send means; this line is one of the two that 'do not belong'.
# fails: No line that does not belong
order = [("I", 0), ("B", 0), ("H", 0), ("C", 1), ("E", 1), ("F", 1), ("J", 1), ("D", 1)]

# %% wrong b_start_in_loop: The choice of the first centroids is repeated; 'level 1 is what the loop repeats'.
# fails: Each line comes after the lines that it needs
order = [("B", 0), ("H", 0), ("I", 1), ("C", 1), ("G", 1), ("F", 1), ("J", 1), ("D", 1)]
