# %% right loop: Rules in their order.
def places(steps, login_minutes=10):
    found = []
    for step in steps:
        if step["gpus"] == 0 and step["minutes"] <= login_minutes:
            found.append("login")
        elif step["internet"]:
            found.append("split")
        else:
            found.append("compute")
    return found

# %% right comprehension: Style: two yes/no answers as index into a nested tuple.
def places(steps, login_minutes=10):
    table = (("login", "login"), ("compute", "split"))
    return [table[s["gpus"] > 0 or s["minutes"] > login_minutes][bool(s["internet"])] for s in steps]

# %% wrong compute_first: What fits on both goes to compute.
# fails: A short step without GPUs is on the login node
# ~ login_minutes: => login_minutes and step["internet"]:
# ~ elif step["internet"]: => elif step["internet"] and step["gpus"] + step["minutes"] > login_minutes:

# %% wrong d_gpu_before_internet, edit of the solution: Everything that needs a GPU goes to a compute node, with or without the internet.
# fails: What needs GPUs is never on the login node, and split where it needs the internet
# ~ step["gpus"] == 0 and step["minutes"] => step["minutes"]
# ~ if login: => if login and not step["gpus"]:
# ~ step["internet"] else => step["internet"] and not step["gpus"] else

# %% wrong d_ten: The ten of the default, whatever the site says.
# fails: A long step is on a compute node, or split where it needs the internet
# ~ <= login_minutes => <= 10

# %% wrong gpus_ignored: GPUs are forgotten.
# fails: What needs GPUs is never on the login node
# ~ step["gpus"] == 0 and step["minutes"] => step["minutes"]

# %% wrong last_missing: The last step is forgotten.
# fails: It returns one place for each step
# ~ in steps: => in steps[:-1]:

# %% wrong limit_excluded: The limit itself is taken as too much.
# fails: A step of exactly the limit is still allowed on the login node
# ~ step["minutes"] <= login_minutes: => step["minutes"] < login_minutes:

# %% wrong minutes_forgotten: Forgets the limit of minutes on the login node.
# fails: A long step is on a compute node, or split where it needs the internet
def places(steps, login_minutes=10):
    return ["split" if s["internet"] and s["gpus"] else "compute" if s["gpus"] else "login" for s in steps]

# %% wrong no_split: What needs the internet is always on the login node.
# fails: What needs GPUs is never on the login node, and split where it needs the internet
# ~ login_minutes: => login_minutes or step["internet"]:
# -         elif step["internet"]:
# -             found.append("split")

# %% wrong text: One text instead of a list.
# fails: It returns a list
def places(steps, login_minutes=10):
    return ", ".join("login" if not step["gpus"] and step["minutes"] <= login_minutes else "compute" for step in steps)
