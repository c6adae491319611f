"""For loopback it asks the node for its own network name, where nobody listens."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {local_port}:{node}:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
