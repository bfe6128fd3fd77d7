"""What an honest compiler cannot have written below a module's constants: forged caches, wrong shapes, loose variables."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.workbench.lean import made
from workbench.lean import cached, typed
from workbench.lean.constants import Constant
from workbench.lean.olean import OleanError
from workbench.lean.terms import Bank
from workbench.lean.write import ImageWriter, scalar

Forge = Callable[[ImageWriter], int]


def with_type(forge: Forge) -> bytes:
    """A module with one axiom `a` whose type is the object that `forge` makes."""

    def info(writer: ImageWriter) -> int:
        common = writer.object(0, (writer.name(("a",)), 1, forge(writer)))
        return writer.object(0, (writer.object(0, (common,), (0,)),))

    return with_info(info)


def with_info(forge: Forge) -> bytes:
    """A module with one constant `a`, the object that `forge` makes."""
    writer = ImageWriter(Bank())
    names = writer.array_of([writer.name(("a",))])
    infos = writer.array_of([forge(writer)])
    empty = writer.array_of([])
    root = writer.object(0, (empty, names, infos, empty, empty), (0,))
    return writer.file(root)


def prop(writer: ImageWriter) -> int:
    return writer.term(writer.bank.sort(writer.bank.zero()))


def change(writer: ImageWriter, pointer: int, place: int, value: int) -> int:
    """Overwrite one word of an object that was just made."""
    writer.words[(pointer - writer.base) // 8 + place] ^= value
    return pointer


class TestHonestFiles:
    def test_all_kinds_of_terms_are_read_back(self) -> None:
        bank = Bank()
        constants = made.constants(bank)
        assert (
            list(made.read(made.file_of(bank, constants), bank).constants())
            == constants
        )

    def test_metadata_is_left_out(self) -> None:
        def forge(writer: ImageWriter) -> int:
            inner = prop(writer)
            word = writer._nodes[writer.bank.sort(writer.bank.zero())][1]
            return writer.object(10, (1, inner), (cached.mdata(word),))

        module = made.read(with_type(forge))
        assert module.bank[module.constant(0).type][0] == 3


class TestForgedCaches:
    def test_a_forged_name_hash_is_found(self) -> None:
        """With one, the kernel and a naive reader saw two different terms."""

        def forge(writer: ImageWriter) -> int:
            name = change(writer, writer.name(("sorryAx",)), 3, 1)
            writer._names[("b",)] = (name, writer.words[(name - writer.base) // 8 + 3])
            return writer.term(writer.bank.const(("b",)))

        with pytest.raises(OleanError, match="cached hash of a name"):
            made.read(with_type(forge))

    @pytest.mark.parametrize("bit", [0, 31, 32, 39, 40, 41, 43, 44, 63])
    def test_every_part_of_a_terms_word_is_checked(self, bit: int) -> None:
        def forge(writer: ImageWriter) -> int:
            arrow = writer.term(
                writer.bank.pi(("x",), writer.bank.const(("b",)), writer.bank.bvar(0))
            )
            return change(writer, arrow, 4, 1 << bit)

        with pytest.raises(OleanError, match="cached data of a term"):
            made.read(with_type(forge))

    @pytest.mark.parametrize("bit", [0, 32, 33, 40])
    def test_every_part_of_a_levels_word_is_checked(self, bit: int) -> None:
        def forge(writer: ImageWriter) -> int:
            bank = writer.bank
            level = bank.succ(bank.param(("u",)))
            change(writer, writer.level(level), 2, 1 << bit)
            return writer.term(bank.sort(level))

        with pytest.raises(OleanError, match="cached data of a level"):
            made.read(with_type(forge))

    @pytest.mark.parametrize("kind", ["app", "let", "proj", "const", "lit"])
    def test_the_word_of_each_kind_is_checked(self, kind: str) -> None:
        bank = Bank()
        c = bank.const(("c",))
        term = {
            "app": bank.app(c, c),
            "let": bank.intern((8, ("x",), c, c, bank.bvar(0))),
            "proj": bank.intern((11, ("S",), 1, c)),
            "const": bank.const(("d",), [bank.param(("u",))]),
            "lit": bank.intern((9, "text")),
        }[kind]
        place = {"app": 3, "let": 5, "proj": 4, "const": 3, "lit": 2}[kind]

        def forge(writer: ImageWriter) -> int:
            writer.bank = bank
            return change(writer, writer.term(term), place, 1)

        with pytest.raises(OleanError, match="cached data of a term"):
            made.read(with_type(forge))


class TestForgedShapes:
    @pytest.mark.parametrize("tag", [1, 2])
    def test_free_and_meta_variables_are_refused(self, tag: int) -> None:
        with pytest.raises(OleanError, match="not a term that a constant can have"):
            made.read(
                with_type(
                    lambda writer: writer.object(tag, (writer.name(("x",)),), (0,))
                )
            )

    def test_wrong_arity_is_refused(self) -> None:
        with pytest.raises(OleanError, match="not a term that a constant can have"):
            made.read(with_type(lambda writer: writer.object(5, (prop(writer),), (0,))))

    def test_a_name_where_a_term_belongs_is_refused(self) -> None:
        with pytest.raises(OleanError, match="not a term"):
            made.read(with_type(lambda writer: writer.name(("x",))))

    def test_a_number_where_a_term_belongs_is_refused(self) -> None:
        with pytest.raises(OleanError, match="a number where"):
            made.read(with_type(lambda writer: scalar(3)))

    def test_a_loose_variable_in_a_type_is_refused(self) -> None:
        with pytest.raises(OleanError, match="loose bound variable"):
            made.read(with_type(lambda writer: writer.term(writer.bank.bvar(0))))

    def test_a_variable_out_of_range_is_refused(self) -> None:
        with pytest.raises(OleanError, match="bound variable out of range"):
            made.read(
                with_type(
                    lambda writer: writer.object(typed.BVAR, (scalar(1 << 30),), (0,))
                )
            )

    def test_an_unknown_binder_info_is_refused(self) -> None:
        def forge(writer: ImageWriter) -> int:
            kind = writer.bank.const(("b",))
            return change(writer, writer.term(writer.bank.pi(("x",), kind, kind)), 5, 4)

        with pytest.raises(OleanError, match="not a binder info"):
            made.read(with_type(forge))

    def test_a_small_number_stored_as_a_big_one_is_refused(self) -> None:
        def forge(writer: ImageWriter) -> int:
            here = writer.base + 8 * (len(writer.words) + 3)
            small = writer._store((0xFA << 56 | 32 << 32, 1 | 1 << 32, here, 5))
            return writer.object(9, (writer.object(0, (small,)),), (0,))

        with pytest.raises(OleanError, match="negative or small"):
            made.read(with_type(forge))

    def test_a_negative_number_is_refused(self) -> None:
        def forge(writer: ImageWriter) -> int:
            here = writer.base + 8 * (len(writer.words) + 3)
            minus_one = (1 << 32) - 1
            negative = writer._store(
                (0xFA << 56 | 32 << 32, 1 | minus_one << 32, here, 1 << 63)
            )
            return writer.object(9, (writer.object(0, (negative,)),), (0,))

        with pytest.raises(OleanError, match="negative or small"):
            made.read(with_type(forge))

    def test_a_name_of_thousands_of_components_is_refused(self) -> None:
        with pytest.raises(OleanError, match="more than 100 components"):
            made.read(with_type(lambda w: w.term(w.bank.const(tuple(["x"] * 101)))))

    def test_a_constant_at_thousands_of_levels_is_refused(self) -> None:
        with pytest.raises(OleanError, match="more than 100 levels"):
            made.read(
                with_type(lambda w: w.term(w.bank.const(("x",), [w.bank.zero()] * 101)))
            )


class TestForgedConstants:
    def test_a_kind_that_does_not_exist_is_refused(self) -> None:
        with pytest.raises(OleanError, match="where a constant belongs"):
            made.read(with_info(lambda writer: writer.object(8, (prop(writer),))))

    def test_a_flag_out_of_range_is_refused(self) -> None:
        def forge(writer: ImageWriter) -> int:
            common = writer.common(
                Constant(("a",), "axiom", (), writer.bank.sort(writer.bank.zero()))
            )
            return writer.object(0, (writer.object(0, (common,), (2,)),))

        with pytest.raises(OleanError, match="flag out of range"):
            made.read(with_info(forge))

    def test_a_theorem_without_its_proof_is_refused(self) -> None:
        def forge(writer: ImageWriter) -> int:
            common = writer.common(
                Constant(("a",), "axiom", (), writer.bank.sort(writer.bank.zero()))
            )
            return writer.object(2, (writer.object(0, (common, scalar(0))),))

        with pytest.raises(OleanError, match="the data of a constant"):
            made.read(with_info(forge))

    def test_a_constant_under_another_name_than_listed_is_refused(self) -> None:
        bank = Bank()
        axiom = Constant(("b",), "axiom", (), bank.sort(bank.zero()))

        def forge(writer: ImageWriter) -> int:
            writer.bank = bank
            return writer.constant(axiom)

        with pytest.raises(OleanError, match="listed as a has another name"):
            made.read(with_info(forge))

    def test_a_constant_twice_in_a_module_is_refused(self) -> None:
        bank = Bank()
        axiom = Constant(("b",), "axiom", (), bank.sort(bank.zero()))
        with pytest.raises(OleanError, match="occurs twice"):
            made.read(made.file_of(bank, [axiom, axiom]))

    def test_one_part_of_a_module_in_three_is_refused(self) -> None:
        writer = ImageWriter(Bank())
        empty = writer.array_of([])
        data = writer.file(writer.object(0, (empty,) * 5, (1,)))
        with pytest.raises(
            OleanError,
            match=r"one part of a module in three.*\.server and \.olean\.private",
        ):
            made.read(data)
