"""The connection always ends at the login node."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -L {local_port}:localhost:{port} {user}@{login}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
