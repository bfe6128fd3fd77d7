from __future__ import annotations

import pytest

from .. import small

Changes = dict[str, str | bytes | None]


def found(changes: Changes, id: str) -> list[tuple[str, int | None, str]]:
    return small.found(small.instance(changes=changes), id)


def test_files_that_are_imported_but_not_listed_are_told() -> None:
    changes: Changes = {
        "Bank/More.lean": "",
        "Bank/Spec/Account.lean": "import Bank.More\n" + small.SPEC,
    }
    assert found(changes, "file-unlisted") == [
        ("Bank/More.lean", None, "imported, but not named in the manifest")
    ]
    assert found(changes, "file-unreachable") == []


def test_files_that_nothing_imports_are_told_with_their_slots() -> None:
    changes: Changes = {"Bank/Old.lean": small.IMPL, "Stale.lean": "import Bank\n"}
    assert [
        (path, message.partition("; ")[2])
        for path, _, message in found(changes, "file-unreachable")
    ] == [
        ("Bank/Old.lean", "it holds 6 slots"),
        ("Stale.lean", ""),
    ]


def test_files_that_solvers_do_not_see_are_told() -> None:
    changes: Changes = {"src/bank.py": "x", "LICENSE": "free", "README.md": "x"}
    assert [path for path, _, _ in found(changes, "file-not-shown")] == [
        "README.md",
        "src/bank.py",
    ]


def test_imports_of_nothing_are_errors_and_of_libraries_are_told() -> None:
    changes: Changes = {
        "Bank/Test.lean": "-- c\nimport Bank.Nothing\nimport Mathlib.Data.Nat\nimport Std\n"
    }
    assert found(changes, "import-missing") == [
        ("Bank/Test.lean", 2, "imports Bank.Nothing: there is no such file")
    ]
    assert [line for _, line, _ in found(changes, "import-external")] == [3, 4]


def test_circles_are_errors() -> None:
    changes: Changes = {"Bank/Impl/Account.lean": "import Bank.Harness\n" + small.IMPL}
    assert [path for path, _, _ in found(changes, "import-cycle")] == [
        "Bank/Bundle.lean",
        "Bank/Harness.lean",
        "Bank/Impl/Account.lean",
    ]


TOML = '[[require]]\nname = "mathlib"\nscope = "leanprover-community"\n'


@pytest.mark.parametrize(
    ("lakefile", "test", "unused", "undeclared"),
    [
        (TOML, "", ["mathlib is required and never imported"], []),
        (TOML, "import Mathlib.Tactic\n", [], []),
        (TOML, "import Batteries\n", ["mathlib is required and never imported"], []),
        (
            "",
            "import Mathlib\n",
            [],
            ["Mathlib is imported and lakefile.toml does not require it"],
        ),
        ("", "import Std\nimport Init.Grind\n", [], []),
        ("", "prelude\nimport Pocket\n", [], []),
        ("not toml [", "import Mathlib\n", [], []),
    ],
)
def test_requirements_and_imports_fit(
    lakefile: str, test: str, unused: list[str], undeclared: list[str]
) -> None:
    item = small.instance(changes={"lakefile.toml": lakefile, "Bank/Test.lean": test})
    assert [m for _, _, m in small.found(item, "dependency-unused")] == unused
    assert [m for _, _, m in small.found(item, "dependency-undeclared")] == undeclared


def test_a_lakefile_in_lean_is_read_too() -> None:
    document = small.manifest(files={"lakefile": "lakefile.lean"})
    changes: Changes = {
        "lakefile.lean": 'import Lake\nrequire mathlib from git "x"\nrequire "a" / "batteries"\n'
    }
    item = small.instance(document, changes)
    assert [m.split()[0] for _, _, m in small.found(item, "dependency-unused")] == [
        "batteries",
        "mathlib",
    ]


def test_shipped_proof_files_are_told() -> None:
    changes: Changes = {
        "Bank/Proof/Account.lean": "",
        "Bank/Proof/Extra.lean": "",
        "Bank.lean": small.LEAN["Bank.lean"] + "import Bank.Proof.Extra\n",
        "Bank/Proof_modeproof/Account.lean": "",
    }
    assert found(changes, "proof-file-shipped") == [
        (
            "Bank/Proof/Account.lean",
            None,
            "a Proof file in the instance; replaced by a generated file",
        ),
        ("Bank/Proof/Extra.lean", None, "a Proof file in the instance; kept as it is"),
    ]


def test_spec_files_in_other_places_are_told() -> None:
    item = small.instance(
        small.module(name="Area/Account", spec="Bank/Area/Spec.lean"),
        {"Bank/Area/Spec.lean": small.SPEC},
    )
    assert small.found(item, "spec-path-unusual") == [
        (
            "Bank/Area/Spec.lean",
            None,
            "the spec file of module Area/Account is the Lean module Bank.Area.Spec",
        )
    ]


@pytest.mark.parametrize(
    ("syntax", "message"),
    [
        ("", "no command joint_unsat"),
        (
            'syntax "joint_unsat" : tactic',
            "joint_unsat is a tactic here, not a command",
        ),
        ('syntax "joint_unsat" ident : command', None),
        ('syntax (name := j) "joint_unsat" ident : command', None),
    ],
)
def test_a_missing_joint_command_is_told(syntax: str, message: str | None) -> None:
    harness = small.HARNESS[: small.HARNESS.index("syntax")] + syntax + "\n"
    assert [
        m for _, _, m in found({"Bank/Harness.lean": harness}, "joint-macro-missing")
    ] == ([message] if message else [])
