"""Style: list of words, other order, 127.0.0.1 for the loopback."""


def tunnel_line(user, login, node, port, loopback, local_port):
    words = ["ssh", "-L"]
    if loopback:
        words += [f"{local_port}:127.0.0.1:{port}", "-J", f"{user}@{login}", "-N", f"{user}@{node}"]
    else:
        words += [f"{local_port}:{node}:{port}", "-N", f"{user}@{login}"]
    return " ".join(words)
