from __future__ import annotations

import re
import socket
from collections.abc import Iterator

import pytest

from workbench.setup import ports
from workbench.setup.words import Problem


@pytest.fixture
def taken() -> Iterator[int]:
    """A port on which somebody listens."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(1)
        yield listener.getsockname()[1]


def test_a_free_port_is_let_through() -> None:
    ports.demand_free("127.0.0.1", ports.free())


def test_a_taken_port_is_named_with_one_that_is_free(taken: int) -> None:
    with pytest.raises(Problem, match=f"port {taken} is taken") as refusal:
        ports.demand_free("127.0.0.1", taken)
    offered = re.search(r"bin/up --port (\d+)", str(refusal.value))
    assert offered is not None
    ports.demand_free("127.0.0.1", int(offered[1]))


def test_another_skips_what_is_taken(taken: int) -> None:
    assert ports.another("127.0.0.1", taken) != taken


def test_an_address_of_another_machine_is_named() -> None:
    with pytest.raises(
        Problem, match=r"192\.0\.2\.1: that is not an address of this machine"
    ):
        ports.demand_free("192.0.2.1", 8000)


def test_a_host_that_nobody_knows_is_named() -> None:
    with pytest.raises(
        Problem, match=r"no such host\.invalid: this machine does not know"
    ):
        ports.demand_free("no such host.invalid", 8000)
