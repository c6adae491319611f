"""Style: two templates with format, options written together (-NL)."""

LINES = {
    True: "ssh -J {user}@{login} -NL {local}:localhost:{port} {user}@{node}",
    False: "ssh -NL {local}:{node}:{port} {user}@{login}",
}


def tunnel_line(user, login, node, port, loopback, local_port):
    return LINES[bool(loopback)].format(user=user, login=login, node=node, port=port, local=local_port)
