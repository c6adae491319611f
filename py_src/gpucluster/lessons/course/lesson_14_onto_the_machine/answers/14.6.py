"""Answers to exercise 14.6."""

# %% right d_jump_in_one_word: -J and -L without a space, the address written out.
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J{user}@{login} -Llocalhost:{local_port}:localhost:{port} {user}@{node}"
    return f"ssh -NL {local_port}:{node}:{port} {user}@{login}"

# %% right login_option: -l for the user of the last machine.
def tunnel_line(user, login, node, port, loopback, local_port):
    if not loopback:
        return f"ssh -l {user} -N -L127.0.0.1:{local_port}:{node}:{port} {login}"
    return f"ssh {user}@{node} -J{user}@{login} -NL {local_port}:localhost:{port}"

# %% right two_lines: The two lines of the text.
# edit of the solution
# -     """Return the line of ssh to run on the laptop."""

# %% wrong all_interfaces: The laptop's port is open to the whole network (0.0.0.0).
# fails: Only the laptop's own programs can use its port
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L 0.0.0.0:{local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L 0.0.0.0:{local_port}:{node}:{port} {user}@{login}"

# %% wrong d_node_through_jump: With a loopback, the tunnel asks the node's network for the port: nothing listens there.
# fails: It leads to a server that listens on loopback
# edit of right two_lines
# ~ localhost => {node}

# %% wrong d_ports_swapped: The two ports are in each other's place.
# fails: It leads to a server that listens on loopback
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {port}:localhost:{local_port} {user}@{node}"
    return f"ssh -N -L {port}:{node}:{local_port} {user}@{login}"

# %% wrong localhost_always: localhost, also at the login node.
# fails: It leads to a server that listens on its network
# edit of right two_lines
# ~ N -L {local_port}:{node}:{port} {user} => N -L {local_port}:localhost:{port} {user}

# %% wrong no_n: Without -N a shell is started at the other end.
# fails: No command is run
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -J {user}@{login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -L {local_port}:{node}:{port} {user}@{login}"

# %% wrong no_user: Without the user.
# fails: It says the user for each machine
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {login}"

# %% wrong same_port: local_port is ignored.
# fails: The laptop's port is local_port
def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {port}:{node}:{port} {user}@{login}"
