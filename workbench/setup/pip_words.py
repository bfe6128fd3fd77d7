"""What went wrong in pip, in a sentence with its remedy, from what pip printed."""

from __future__ import annotations

_UNREACHABLE = (
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "Max retries exceeded",
    "Temporary failure in name resolution",
    "Name or service not known",
    "Network is unreachable",
    "ProxyError",
    "Connection refused",
    "Could not fetch URL",
)


def explain(output: str, log: str) -> str:
    """Return why pip failed, judged by `output`; `log` is where all of it was kept."""
    if any(mark in output for mark in _UNREACHABLE):
        reason = (
            "pip could not reach the package index. Check the network, or what `pip config list` says, "
            "and run this again"
        )
    elif "DO NOT MATCH THE HASHES" in output:
        reason = (
            "a downloaded package is not the one that was pinned (its hash differs), so nothing was installed. "
            "Check which package index this machine uses (`pip config list`)"
        )
    elif "No space left on device" in output:
        reason = (
            "the disk is full. Make room (about 300 MB are needed) and run this again"
        )
    elif "No matching distribution" in output or "Could not find a version" in output:
        reason = (
            f"the package index has not got what is pinned: {_last(output)}. "
            "Check the network, or which index `pip config list` names"
        )
    elif "Permission denied" in output:
        reason = f"pip may not write where it must: {_last(output)}"
    else:
        reason = f"pip failed: {_last(output)}"
    return f"{reason}. All that pip said: {log}"


def _last(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [
        line.removeprefix("ERROR: ") for line in lines if line.startswith("ERROR:")
    ]
    found = (errors or lines or ["it gave no reason"])[-1]
    return found[:300].rstrip(".")
