# %% right capitals: Capital letters and spaces do no harm.
ways = {"A": "One device", "B": " data", "C": "MODEL", "D": "Hybrid", "E": "tiles "}

# %% right plain: As given.
ways = {"A": "one device", "B": "data", "C": "model", "D": "hybrid", "E": "tiles"}

# %% wrong a_data: A small job is divided.
# fails: The choice for A is right
ways = {"A": "data", "B": "one device", "C": "model", "D": "hybrid", "E": "tiles"}

# %% wrong a_missing: A is left open.
# fails: Each case is there
ways = {"A": ..., "B": "data", "C": "model", "D": "hybrid", "E": "tiles"}

# %% wrong all_data: D is called data, so a word is used twice and hybrid never.
# fails: The choice for D is right
ways = {"A": "one device", "B": "data", "C": "model", "D": "data", "E": "tiles"}

# %% wrong b_model: A model that fits is cut.
# fails: The choice for B is right
ways = {"A": "one device", "B": "model", "C": "data", "D": "hybrid", "E": "tiles"}

# %% wrong c_and_d_swapped: Model and hybrid are swapped.
# fails: The choice for C is right
ways = {"A": "one device", "B": "data", "C": "hybrid", "D": "model", "E": "tiles"}

# %% wrong data_for_all: Everything is data-parallel.
# fails: The choice for A is right
ways = {"A": "data", "B": "data", "C": "data", "D": "data", "E": "data"}

# %% wrong e_model: The image is large, so the model is cut.
# fails: The choice for C is right
ways = {"A": "one device", "B": "data", "C": "tiles", "D": "hybrid", "E": "model"}

# %% wrong unknown_word: A word that is none of them.
# fails: Each is one of the five words
ways = {"A": "one device", "B": "data", "C": "pipeline", "D": "hybrid", "E": "tiles"}
