"""The outer form of compiled files. Files come from the writer and are then damaged word by word."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.workbench.lean import made
from workbench.lean.module import Module
from workbench.lean.olean import HEADER_WORDS, Image, OleanError, open_image
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter, scalar


def words_of(data: bytes) -> array[int]:
    return array("Q", data)


def image_of(data: bytes | array[int]) -> Image:
    return Image("M", [memoryview(bytes(data))])


def objects_file(build: Callable[[ImageWriter], int]) -> bytes:
    writer = ImageWriter(Bank())
    root = build(writer)
    return writer.file(root)


@pytest.fixture
def good() -> bytes:
    bank = Bank()
    return made.file_of(bank, made.constants(bank))


class TestHeader:
    def test_it_names_the_lean_that_wrote_the_file(self, good: bytes) -> None:
        assert image_of(good).lean == "4.35.0"

    def test_it_refuses_an_empty_file(self, tmp_path: Path) -> None:
        path = tmp_path / "M.olean"
        path.write_bytes(b"")
        with pytest.raises(OleanError, match=r"M\.olean: the file is empty"):
            open_image(path)

    def test_it_refuses_another_kind_of_file(self, good: bytes) -> None:
        with pytest.raises(OleanError, match="does not start with “olean”"):
            image_of(b"\x7fELF\0" + good[5:])

    @pytest.mark.parametrize(("version", "flags"), [(1, 1), (3, 1), (2, 0), (2, 3)])
    def test_it_names_version_and_flags_that_it_does_not_know(
        self, good: bytes, version: int, flags: int
    ) -> None:
        with pytest.raises(
            OleanError,
            match=f"format version {version}, flags {flags}; .* 4\\.35\\.0 .format version 2, flags 1",
        ):
            image_of(good[:5] + bytes((version, flags)) + good[7:])

    def test_it_names_a_lean_that_it_was_not_tested_on(self, good: bytes) -> None:
        with pytest.raises(
            OleanError, match=r"by Lean '9\.99\.0'.*tested on Lean 4\.35\.0"
        ):
            image_of(good[:7] + b"9.99.0" + good[13:])

    def test_it_refuses_a_base_that_lean_never_chooses(self, good: bytes) -> None:
        with pytest.raises(OleanError, match="impossible base address"):
            image_of(good[:80] + struct.pack("<Q", 0x1234) + good[88:])


class TestObjects:
    def test_every_truncation_is_an_error(self, good: bytes) -> None:
        for size in range(0, len(good), 8):
            with pytest.raises(OleanError):
                image_of(good[:size])
        with pytest.raises(OleanError, match="not a whole compiled file"):
            image_of(good[:-3])

    def test_trailing_bytes_are_an_error(self, good: bytes) -> None:
        with pytest.raises(OleanError):
            image_of(good + bytes(8))

    def test_an_object_that_nothing_points_to_is_an_error(self) -> None:
        def build(writer: ImageWriter) -> int:
            writer.string("nobody wants me")
            return writer.object(0, (writer.string("root"),))

        with pytest.raises(OleanError, match="nothing points to this object"):
            image_of(objects_file(build))

    def test_a_root_pointer_that_leads_elsewhere_is_an_error(self, good: bytes) -> None:
        words = words_of(good)
        words[11] = words[10] + HEADER_WORDS * 8
        with pytest.raises(OleanError, match="root pointer"):
            image_of(words.tobytes())

    @pytest.mark.parametrize("target", [-8, 4, 1 << 20, 1 << 62, 0])
    def test_a_pointer_outside_or_between_objects_is_an_error(
        self, target: int
    ) -> None:
        def build(writer: ImageWriter) -> int:
            writer.string("s")
            return writer.object(
                0, ((writer.base + 8 * HEADER_WORDS + target) & ~1 if target else 0,)
            )

        with pytest.raises(OleanError, match=r"earlier object|out of range"):
            image_of(objects_file(build))

    def test_a_cycle_is_an_error(self) -> None:
        def build(writer: ImageWriter) -> int:
            first = writer.object(0, (scalar(0),))
            second = writer.object(0, (first,))
            writer.words[-4 + 1] = second
            return second

        with pytest.raises(OleanError, match="not an earlier object"):
            image_of(objects_file(build))

    def test_an_object_that_points_to_itself_is_an_error(self) -> None:
        def build(writer: ImageWriter) -> int:
            here = writer.base + 8 * len(writer.words)
            return writer.object(0, (here,))

        with pytest.raises(OleanError, match="not an earlier object"):
            image_of(objects_file(build))

    @pytest.mark.parametrize("tag", [245, 247, 252, 253, 254, 255])
    def test_closures_tasks_and_external_objects_are_refused(self, tag: int) -> None:
        with pytest.raises(OleanError, match=f"tag {tag} cannot be stored"):
            image_of(
                objects_file(lambda writer: writer._store((tag << 56 | 16 << 32, 1)))
            )

    def test_a_counter_that_is_not_zero_is_refused(self) -> None:
        with pytest.raises(OleanError, match="wrong object header"):
            image_of(objects_file(lambda writer: writer._store((16 << 32 | 1, 1))))

    def test_an_object_smaller_than_its_fields_is_refused(self) -> None:
        with pytest.raises(OleanError, match="wrong object header"):
            image_of(
                objects_file(lambda writer: writer._store((2 << 48 | 16 << 32, 1)))
            )


class TestStrings:
    def damaged(
        self, change: Callable[[array[int], int], None], text: str = "naïve"
    ) -> bytes:
        def build(writer: ImageWriter) -> int:
            pointer = writer.string(text)
            at = (pointer - writer.base) // 8
            change(writer.words, at)
            return writer.object(0, (pointer,))

        return objects_file(build)

    def test_text_is_read_back(self) -> None:
        image = image_of(self.damaged(lambda words, at: None, "naïve 𝔸"))
        assert image.string(HEADER_WORDS) == "naïve 𝔸"

    def test_a_wrong_length_is_an_error(self) -> None:
        def change(words: array[int], at: int) -> None:
            words[at + 3] += 1

        with pytest.raises(OleanError, match="string of 5 characters says it has 6"):
            image_of(self.damaged(change))

    def test_a_string_without_its_closing_zero_is_an_error(self) -> None:
        def change(words: array[int], at: int) -> None:
            words[at + 4] |= 0xFF << 56

        with pytest.raises(OleanError, match="not closed by zeros"):
            image_of(self.damaged(change))

    def test_bytes_that_are_not_text_are_an_error(self) -> None:
        def change(words: array[int], at: int) -> None:
            words[at + 4] |= 0xFF

        with pytest.raises(OleanError, match="not UTF-8"):
            image_of(self.damaged(change))

    def test_a_size_beyond_the_file_is_an_error(self) -> None:
        def change(words: array[int], at: int) -> None:
            words[at + 1] = words[at + 2] = 1 << 60

        with pytest.raises(OleanError, match="past the end"):
            image_of(self.damaged(change))


class TestBigNumbers:
    def damaged(self, place: int, value: int) -> bytes:
        def build(writer: ImageWriter) -> int:
            pointer = writer.number(5 << 64)
            writer.words[(pointer - writer.base) // 8 + place] = value
            return writer.object(0, (pointer,))

        return objects_file(build)

    def test_they_are_read_back(self) -> None:
        assert image_of(self.damaged(3, 0)).big_number(HEADER_WORDS) == 5 << 64

    @pytest.mark.parametrize(
        ("place", "value"),
        [(1, 0), (1, 3 | 2 << 32), (2, 8), (4, 0), (0, 250 << 56)],
        ids=[
            "no digits",
            "room to spare",
            "digits elsewhere",
            "leading zero",
            "wrong size",
        ],
    )
    def test_what_is_not_canonical_is_an_error(self, place: int, value: int) -> None:
        with pytest.raises(OleanError, match="big number"):
            image_of(self.damaged(place, value))


class TestParts:
    def test_three_parts_of_different_compilations_are_refused(
        self, good: bytes
    ) -> None:
        with pytest.raises(OleanError, match="not of one compilation"):
            Image("M", [memoryview(good)] * 3)

    def test_two_parts_are_refused(self, good: bytes) -> None:
        with pytest.raises(OleanError, match="not 2"):
            Image("M", [memoryview(good)] * 2)


class TestConstructedParts:
    """Three files of one module made by hand: each part lies behind the one before it, as Lean maps them."""

    def parts(self) -> list[bytes]:
        bank = Bank()
        made_parts, base = [], 1 << 32
        for constants in ([], [], made.constants(bank)):
            writer = ImageWriter(bank, base)
            root = writer.module_data([], constants)
            writer.words[-1] = 1  # the flag of the root: part of a module in three
            data = writer.file(root)
            made_parts.append(data)
            base += (len(data) + 0xFFFF) // 0x10000 * 0x10000
        return made_parts

    def written(self, folder: Path, parts: dict[str, bytes]) -> Path:
        for suffix, data in parts.items():
            (folder / f"M.olean{suffix}").write_bytes(data)
        return folder / "M.olean"

    def test_together_they_are_read_and_the_last_says_what_is_in_the_module(
        self, tmp_path: Path
    ) -> None:
        first, server, private = self.parts()
        path = self.written(tmp_path, {"": first, ".server": server, ".private": private})  # fmt: skip
        module = Module(("M",), open_image(path), Bank())
        assert module.image.parts == 3
        assert ("t",) in module.names

    @pytest.mark.parametrize("missing", [".server", ".private"])
    def test_what_lacks_a_part_is_refused(self, tmp_path: Path, missing: str) -> None:
        first, server, private = self.parts()
        parts = {"": first, ".server": server, ".private": private}
        del parts[missing]
        with pytest.raises(OleanError, match="one part of a module in three"):
            Module(("M",), open_image(self.written(tmp_path, parts)), Bank())

    def test_parts_beside_a_module_in_one_file_are_refused(
        self, good: bytes, tmp_path: Path
    ) -> None:
        _, server, private = self.parts()
        path = self.written(tmp_path, {"": good, ".server": server, ".private": private})  # fmt: skip
        with pytest.raises(OleanError, match="beside a module in one file"):
            Module(("M",), open_image(path), Bank())

    @pytest.mark.parametrize(("at", "what"), [(39, b"x"), (60, b"x")])
    def test_parts_of_two_builds_of_lean_are_refused(
        self, at: int, what: bytes
    ) -> None:
        parts = self.parts()
        parts[2] = parts[2][:at] + what + parts[2][at + 1 :]
        with pytest.raises(OleanError):
            Image("M", [memoryview(part) for part in parts])

    def test_mapped_parts_are_the_same_bytes_as_parts_put_together(
        self, tmp_path: Path
    ) -> None:
        parts = self.parts()
        path = self.written(tmp_path, dict(zip(("", ".server", ".private"), parts, strict=True)))  # fmt: skip
        mapped, copied = open_image(path), Image("M", [memoryview(p) for p in parts])
        assert mapped.digest == copied.digest
        assert mapped.data == copied.data
        assert mapped.data.readonly

    def test_an_empty_part_is_an_error(self, tmp_path: Path) -> None:
        first, server, _ = self.parts()
        path = self.written(tmp_path, {"": first, ".server": server, ".private": b""})
        with pytest.raises(OleanError, match="the file is empty"):
            open_image(path)
