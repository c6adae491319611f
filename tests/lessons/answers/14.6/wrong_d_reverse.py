"""-R opens the port at the other end."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -R {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -R {local_port}:{node}:{port} {user}@{login}"
