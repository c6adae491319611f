"""Everybody may use the laptop's port."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J {user}@{login} -L 0.0.0.0:{local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -L 0.0.0.0:{local_port}:{node}:{port} {user}@{login}"
