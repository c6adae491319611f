"""-J and -L without a space, the address written out."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -N -J{user}@{login} -Llocalhost:{local_port}:localhost:{port} {user}@{node}"
    return f"ssh -NL {local_port}:{node}:{port} {user}@{login}"
