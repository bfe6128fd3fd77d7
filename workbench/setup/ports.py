"""Network ports: whether one is free, and which other one is."""

from __future__ import annotations

import errno
import socket

from workbench.setup.words import Problem

_LAST_PORT = 65535


def demand_free(host: str, port: int) -> None:
    """Raise Problem, naming another port, if a server could not listen on `port` of `host`."""
    try:
        _listen(host, port)
    except socket.gaierror:
        raise Problem(
            f"--host {host}: this machine does not know that name or address."
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise Problem(
                f"--host {host}: that is not an address of this machine."
            ) from None
        if error.errno not in (errno.EADDRINUSE, errno.EACCES):
            raise Problem(
                f"cannot listen on {host} port {port}: {error.strerror}."
            ) from None
        why = "is taken" if error.errno == errno.EADDRINUSE else "is reserved for root"
        other = another(host, max(port + 1, 8000))
        raise Problem(f"port {port} {why}. Try: bin/up --port {other}") from None


def another(host: str, start: int) -> int:
    """Return the first free port at or after `start` on `host`; any free one if those are all taken."""
    for port in range(start, min(start + 100, _LAST_PORT + 1)):
        try:
            _listen(host, port)
        except OSError:
            continue
        return port
    return free(host)


def free(host: str = "127.0.0.1") -> int:
    """Return a port that the system says is free on `host` now."""
    return _listen(host, 0)


def _listen(host: str, port: int) -> int:
    """Listen on `port` for a moment; return its number. Raises OSError."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    with socket.socket(family, kind, protocol) as listener:
        # Without it, the sockets that a server left in TIME_WAIT would count as taken.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(1)
        return int(listener.getsockname()[1])
