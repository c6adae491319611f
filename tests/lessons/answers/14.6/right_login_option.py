"""-l for the user of the last machine."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if not loopback:
        return f"ssh -l {user} -N -L127.0.0.1:{local_port}:{node}:{port} {login}"
    return f"ssh {user}@{node} -J{user}@{login} -NL {local_port}:localhost:{port}"
