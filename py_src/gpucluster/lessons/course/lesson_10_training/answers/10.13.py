# %% right formulas, edit of the solution: Everything as formulas of the slide's numbers.
# ~ 3 * 90 => 90 * 3
# ~ 1_281_167 / 3 => _images / 3
# ~ 1_281_167 * 90 => 90 * _images
#
# - published = {
# + _images = 1_281_167
# + published = {

# %% right three_digits: Three digits are enough.
def scaling(before, after, factor):
    return before / after, before / after / factor


published = {
    "2 GPUs: speed-up": 1.895,
    "2 GPUs: efficiency, %": 94.7,
    "Summit: minutes for 90 epochs": 4.5,
    "Summit: images per second and card": 278,
    "Frontera: minutes for 90 epochs": 7.39,
    "HyPar-Flow, 256 nodes: efficiency, %": 98.8,
    "HyPar-Flow, 512 nodes: efficiency, %": 93.9,
    "GEMS, 4 to 128 GPUs: speed-up": 16.1,
    "GEMS, 4 to 128 GPUs: efficiency, %": 50.3,
}

# %% wrong 128: GEMS' efficiency is divided by 128 GPUs, not by the factor 32.
# fails: GEMS, 4 to 128 GPUs: efficiency, % is right to three digits
# ~ 27 / 32 => 27 / 128

# %% wrong 98: The slide's 98 %.
# fails: HyPar-Flow, 256 nodes: efficiency, % is right to three digits
# ~ 100 * 253 / 256 => 98

# %% wrong efficiency_in_percent: The function returns percent.
# fails: The efficiency is the speed-up divided by the factor
# ~ speed_up / factor => 100 * speed_up / factor

# %% wrong fifteen: The slide is believed.
# fails: GEMS, 4 to 128 GPUs: speed-up is right to three digits
# ~ "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27 => "GEMS, 4 to 128 GPUs: speed-up": 15

# %% wrong floor: Whole-number division in scaling, right for the round example only.
# fails: The speed-up is the time before divided by the time after
# ~ before / after => before // after

# %% wrong per_card_rate: Two cards are compared by the rate of one.
# fails: 2 GPUs: speed-up is right to three digits
# ~ "2 GPUs: speed-up": 632.8 => "2 GPUs: speed-up": 316.4

# %% wrong per_node: Per node, not per card.
# fails: Summit: images per second and card is right to three digits
# ~ 3 / 1536 => 3 / 256

# %% wrong seconds: Seconds instead of minutes.
# fails: Summit: minutes for 90 epochs is right to three digits
# ~ 90 * 3 / 60 => 90 * 3

# %% wrong seven_minutes: Rounded to whole minutes.
# fails: Frontera: minutes for 90 epochs is right to three digits
# ~ 90 * _images / 260_000 / 60 => 7

# %% wrong shares, edit of right formulas: Efficiencies as shares of 1, not in percent.
# fails: 2 GPUs: efficiency, % is right to three digits
published = {name: value / 100 if "%" in name else value for name, value in published.items()}

# %% wrong slide_numbers, edit of right formulas: Takes what slides say, "7 minutes", 98 % and "15x".
# fails: Frontera: minutes for 90 epochs is right to three digits
published["Frontera: minutes for 90 epochs"] = 7
published["HyPar-Flow, 256 nodes: efficiency, %"] = 98
published["GEMS, 4 to 128 GPUs: speed-up"] = 15

# %% wrong texts, edit of right formulas: Texts instead of numbers.
# fails: 2 GPUs: speed-up is one number
published = {name: f"{value:.3f}" for name, value in published.items()}
