"""Words, -o ProxyJump, and 127.0.0.1."""


def tunnel_line(user, login, node, port, loopback, local_port):
    words = ["ssh", "-N"]
    if loopback:
        words += ["-o", f"ProxyJump={user}@{login}", "-L", f"{local_port}:127.0.0.1:{port}", f"{user}@{node}"]
    else:
        words += ["-L", f"{local_port}:{node}:{port}", f"{user}@{login}"]
    return " ".join(words)
