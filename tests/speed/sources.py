"""How long extraction and linking take on a tree of sources.

    python tests/speed/sources.py TREE [LANGUAGE] [SOURCE_PATH]

Prints one line of JSON: files, bytes, items, problems, seconds for reading, extracting and
linking every item to a definition of its own name, and the peak of memory in MB.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from curation.sources.definitions import DefinitionRef
from curation.sources.items import SourceItem
from curation.sources.linking import link_definitions
from curation.sources.registry import extract_tree, languages


def read(root: Path, endings: tuple[str, ...]) -> dict[str, bytes]:
    """Return the files below `root` whose names have one of `endings`, links left out."""
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.name.endswith(endings) and path.is_file() and not path.is_symlink()
    }


def definition_of(item: SourceItem) -> DefinitionRef:
    """Return a definition that is called like `item`, as if it had been translated."""
    kind = {"type": "type", "proof": "spec"}.get(item.category, "api")
    name = f"spec_{item.name}" if kind == "spec" else item.name
    return DefinitionRef(kind, f"Speed.{name}", name, "Speed")


def main(arguments: list[str]) -> None:
    """Print the figures for the tree that `arguments` name."""
    root = Path(arguments[0])
    language = arguments[1] if len(arguments) > 1 else None
    source_path = arguments[2] if len(arguments) > 2 else None
    endings = tuple(ending for one in languages() for ending in one.suffixes)
    started = time.perf_counter()
    files = read(root, endings)
    have_read = time.perf_counter()
    inventory = extract_tree(files, language, source_path=source_path)
    extracted = time.perf_counter()
    link_definitions([definition_of(item) for item in inventory.items], inventory)
    linked = time.perf_counter()
    figures = {
        "files": len(inventory.paths),
        "bytes": sum(len(files[path]) for path in inventory.paths),
        "items": len(inventory.items),
        "problems": len(inventory.problems),
        "read_s": round(have_read - started, 3),
        "extract_s": round(extracted - have_read, 3),
        "link_s": round(linked - extracted, 3),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main(sys.argv[1:])
