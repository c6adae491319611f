"""Without the user."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {local_port}:{node}:{port} {login}"
