"""The options after the host, and the user by -l; the jump by -o."""


def tunnel_line(user, login, node, port, loopback, local_port):
    words = ["ssh"]
    if loopback:
        words += [
            "-o",
            f"ProxyJump={user}@{login}",
            f"{user}@{node}",
            "-N",
            "-L",
            f"127.0.0.1:{local_port}:127.0.0.1:{port}",
        ]
    else:
        words += [f"{user}@{login}", "-N", "-L", f"127.0.0.1:{local_port}:{node}:{port}"]
    return " ".join(words)
