"""local_port is ignored."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L {port}:{node}:{port} {user}@{login}"
