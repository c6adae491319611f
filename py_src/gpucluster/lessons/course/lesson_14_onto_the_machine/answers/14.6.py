# %% right two_lines, edit of the solution: The two lines of the text.

# %% right d_jump_in_one_word: -J and -L without a space, the address written out.
# ~ J {user}@{login} -L { => J{user}@{login} -Llocalhost:{
# ~ N -L => NL

# %% right login_option: -l for the user of the last machine.
def tunnel_line(user, login, node, port, loopback, local_port):
    if not loopback:
        return f"ssh -l {user} -N -L127.0.0.1:{local_port}:{node}:{port} {login}"
    return f"ssh {user}@{node} -J{user}@{login} -NL {local_port}:localhost:{port}"

# %% wrong all_interfaces: The laptop's port is open to the whole network (0.0.0.0).
# fails: Only programs on the laptop can use its port
# ~ login} -L { => login} -L 0.0.0.0:{
# ~ N -L { => N -L 0.0.0.0:{

# %% wrong d_node_through_jump: With a loopback, the tunnel asks the node's network for the port: nothing listens there.
# fails: It connects to a server that listens on loopback
# ~ localhost => {node}

# %% wrong d_ports_swapped: The two ports are in each other's place.
# fails: It connects to a server that listens on loopback
# ~ local_port}:localhost:{port => port}:localhost:{local_port
# ~ local_port}:{node}:{port => port}:{node}:{local_port

# %% wrong localhost_always: localhost, even at the login node.
# fails: It connects to a server that listens on its network
# ~ N -L {local_port}:{node}:{port} {user} => N -L {local_port}:localhost:{port} {user}

# %% wrong no_n: Without -N a shell is started at the other end.
# fails: No command is run
# ~ N -J => J
# ~ N -L => L

# %% wrong no_user: Without the user.
# fails: It gives the user for each machine
# ~ J {user}@{ => J {
# ~ user}@{login => login

# %% wrong same_port: local_port is ignored.
# fails: The laptop's port is local_port
# ~ login} -L {local_port => login} -L {port
# ~ L {local_port} => L {port}
