from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.format.archive import (
    DEFAULT_LIMITS,
    ArchiveError,
    Limits,
    Tree,
    unsafe_path,
)
from curation.format.packed import archive_name, read_archive, read_tree

Entry = tuple[str, bytes] | tarfile.TarInfo
MEGABYTE = 1024 * 1024


def tar(entries: Iterable[Entry], mode: str = "w:gz", **options: int) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, **options) as archive:  # type: ignore[call-overload]  # mode is a str
        for entry in entries:
            if isinstance(entry, tarfile.TarInfo):
                archive.addfile(entry)
            else:
                info = tarfile.TarInfo(entry[0])
                info.size = len(entry[1])
                archive.addfile(info, io.BytesIO(entry[1]))
    return buffer.getvalue()


def zipped(entries: Iterable[tuple[str | zipfile.ZipInfo, bytes]]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return buffer.getvalue()


def special(kind: bytes, name: str = "odd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type = kind
    info.linkname = "a"
    return info


def unpack(
    data: bytes, name: str = "Inst.tar.gz", limits: Limits = DEFAULT_LIMITS
) -> Tree:
    return read_archive(io.BytesIO(data), name, limits)


def refused(data: bytes, limits: Limits = DEFAULT_LIMITS) -> ArchiveError:
    with pytest.raises(ArchiveError) as caught:
        unpack(data, limits=limits)
    return caught.value


FILES = [("manifest.json", b"{}"), ("a/b.lean", "é".encode()), ("c", b"")]


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:xz"])
@pytest.mark.parametrize(
    "format", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT, tarfile.USTAR_FORMAT]
)
def test_tars_of_every_kind_are_read(mode: str, format: int) -> None:
    tree = unpack(tar(FILES, mode, format=format))
    assert dict(tree.files) == dict(FILES)
    assert tree.name == "Inst"


def test_zips_are_read_whatever_they_are_called() -> None:
    assert dict(unpack(zipped(FILES), "Inst.tar").files) == dict(FILES)


def test_leading_dots_directories_and_rubbish_are_left_out() -> None:
    directory = special(tarfile.DIRTYPE, "./a")
    root = special(tarfile.DIRTYPE, "./")
    tree = unpack(
        tar(
            [
                root,
                directory,
                ("./a/x", b"1"),
                ("./.git/config", b""),
                ("__MACOSX/._x", b""),
            ]
        )
    )
    assert (dict(tree.files), tree.skipped) == ({"a/x": b"1"}, (".git", "__MACOSX"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.tar.gz", "a"),
        ("A.ZIP", "A"),
        ("x/y.tgz", "y"),
        ("C:\\d\\b.tar.xz", "b"),
        ("plain", "plain"),
        ("v1.2.tar", "v1.2"),
    ],
)
def test_the_name_of_an_archive_loses_its_ending(name: str, expected: str) -> None:
    assert archive_name(name) == expected


NAMES = [
    "../x",
    "/x",
    "a/../../x",
    "a\\b",
    "a\x01b",
    "a//b",
    "x" * 300,
    "a/./b",
    "\u202ex",
]


@pytest.mark.parametrize("name", NAMES)
def test_names_that_leave_or_deceive_are_refused(name: str) -> None:
    for data in (tar([(name, b"")]), zipped([(name, b"")])):
        error = refused(data)
        assert "this name is refused" in error.reason
        assert error.path in (name, ascii(name))


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE])
def test_links_in_a_tar_are_refused(kind: bytes) -> None:
    error = refused(tar([("a", b""), special(kind)]))
    assert (error.path, error.reason) == ("odd", "is a link")


@pytest.mark.parametrize(
    "kind", [tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE, b"V"]
)
def test_devices_in_a_tar_are_refused(kind: bytes) -> None:
    error = refused(tar([special(kind)]))
    assert (error.path, error.reason) == ("odd", "is not a regular file")


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (0o120777, "is a link"),
        (0o010644, "is not a regular file"),
        (0o020644, "is not a regular file"),
    ],
)
def test_links_and_devices_in_a_zip_are_refused(mode: int, reason: str) -> None:
    info = zipfile.ZipInfo("odd")
    info.create_system = 3
    info.external_attr = mode << 16
    error = refused(zipped([(info, b"/etc/passwd")]))
    assert (error.path, error.reason) == ("odd", reason)


def test_encrypted_zips_are_refused() -> None:
    data = bytearray(zipped([("a", b"x")]))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert str(refused(bytes(data))) == "a: is encrypted"


def test_a_nul_in_a_zip_name_is_refused() -> None:
    assert "NUL" in refused(zipped([("aXb", b"")]).replace(b"aXb", b"a\0b")).reason


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_repeated_names_are_refused() -> None:
    for data in (tar([("a", b"1"), ("./a", b"2")]), zipped([("a", b"1"), ("a", b"2")])):
        assert str(refused(data)) == "a: this name appears twice"


def test_a_name_cannot_be_file_and_directory() -> None:
    for data in (tar([("a", b""), ("a/b", b"")]), zipped([("a/b/c", b""), ("a", b"")])):
        assert str(refused(data)) == "a: is a file and a directory at once"


@pytest.mark.parametrize("pack", [tar, zipped])
def test_an_archive_that_expands_a_hundred_times_is_stopped(pack: object) -> None:
    assert callable(pack)
    entries = [(f"z{number}", bytes(20 * MEGABYTE)) for number in range(4)]
    error = refused(pack(entries))
    assert error.path == "z0"
    assert "times the size of the archive" in error.reason
    assert "is larger than" in refused(pack([("big", bytes(200 * MEGABYTE))])).reason


