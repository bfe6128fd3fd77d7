"""A small instance, written out, to be bent into every shape that the tests need."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from curation.format.instance import Instance, load_files

MANIFEST: dict[str, Any] = {
    "benchmark_id": "bank",
    "lean_version": "4.29.1",
    "modes_supported": ["proof", "codeproof"],
    "source": {
        "language": "python",
        "repo_url": "https://example.org/bank",
        "commit_hash": "0123456789abcdef",
    },
    "root_package": "Bank",
    "files": {
        "root_hub": "Bank.lean",
        "harness": "Bank/Harness.lean",
        "test": "Bank/Test.lean",
        "lakefile": "lakefile.toml",
    },
    "packages": [
        {
            "name": "Bank",
            "bundle": "Bank/Bundle.lean",
            "bundle_type": "BankBundle",
            "repo_impl_field": "bank",
            "modules": [
                {
                    "name": "Account",
                    "impl": "Bank/Impl/Account.lean",
                    "spec": "Bank/Spec/Account.lean",
                    "apis": [
                        {"name": "put", "sig": "PutSig"},
                        {"name": "total", "sig": "TotalSig"},
                    ],
                    "specs": [
                        "spec_put_adds",
                        {
                            "name": "spec_total_empty",
                            "equivalence_status": "translated",
                        },
                    ],
                }
            ],
        }
    ],
}

IMPL = """-- !benchmark @start imports
-- !benchmark @end imports

/-! Accounts. The `!benchmark code` slots hold the reference. -/

abbrev Book := List Nat

namespace Bank
abbrev PutSig := Nat → Book → Book
abbrev TotalSig := Book → Nat
end Bank

-- !benchmark @start global_aux
def Bank.helper (n : Nat) : Nat := n
-- !benchmark @end global_aux

-- !benchmark @start code_aux def=put
-- !benchmark @end code_aux def=put

-- !curation @review v1 [ ] put
def Bank.put : Bank.PutSig :=
-- !benchmark @start code def=put
  fun amount book => amount :: book
-- !benchmark @end code def=put

-- !benchmark @start code_aux def=total
-- !benchmark @end code_aux def=total

def Bank.total : Bank.TotalSig :=
-- !benchmark @start code def=total
  fun book => book.foldl (fun sum amount => sum + Bank.helper amount) 0
-- !benchmark @end code def=total
"""

SPEC = """import Bank.Harness

/-- Putting adds. -/
def spec_put_adds (impl : RepoImpl) : Prop :=
  ∀ amount book, impl.bank.total (impl.bank.put amount book) = amount + impl.bank.total book

/-- Nothing sums to zero. -/
def spec_total_empty (impl : RepoImpl) : Prop :=
  impl.bank.total [] = 0
"""

HARNESS = """import Bank.Bundle

structure RepoImpl where
  bank : BankBundle

def canonical : RepoImpl where
  bank := { put := Bank.put, total := Bank.total }

syntax "joint_unsat" ident ident ident* "by" tacticSeq : command
"""

LEAN: dict[str, str] = {
    "Bank.lean": "import Bank.Impl.Account\nimport Bank.Bundle\nimport Bank.Harness\nimport Bank.Spec.Account\nimport Bank.Test\n",
    "Bank/Bundle.lean": "import Bank.Impl.Account\n\nstructure BankBundle where\n  put : Bank.PutSig\n  total : Bank.TotalSig\n",
    "Bank/Harness.lean": HARNESS,
    "Bank/Impl/Account.lean": IMPL,
    "Bank/Spec/Account.lean": SPEC,
    "Bank/Test.lean": "import Bank.Impl.Account\n\n#guard Bank.total (Bank.put 3 []) == 3\n",
}
OTHER: dict[str, str] = {
    "lakefile.toml": 'name = "Bank"\n\n[[lean_lib]]\nname = "Bank"\n',
    "lean-toolchain": "leanprover/lean4:v4.29.1\n",
    "lake-manifest.json": "{}\n",
}


def manifest(**changes: Any) -> dict[str, Any]:
    """Return the manifest with top-level keys replaced; None takes a key away."""
    document = deepcopy(MANIFEST)
    for key, value in changes.items():
        if value is None:
            document.pop(key, None)
        else:
            document[key] = value
    return document


def module(**changes: Any) -> dict[str, Any]:
    """Return a manifest whose one module has some keys replaced; None takes a key away."""
    document = manifest()
    entry = document["packages"][0]["modules"][0]
    for key, value in changes.items():
        if value is None:
            entry.pop(key, None)
        else:
            entry[key] = value
    return document


def files(
    document: dict[str, Any] | str | bytes | None = None,
    changes: dict[str, str | bytes | None] | None = None,
) -> dict[str, bytes]:
    """Return the files, with another manifest and some files replaced, added, or (None) taken away."""
    result = {path: text.encode() for path, text in {**LEAN, **OTHER}.items()}
    if isinstance(document, bytes):
        result["manifest.json"] = document
    elif isinstance(document, str):
        result["manifest.json"] = document.encode()
    else:
        result["manifest.json"] = json.dumps(document or MANIFEST, indent=2).encode()
    for path, data in (changes or {}).items():
        if data is None:
            result.pop(path, None)
        else:
            result[path] = data if isinstance(data, bytes) else data.encode()
    return result


def instance(
    document: dict[str, Any] | str | bytes | None = None,
    changes: dict[str, str | bytes | None] | None = None,
) -> Instance:
    """Return the instance made of `files(document, changes)`."""
    return load_files(files(document, changes), "Bank")


def found(item: Instance, id: str) -> list[tuple[str, int | None, str]]:
    """Return path, line and message of the findings with one id."""
    return [(f.path, f.line, f.message) for f in item.findings if f.id == id]
