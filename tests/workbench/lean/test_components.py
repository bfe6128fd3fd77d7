from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.lean.components import components

graphs = st.dictionaries(st.integers(0, 9), st.lists(st.integers(0, 9), max_size=4))


def reach(start: int, uses: dict[int, list[int]]) -> set[int]:
    seen, todo = {start}, [start]
    while todo:
        for used in uses.get(todo.pop(), ()):
            if used not in seen:
                seen.add(used)
                todo.append(used)
    return seen


@given(graphs)
def test_those_that_reach_each_other_are_together_and_what_is_used_comes_first(
    uses: dict[int, list[int]],
) -> None:
    found = list(components(range(10), uses))
    assert sorted(key for one in found for key in one) == list(range(10))
    place = {key: number for number, one in enumerate(found) for key in one}
    for key in range(10):
        for other in reach(key, uses):
            assert (place[key] == place[other]) == (key in reach(other, uses))
            assert place[other] <= place[key]


def test_a_chain_of_any_length_is_no_trouble() -> None:
    chain = {key: [key + 1] for key in range(50_000)}
    assert len(list(components([0], chain))) == 50_001