def test_a_large_header_is_stopped_too() -> None:
    info = tarfile.TarInfo("p")
    info.pax_headers = {"comment": "A" * (80 * MEGABYTE)}
    error = refused(
        tar([info], format=tarfile.PAX_FORMAT), Limits(ratio_from=MEGABYTE, files=100)
    )
    assert error.reason == "the archive expands to more than is read"


@pytest.mark.parametrize("pack", [tar, zipped])
def test_a_hundred_thousand_files_are_refused(pack: object) -> None:
    assert callable(pack)
    limits = Limits(files=200)
    error = refused(pack([(f"f{number}", b"") for number in range(1000)]), limits)
    assert "is one file more" in error.reason or "lists 1,000 entries" in error.reason
    directories = tar([special(tarfile.DIRTYPE, f"d{number}") for number in range(500)])
    assert "is one entry more" in refused(directories, limits).reason


@pytest.mark.parametrize(
    ("limits", "path", "reason"),
    [
        (Limits(file_bytes=3), "b", "is larger than 3 bytes"),
        (Limits(total_bytes=5), "b", "brings the tree over 5 bytes"),
        (Limits(depth=1), "c/d", "lies deeper than 1 directories"),
        (Limits(files=2), "c/d", "is one file more than the 2 that are read"),
    ],
)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_limits_hold_for_both_kinds(
    limits: Limits, path: str, reason: str, kind: str
) -> None:
    entries = [("a", b"123"), ("b", b"4567"), ("c/d", b"")]
    error = refused(tar(entries, "w") if kind == "tar" else zipped(entries), limits)
    assert (error.path, error.reason) == (path, reason)


def test_what_upstream_archives_hold_can_be_left_out_instead() -> None:
    limits = Limits(file_bytes=3, leave_out=True)
    link = zipfile.ZipInfo("link")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    for data in (
        tar([("a", b"x"), special(tarfile.SYMTYPE, "link"), ("big", b"12345")]),
        zipped([("a", b"x"), (link, b"a"), ("big", b"12345")]),
    ):
        tree = unpack(data, limits=limits)
        assert (list(tree.files), sorted(tree.skipped)) == (["a"], ["big", "link"])


@pytest.mark.parametrize("cut", [1, 20, 600, 60_000])
def test_an_archive_that_was_cut_off_is_refused(cut: int) -> None:
    entries = [("a", bytes(range(256)) * 400), ("b", b"y")]
    for data in (tar(entries), zipped(entries), tar(entries, "w:xz")):
        refused(data[: max(0, len(data) - min(cut, len(data) - 1))])
    plain = tar(entries, "w")
    refused(plain[: 512 + 102_400 + 512 + 512])
    refused(plain[: 512 + 102_400])
    refused(plain[:50_000])
    error = refused(plain[: 512 + 102_400 + 100])
    assert "ends too early" in error.reason


def test_a_damaged_header_is_no_end_of_the_archive() -> None:
    plain = bytearray(tar([("a", b"x"), ("b", b"y"), ("c", b"z")], "w"))
    plain[1024] ^= 0xFF
    error = refused(bytes(plain))
    assert "no header at byte 1,024" in error.reason


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"hello",
        b"hello " * 1000,
        gzip.compress(b"hello" * 1000),
        b"PK\x03\x04",
        b"\xfd7zXZ\x00zz",
        b"\x1f\x8b",
        b"PK",
    ],
)
def test_what_is_no_archive_is_said_in_a_sentence(data: bytes) -> None:
    error = refused(data)
    assert error.path == "Inst.tar.gz"
    assert "\n" not in error.reason


def test_a_damaged_zip_is_refused() -> None:
    data = zipped([("a/b", b"x" * 1000)])
    place = data.index(b"a/b") + 5
    assert "can be read" in refused(data[:place] + b"zz" + data[place + 2 :]).reason


def test_a_very_large_archive_is_not_opened() -> None:
    assert (
        "is larger than 10 bytes"
        in refused(tar(FILES), Limits(archive_bytes=10)).reason
    )


@settings(max_examples=60)
@given(st.lists(st.tuples(st.text(max_size=12), st.binary(max_size=20)), max_size=6))
def test_names_of_archives_come_out_as_they_are_or_not_at_all(
    entries: list[tuple[str, bytes]],
) -> None:
    clean = [(name, data) for name, data in entries if "\0" not in name]
    try:
        data = tar(clean)
    except (UnicodeError, ValueError):
        return
    try:
        tree = unpack(data)
    except ArchiveError:
        return
    assert all(not unsafe_path(path) for path in tree.files)
    assert set(tree.files) <= {name.removeprefix("./") for name, _ in clean}


@given(st.binary(max_size=300))
def test_random_bytes_never_break_the_reader(data: bytes) -> None:
    for start in (b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06", b"\xfd7zXZ\x00"):
        with pytest.raises(ArchiveError):
            unpack(start + data)


def test_a_tree_is_read_from_directory_or_archive(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "a").write_bytes(b"1")
    (tmp_path / "e.zip").write_bytes(zipped([("a", b"1")]))
    assert (
        read_tree(tmp_path / "d").files
        == read_tree(tmp_path / "e.zip").files
        == {"a": b"1"}
    )
    assert read_tree(tmp_path / "e.zip").name == "e"
    with pytest.raises(ArchiveError, match="No such file"):
        read_tree(tmp_path / "none")
    with pytest.raises(ArchiveError, match="neither a directory nor a file"):
        read_tree("/dev/null")
