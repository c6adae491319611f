"""Style: -o ProxyJump instead of -J, -l for the user."""


def tunnel_line(user, login, node, port, loopback, local_port):
    seen_from_end, end = ("localhost", node) if loopback else (node, login)
    jump = f"-o ProxyJump={user}@{login} " if loopback else ""
    return f"ssh -N {jump}-L {local_port}:{seen_from_end}:{port} -l {user} {end}"
