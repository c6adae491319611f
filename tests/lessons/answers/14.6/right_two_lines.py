"""The two lines of the text."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {user}@{login}"
