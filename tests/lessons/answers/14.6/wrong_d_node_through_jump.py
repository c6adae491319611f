"""With a loopback, the tunnel asks the node's network for the port: nobody listens there."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {local_port}:{node}:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
