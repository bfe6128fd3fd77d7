"""The public corpus, when it is at hand: totals, oddities, and that nothing is lost or leaked."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from curation.format.archive import read_directory
from curation.format.instance import Instance, load_directory
from curation.format.jsontext import replace
from curation.format.manifest import read_manifest
from curation.format.markers import body, read_markers, read_markers_closely, rewrite
from curation.format.render import head, render
from curation.format.slots import CODEPROOF, MODES, PROOF
from workbench.lean import lexer

pytestmark = pytest.mark.corpus


@pytest.fixture(scope="module")
def corpus() -> dict[str, Instance]:
    root = Path(os.environ["WORKBENCH_CORPUS"]) / "benchmarks"
    return {
        path.name: load_directory(path)
        for path in sorted(root.iterdir())
        if path.is_dir()
    }


@pytest.fixture(scope="module")
def exemplar() -> Instance:
    return load_directory(
        Path(os.environ["WORKBENCH_CORPUS"]) / "reference" / "BankLedger"
    )


def test_the_totals_come_out(corpus: dict[str, Instance]) -> None:
    counts = [item.counts for item in corpus.values()]
    assert len(counts) == 43
    assert sum(count.apis for count in counts) == 743
    assert sum(count.specs for count in counts) == 2705
    assert sum(count.lean_files for count in counts) == 640


def test_every_api_and_spec_is_found(corpus: dict[str, Instance]) -> None:
    for item in corpus.values():
        assert all(api.full_name and api.sig_name and api.code for api in item.apis), (
            item.name
        )
        assert all(spec.full_name for spec in item.specs), item.name


def test_the_oddities_of_the_format_page_are_found(corpus: dict[str, Instance]) -> None:
    found = Counter(finding.id for item in corpus.values() for finding in item.findings)
    assert found["impl-without-markers"] == 61
    assert found["impl-without-global-aux"] == 6
    assert found["module-without-specs"] == 71
    assert found["module-without-apis"] == 93
    assert found["reference-sorry"] == 20
    assert found["slot-unlisted"] == 5
    assert found["file-unreachable"] == 11
    assert found["dependency-unused"] == 5
    assert found["proof-mode-hollow"] == 1
    assert found["axiom-not-declared"] == found["axiom-untrusted"] == 0
    affected = [
        spec
        for item in corpus.values()
        for spec in item.specs
        if spec.full_name != spec.name
        or item.repo_impl != "RepoImpl"
        or any("/" in m.name for _, m in item.manifest.modules if item.name == "Flocq")
    ]
    assert len(affected) == 513
    errors = {
        finding.id
        for item in corpus.values()
        for finding in item.findings
        if finding.severity == "error"
    }
    assert errors == {"proof-mode-hollow"}


def test_the_largest_schedule_is_as_large_as_it_is_said_to_be(
    corpus: dict[str, Instance],
) -> None:
    joint = 6
    assert (
        max(len(item.schedule(CODEPROOF)) for item in corpus.values()) == 1448 + joint
    )


def test_manifests_give_back_their_bytes_and_take_small_changes(
    corpus: dict[str, Instance],
) -> None:
    for item in corpus.values():
        manifest = item.manifest
        assert manifest.to_bytes() == item.files["manifest.json"]
        changed = manifest.with_value(
            ("packages", 0, "bundle_type"), manifest.packages[0].bundle_type
        )
        assert changed.to_bytes() == manifest.to_bytes(), item.name
        text = replace(manifest.text(), ("lean_version",), "9.9")
        assert read_manifest(text.encode()).lean_version == "9.9"
        assert len(text) - len(manifest.text()) == len('"9.9"') - len(
            f'"{manifest.lean_version}"'
        )


def test_both_ways_to_read_markers_agree_and_bodies_can_be_put_back(
    corpus: dict[str, Instance],
) -> None:
    for item in corpus.values():
        for path, text in item.texts.items():
            found = read_markers(path, text)
            assert found == read_markers_closely(path, text)
            emptied = rewrite(
                text, {slot.identity: "" for slot in found.slots}, found.slots
            )
            back = {slot.identity: body(text, slot) for slot in found.slots}
            assert rewrite(emptied, back, read_markers(path, emptied).slots) == text


def test_tokens_of_every_file_join_to_it_and_close(corpus: dict[str, Instance]) -> None:
    for item in corpus.values():
        for text in item.texts.values():
            assert "".join(token.text for token in lexer.tokens(text)) == text
            assert lexer.problems(text) == []
            assert all(kind != lexer.UNKNOWN for kind, _, _ in lexer.scan(text))


def test_scopes_of_every_file_fit(corpus: dict[str, Instance]) -> None:
    assert [
        p
        for item in corpus.values()
        for path in item.texts
        for p in item.scan(path).problems
    ] == []


@pytest.mark.parametrize("mode", MODES)
def test_views_hold_the_scheduled_slots_and_nothing_of_the_curator(
    corpus: dict[str, Instance], mode: str
) -> None:
    for item in corpus.values():
        tree = render(item, mode)
        assert "manifest.json" not in tree
        assert (
            not {module.path for module in item.modules if not module.visible}
            & tree.keys()
        )
        scheduled = {
            (slot.file, slot.prefix, slot.key, slot.def_name)
            for slot in item.schedule(mode)
        }
        shown = {
            (path, slot.prefix, slot.key, slot.def_name)
            for path, data in tree.items()
            if path.endswith(".lean") and (mode == CODEPROOF or "/Proof/" in path)
            for slot in read_markers(path, data.decode()).slots
        }
        assert shown == scheduled, item.name
        assert all(b"-- !curation" not in data for data in tree.values())


def test_codeproof_shows_no_reference_body(corpus: dict[str, Instance]) -> None:
    for item in corpus.values():
        everything = " ".join(
            b" ".join(render(item, CODEPROOF).values()).decode().split()
        )
        for path, file in item.marker_files.items():
            for slot in file.slots:
                reference = " ".join(body(item.texts[path], slot).split())
                if slot.key == "code" and len(reference) > 60:
                    assert reference not in everything, (item.name, slot.def_name)


def test_the_generated_stubs_say_what_the_exemplar_says(exemplar: Instance) -> None:
    for mode in MODES:
        tree = render(exemplar, mode)
        for module in ("Account", "Ledger", "Transaction", "Transfer"):
            theirs = exemplar.texts[f"BankLedger/Proof_mode{mode}/{module}.lean"]
            ours = (
                tree[f"BankLedger/Proof/{module}.lean"].decode().replace("_root_.", "")
            )
            skip = "/-!"
            assert list(_without_doc(ours, skip)) == list(_without_doc(theirs, skip))
    ours_slots = read_markers(
        "J", render(exemplar, CODEPROOF)["BankLedger/Proof/Joint.lean"].decode()
    ).slots
    theirs_slots = read_markers(
        "J", exemplar.texts["BankLedger/Proof_modecodeproof/Joint.lean"]
    ).slots
    assert [slot[1:6] for slot in ours_slots] == [slot[1:6] for slot in theirs_slots]
    assert "BankLedger/Proof/Joint.lean" not in render(exemplar, PROOF)
    assert head(exemplar).before_imports == ()


def _without_doc(text: str, mark: str) -> list[str]:
    start = text.index(mark)
    text = text[:start] + text[text.index("-/", start) + 2 :]
    return [line for line in text.splitlines() if line]


def test_the_skipped_part_of_every_instance_is_empty(
    corpus: dict[str, Instance],
) -> None:
    root = Path(os.environ["WORKBENCH_CORPUS"]) / "benchmarks"
    for name, item in corpus.items():
        on_disk = {
            str(p.relative_to(root / name))
            for p in (root / name).rglob("*")
            if p.is_file()
        }
        assert set(item.files) == on_disk
        assert read_directory(root / name).skipped == ()
