"""-g lets others in the laptop's network use the port."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -g -J {user}@{login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -N -g -L {local_port}:{node}:{port} {user}@{login}"
