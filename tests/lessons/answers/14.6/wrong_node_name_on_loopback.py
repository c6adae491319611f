"""From the login node to a server that listens on loopback."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
