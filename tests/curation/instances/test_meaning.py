from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curation.instances.meaning import meanings, own_hash
from tests.curation.instances.made import IMPL, InstanceCase, import_tiny, tiny

OWN = {1: "a", 2: "b", 3: "c", 4: "d"}


def changed(own: dict[int, str], uses: dict[int, list[int]], key: int) -> set[int]:
    """What means something else when the text of `key` changes."""
    before, after = meanings(own, uses), meanings({**own, key: "new"}, uses)
    return {key for key in own if before[key] != after[key]}


def test_a_change_reaches_all_that_use_it_and_nothing_else() -> None:
    uses = {1: [2], 2: [3], 4: [2]}
    assert changed(OWN, uses, 3) == {1, 2, 3, 4}
    assert changed(OWN, uses, 2) == {1, 2, 4}
    assert changed(OWN, uses, 4) == {4}


def test_definitions_that_use_each_other_change_together() -> None:
    uses = {1: [2], 2: [1, 3], 3: [], 4: [4]}
    assert changed(OWN, uses, 1) == {1, 2}
    assert changed(OWN, uses, 3) == {1, 2, 3}
    assert changed(OWN, uses, 4) == {4}


def test_which_definition_is_used_matters_also_where_no_text_changed() -> None:
    assert meanings(OWN, {1: [2]})[1] != meanings(OWN, {1: [3]})[1]
    assert meanings(OWN, {1: [2]})[1] != meanings(OWN, {1: [2, 3]})[1]
    assert meanings(OWN, {1: [2, 2]}) == meanings(OWN, {1: [2]})


def test_a_long_chain_and_a_large_ring_are_no_trouble() -> None:
    size = 30_000
    own = dict.fromkeys(range(size), "same")
    chain = {key: [key + 1] for key in range(size - 1)}
    assert len(meanings(own, chain)) == size
    ring = meanings(own, {key: [(key + 1) % size] for key in range(size)})
    assert len(set(ring.values())) == 1


graphs = st.dictionaries(
    st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8
)


@given(graphs, st.integers(0, 7))
def test_what_changes_is_just_what_reaches_the_change(
    uses: dict[int, list[int]], key: int
) -> None:
    own = {number: f"text {number}" for number in range(8)}
    reached, todo = {key}, [key]
    while todo:
        used = todo.pop()
        for user, several in uses.items():
            if used in several and user not in reached:
                reached.add(user)
                todo.append(user)
    assert changed(own, uses, key) == reached


@given(graphs)
def test_the_order_of_things_does_not_matter(uses: dict[int, list[int]]) -> None:
    own = {number: f"text {number % 3}" for number in range(8)}
    backwards = {key: own[key] for key in reversed(own)}
    turned = {key: list(reversed(uses[key])) for key in reversed(list(uses))}
    assert meanings(own, uses) == meanings(backwards, turned)


def test_comments_do_not_count() -> None:
    assert own_hash("/-- One. -/ def f := 1") == own_hash("def f := 1 -- one")
    assert own_hash("def f := 1") != own_hash("def f := 2")


class MeaningOfRevisionTest(InstanceCase):
    def hashes(self) -> dict[str, str]:
        rows = self.instance.revisions.get(is_current=True).placements
        return dict(rows.values_list("definition__lean_name", "meaning_hash"))

    def test_every_placement_has_its_hashes(self) -> None:
        for placement in self.instance.revisions.get().placements.all():
            self.assertEqual(placement.own_hash, own_hash(placement.translation.text))
            self.assertEqual(len(placement.meaning_hash), 64)
            self.assertEqual(len(placement.unseen_hash), 64)

    def test_a_comment_changes_no_meaning_a_token_that_of_all_its_users(self) -> None:
        before = self.hashes()
        remark = IMPL.replace(":= n :: xs", ":= n :: xs -- in front")
        import_tiny(None, self.team, tiny(impl=remark))
        self.assertEqual(self.hashes(), before)
        import_tiny(None, self.team, tiny(impl=remark.replace("n :: xs", "xs")))
        after = self.hashes()
        differs = {name for name in before if before[name] != after[name]}
        self.assertEqual(differs, {"cons", "push", "spec_push_size", "canonical"})
