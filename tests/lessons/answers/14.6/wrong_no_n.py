"""Without -N a shell is started at the other end."""


def tunnel_line(user, login, node, port, loopback, local_port):
    if loopback:
        return f"ssh -J {user}@{login} -L {local_port}:localhost:{port} {user}@{node}"
    return f"ssh -L {local_port}:{node}:{port} {user}@{login}"
