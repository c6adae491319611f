"""Written as ``sitecustomize`` for kernels and workers: sockets that lead off this machine raise an error."""

import ipaddress
import socket
import sys


def _refuse(event: str, arguments: tuple) -> None:
    if event in {"socket.connect", "socket.sendto"}:
        connection, address = arguments
        if connection.family not in {socket.AF_INET, socket.AF_INET6}:
            return
        if event == "socket.connect" and connection.type & socket.SOCK_DGRAM:
            return  # sends nothing; Dask looks up its own address in this way
        there = ipaddress.ip_address(address[0].partition("%")[0])
        own = event == "socket.connect" and not there.is_multicast and _is_of_this_machine(connection, address)
        if not there.is_loopback and not own:
            raise PermissionError(f"a lesson must work without a network, and wants {address!r}")
    if event == "socket.getaddrinfo":
        host = arguments[0]
        host = host.decode() if isinstance(host, bytes) else host
        if host in {None, "", "localhost", "0.0.0.0", "::", socket.gethostname()}:
            return
        try:
            ipaddress.ip_address(host.partition("%")[0])
        except ValueError:
            raise PermissionError(f"a lesson must work without a network, and looks up {host!r}") from None


def _is_of_this_machine(connection: socket.socket, address: tuple) -> bool:
    """Dask-MPI's scheduler listens on the address that other hosts would use."""
    with socket.socket(connection.family) as trial:
        try:
            trial.bind((address[0], 0))
        except OSError:
            return False
    return True


sys.addaudithook(_refuse)
