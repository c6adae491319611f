"""The two ports are in each other's place."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L {port}:localhost:{local_port} {user}@{node}"
    return f"ssh -N -L {port}:{node}:{local_port} {user}@{login}"
