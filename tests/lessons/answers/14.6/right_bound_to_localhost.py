"""The laptop's side is named, options are joined."""


def tunnel_line(user, login, node, port, loopback, local_port):
    far = "localhost" if loopback else node
    end = f"-J {user}@{login} {user}@{node}" if loopback else f"{user}@{login}"
    return f"ssh -fNL localhost:{local_port}:{far}:{port} {end}"
