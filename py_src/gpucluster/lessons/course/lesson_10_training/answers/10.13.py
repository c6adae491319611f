"""Answers to exercise 10.13."""

# %% right formulas: Everything as formulas of the slide's numbers.
# edit of the solution
# ~ "Summit: minutes for 90 epochs": 3 * 90 / 60, => "Summit: minutes for 90 epochs": 90 * 3 / 60,
# ~ 1_281_167 * 90 => 90 * _images
# -     """Return two numbers: speed_up and efficiency."""
#
# - published = {
# + _images = 1_281_167
# + published = {
# -     "Summit: images per second and card": 1_281_167 / 3 / 1536,
# +     "Summit: images per second and card": _images / 3 / 1536,

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
# edit of right formulas
# ~ 90 * _images / 260_000 => 90 * 1281167 / 260_000
# -     speed_up = before / after
# -     return speed_up, speed_up / factor
# +     return before / after, before / after / factor
# - _images = 1_281_167
#
# -     "Summit: images per second and card": _images / 3 / 1536,
# +     "Summit: images per second and card": 1281167 / 3 / 1536,
# - }
# + }
# + published["GEMS, 4 to 128 GPUs: efficiency, %"] = 100 * 7.25 * 60 / 27 / 128

# %% wrong 98: The slide's 98 %.
# fails: HyPar-Flow, 256 nodes: efficiency, % is right to three digits
# edit of the solution
# ~ 100 * 253 / 256 => 98
# -     """Return two numbers: speed_up and efficiency."""
# -     speed_up = before / after
# -     return speed_up, speed_up / factor
# +     return before / after, before / after / factor

# %% wrong efficiency_in_percent: The function returns percent.
# fails: The efficiency is the speed-up, divided by the factor
# edit of wrong 98
# ~ return before / after, before / after / factor => return before / after, 100 * before / after / factor
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,

# %% wrong fifteen: The slide is believed.
# fails: GEMS, 4 to 128 GPUs: speed-up is right to three digits
# edit of wrong 98
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
# ~ "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27, => "GEMS, 4 to 128 GPUs: speed-up": 15,
# ~ 7.25 * 60 / 27 => 15

# %% wrong floor: Whole-number division in scaling, right for the round example only.
# fails: The speed-up is the time before, divided by the time after
# edit of wrong 128
# ~ before / after, before / after => before // after, before // after
# - published["GEMS, 4 to 128 GPUs: efficiency, %"] = 100 * 7.25 * 60 / 27 / 128

# %% wrong per_card_rate: Two cards are compared by the rate of one.
# fails: 2 GPUs: speed-up is right to three digits
# edit of wrong 98
# ~ "2 GPUs: speed-up": 632.8 / 334.0, => "2 GPUs: speed-up": 316.4 / 334.0,
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,

# %% wrong per_node: Per node, not per card.
# fails: Summit: images per second and card is right to three digits
# edit of wrong 98
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,
# -     "Summit: images per second and card": 1_281_167 / 3 / 1536,
# +     "Summit: images per second and card": 1_281_167 / 3 / 256,

# %% wrong seconds: Seconds instead of minutes.
# fails: Summit: minutes for 90 epochs is right to three digits
# edit of wrong 98
# ~ 3 * 90 / 60 => 270
# ~ 1_281_167 * 90 / 260_000 / 60 => 443.5
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,

# %% wrong seven_minutes: Rounded to whole minutes.
# fails: Frontera: minutes for 90 epochs is right to three digits
# edit of wrong 98
# ~ 1_281_167 * 90 / 260_000 / 60 => 7
# ~ "HyPar-Flow, 256 nodes: efficiency, %": 98, => "HyPar-Flow, 256 nodes: efficiency, %": 100 * 253 / 256,

# %% wrong shares: Efficiencies as shares of 1, not in percent.
# fails: 2 GPUs: efficiency, % is right to three digits
# edit of wrong 128
# - published["GEMS, 4 to 128 GPUs: efficiency, %"] = 100 * 7.25 * 60 / 27 / 128
# + published = {name: value / 100 if "%" in name else value for name, value in published.items()}

# %% wrong slide_numbers: Takes what slides say, "7 minutes", 98 % and "15x".
# fails: Frontera: minutes for 90 epochs is right to three digits
# edit of wrong 128
# - published["GEMS, 4 to 128 GPUs: efficiency, %"] = 100 * 7.25 * 60 / 27 / 128
# + published["Frontera: minutes for 90 epochs"] = 7
# + published["HyPar-Flow, 256 nodes: efficiency, %"] = 98
# + published["GEMS, 4 to 128 GPUs: speed-up"] = 15

# %% wrong texts: Texts instead of numbers.
# fails: 2 GPUs: speed-up is one number
# edit of wrong shares
# ~ value / 100 if "%" in name else value => f"{value:.3f}"

# %% wrong two_digits: Two digits of the speed-up.
# fails: GEMS, 4 to 128 GPUs: speed-up is right to three digits
# edit of wrong per_card_rate
# ~ 316.4 / 334.0 => 1.9
# ~ "GEMS, 4 to 128 GPUs: speed-up": 7.25 * 60 / 27, => "GEMS, 4 to 128 GPUs: speed-up": 16,
