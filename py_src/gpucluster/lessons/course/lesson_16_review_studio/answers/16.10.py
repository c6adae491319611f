# %% right cluster, edit of the solution
# - first = "A cluster of 5 devices: 360 GB with working room, and only sums travel."
# - second = "A success if one pass takes less than 20 s, and the centroids are those of one device."
# - note = f"{first}\n{second}"
# + note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."

# %% right one_device
plan = {
    "data_gb": 10,
    "working_room": 3,
    "device_gb": 80,
    "choice": "one device",
    "devices": 1,
    "travels_gb": 0,
}
note = (
    "One device is enough: 30 GB with working room.\nIt is good when a fit takes under 60 s, as scikit-learn needs 400."
)

# %% right spill
plan = {
    "data_gb": 45,
    "working_room": 2,
    "device_gb": 80,
    "choice": "Spill",
    "devices": 1,
    "travels_gb": 0.5,
}
note = "We let the device spill: 90 GB with working room on 80.\nGood if it takes at most 3 times as long as in memory."

# %% wrong choice_not_named
# fails: The first line names the choice
# ~ A cluster of five devices: 360 GB with => Five devices: 360 GB with the

# %% wrong cluster_without_need
# fails: The choice follows from the sizes
# ~ "data_gb": 120, => "data_gb": 10,
# ~ "devices": 5, => "devices": 2,

# %% wrong everything_travels
# fails: One step moves less than all the data
# ~ "travels_gb": 0.001, => "travels_gb": 120,

# %% wrong few_words
# fails: A line has at least five words
# - note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."
# + note = "cluster\n20 s"

# %% wrong half_a_device
# fails: The number of devices is an integer
# ~ "devices": 5, => "devices": 5.5,

# %% wrong long_line
# fails: A line has at most 120 characters
# - note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."
# + long = "which is large enough " * 6
# + note = f"A cluster of five devices {long}.\nA success if one pass takes less than 20 s."

# %% wrong negative
# fails: All sizes are larger than 0
# ~ "data_gb": 120 => "data_gb": -120
# ~ "devices": 5 => "devices": 2

# %% wrong no_number
# fails: The second line has a number to measure against
# ~ one pass takes less than 20 s => it is fast enough for us

# %% wrong room_below_one: A working room of less than 1.
# fails: Working room is a factor of at least 1
# ~ ": 3 => ": 0.5

# %% wrong too_few_devices
# fails: The devices together hold the data, with working room
# ~ "devices": 5, => "devices": 4,

# %% wrong several_single_devices
# fails: The number of devices is 1 for this choice
# ~ "data_gb": 120 => "data_gb": 10
# ~ "cluster" => "one device"
# ~ "devices": 5 => "devices": 3
# - note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."
# + note = "One device is enough: 30 GB with working room.\nGood when a fit takes under 60 s."

# %% wrong texts: Sizes are texts with units.
# fails: `data_gb` is one number
# ~ "data_gb": 120 => "data_gb": "200 GB"

# %% wrong three_lines
# fails: The note has two lines
# - note = "A cluster of five devices: 360 GB with working room.\nA success if one pass takes less than 20 s."
# + note = "A cluster of five devices in one room.\nA success if it takes 20 s.\nAnd one more line about it."
