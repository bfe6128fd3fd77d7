"""What the guide of a deployment and compose.yaml start as the web server."""

from __future__ import annotations

from workbench.setup.places import ROOT


def test_the_web_server_has_two_processes_and_patience_with_them() -> None:
    compose = (ROOT / "compose.yaml").read_text().replace('", "', " ")
    guide = (ROOT / "docs" / "deploy.md").read_text().replace("\\\n  ", "")
    for text in (compose, guide):
        assert "--workers 2 --timeout-worker-healthcheck 60" in text
