"""Trees of files: their digest, and storing the same thing once."""

from __future__ import annotations

import hashlib
import threading
from unittest import TestCase

from django.db import connection
from django.db.models import ProtectedError
from hypothesis import given
from hypothesis import strategies as st

from tests.case import CommittedTestCase, WorkbenchTestCase
from workbench.content.models import Blob, Entry, Snapshot
from workbench.content.trees import (
    read_file,
    read_tree,
    store_blobs,
    store_tree,
    tree_digest,
)

PATHS = st.text(
    st.characters(codec="utf-8", exclude_characters="\n\x00"), min_size=1, max_size=20
)
TREES = st.dictionaries(PATHS, st.binary(max_size=30), max_size=8)


class TreeDigestTest(TestCase):
    def test_it_is_the_hash_over_sorted_lines_of_hash_and_path(self) -> None:
        one, two = hashlib.sha256(b"x").hexdigest(), hashlib.sha256(b"").hexdigest()
        expected = hashlib.sha256(f"{two} A\n{one} b/c\n".encode()).hexdigest()
        self.assertEqual(tree_digest({"b/c": b"x", "A": b""}), expected)

    def test_an_empty_tree_has_the_digest_of_nothing(self) -> None:
        self.assertEqual(tree_digest({}), hashlib.sha256(b"").hexdigest())

    def test_paths_sort_by_their_bytes_and_not_by_code_units(self) -> None:
        # U+FF5E sorts after U+1F600 in UTF-16 and before it in UTF-8.
        files = {"～": b"1", "😀": b"2"}
        lines = "".join(
            f"{hashlib.sha256(files[path]).hexdigest()} {path}\n"
            for path in ("～", "😀")
        )
        self.assertEqual(tree_digest(files), hashlib.sha256(lines.encode()).hexdigest())

    @given(TREES, st.randoms())
    def test_it_does_not_depend_on_the_order_of_reading(
        self, files: dict[str, bytes], random: object
    ) -> None:
        shuffled = list(files.items())
        random.shuffle(shuffled)  # type: ignore[attr-defined]  # hypothesis gives a random.Random
        self.assertEqual(tree_digest(dict(shuffled)), tree_digest(files))

    @given(TREES, TREES)
    def test_different_trees_have_different_digests(
        self, one: dict[str, bytes], other: dict[str, bytes]
    ) -> None:
        self.assertEqual(tree_digest(one) == tree_digest(other), one == other)


class StoreTreeTest(WorkbenchTestCase):
    files = {
        "A.lean": b"def a := 1\n",
        "sub/B.lean": b"\xff\x00\r\n",
        "copy": b"def a := 1\n",
        "empty": b"",
    }

    def test_it_gives_back_the_same_bytes_in_the_order_of_paths(self) -> None:
        snapshot = store_tree(self.files)
        self.assertEqual(read_tree(snapshot), self.files)
        self.assertEqual(list(read_tree(snapshot)), sorted(self.files))
        self.assertEqual((snapshot.file_count, snapshot.total_size), (4, 26))
        self.assertEqual(snapshot.digest, tree_digest(self.files))

    def test_equal_files_are_one_blob(self) -> None:
        store_tree(self.files)
        self.assertEqual(Blob.objects.count(), 3)

    def test_the_same_tree_again_is_the_same_snapshot(self) -> None:
        first = store_tree(self.files)
        with self.assertMostQueries(3):  # a savepoint and the look-up
            again = store_tree(dict(reversed(self.files.items())))
        self.assertEqual(again.pk, first.pk)
        self.assertEqual(Entry.objects.count(), 4)

    def test_a_tree_that_shares_files_stores_only_what_is_new(self) -> None:
        store_tree(self.files)
        store_tree(self.files | {"new": b"new"})
        self.assertEqual(Blob.objects.count(), 4)

    def test_it_reads_one_file(self) -> None:
        snapshot = store_tree(self.files)
        self.assertEqual(read_file(snapshot, "sub/B.lean"), b"\xff\x00\r\n")
        self.assertEqual(read_file(snapshot, "empty"), b"")
        self.assertIsNone(read_file(snapshot, "not there"))

    def test_a_blob_in_use_cannot_be_deleted(self) -> None:
        store_tree(self.files)
        with self.assertRaises(ProtectedError):
            Blob.objects.all().delete()

    def test_more_files_than_a_batch_are_stored(self) -> None:
        files = {f"f{number}": str(number % 500).encode() for number in range(1000)}
        self.assertEqual(read_tree(store_tree(files)), files)
        self.assertEqual(Blob.objects.count(), 500)

    def test_storing_known_blobs_leaves_them_alone(self) -> None:
        key = hashlib.sha256(b"x").hexdigest()
        store_blobs({key: b"x"})
        store_blobs({key: b"x"})
        self.assertEqual(Blob.objects.get().size, 1)


class ConcurrentStoreTest(CommittedTestCase):
    def test_two_who_store_overlapping_trees_at_once_both_succeed(self) -> None:
        trees = [
            {f"f{number}": str(number).encode() for number in range(start, start + 60)}
            for start in (0, 0, 30, 30)
        ]
        start = threading.Barrier(len(trees))
        failures: list[BaseException] = []
        found: list[str] = []

        def store(files: dict[str, bytes]) -> None:
            try:
                start.wait(10)
                found.append(store_tree(files).digest)
            except BaseException as error:  # reported in the test's own thread
                failures.append(error)
            finally:
                connection.close()

        threads = [threading.Thread(target=store, args=(files,)) for files in trees]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])
        self.assertEqual(sorted(found), sorted(tree_digest(files) for files in trees))
        self.assertEqual(Snapshot.objects.count(), 2)
        for snapshot in Snapshot.objects.all():
            self.assertEqual(tree_digest(read_tree(snapshot)), snapshot.digest)
