"""For loopback the connection ends at the login node: localhost is the login node's."""


def tunnel_line(user, login, node, port, loopback, local_port):
    target = "localhost" if loopback else node
    return f"ssh -N -L {local_port}:{target}:{port} {user}@{login}"
