"""What scripts measure on: a site of their own, with Django set up on its database in this process too."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.browser.site import RunningSite, running_site


@contextmanager
def site_in_process() -> Iterator[RunningSite]:
    """Give a running site in a scratch folder, on SQLite or on a new database of the server that DATABASE_URL names."""
    with (
        tempfile.TemporaryDirectory(prefix="proofroom-speed-") as folder,
        _folder_of_tests(folder),
        running_site(Path(folder), os.environ.get("DATABASE_URL", "")) as site,
    ):
        os.environ.update(site.environ)
        import django

        django.setup()
        from django.db import connections

        yield site
        connections.close_all()


@contextmanager
def _folder_of_tests(folder: str) -> Iterator[None]:
    """Name `folder` as that of the tests, which else the settings of the tests do: migrated databases are kept in it."""
    os.environ.setdefault("PROOFROOM_TEST_FOLDER", folder)
    yield


def instances_of(corpus: Path) -> list[Path]:
    """Return the folders of instances in `corpus`, or in its folder `benchmarks`, by name."""
    root = corpus / "benchmarks" if (corpus / "benchmarks").is_dir() else corpus
    return [
        path for path in sorted(root.iterdir()) if (path / "manifest.json").is_file()
    ]
