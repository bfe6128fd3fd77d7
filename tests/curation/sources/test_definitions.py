from __future__ import annotations

from typing import Any

import pytest

from curation.sources.definitions import manifest_entries

MODULE: dict[str, Any] = {
    "name": "Seq",
    "apis": [{"name": "first", "source_id": "a.dfy:First:1"}],
    "types": [{"name": "T"}],
    "api_helpers": ["helper"],
    "spec_helpers": [{"name": "pred"}],
    "specs": ["spec_a", {"name": "spec_b", "source_line": 3}],
    "spec_metadata": [{"name": "spec_a", "source_id": "a.dfy:A:9"}],
}


class TestManifestEntries:
    def test_it_yields_every_definition_with_its_kind_and_module(self) -> None:
        found = list(manifest_entries({"packages": [{"modules": [MODULE]}]}))
        assert [(one.kind, one.name) for one in found] == [
            ("api", "first"),
            ("type", "T"),
            ("helper", "helper"),
            ("helper", "pred"),
            ("spec", "spec_a"),
            ("spec", "spec_b"),
        ]
        assert {one.module for one in found} == {"Seq"}
        assert found[0].module_entry is MODULE

    def test_metadata_of_a_spec_is_joined_to_its_name(self) -> None:
        found = {
            one.name: one.entry
            for one in manifest_entries({"packages": [{"modules": [MODULE]}]})
        }
        assert found["spec_a"]["source_id"] == "a.dfy:A:9"
        assert found["spec_b"]["source_line"] == 3
        assert found["helper"] == {}

    @pytest.mark.parametrize(
        "document",
        [
            {},
            {"packages": None},
            {
                "packages": [
                    1,
                    {"modules": 2},
                    {"modules": [None, {"specs": {}, "apis": [1, {}, {"name": 2}]}]},
                ]
            },
            {
                "packages": [
                    {"modules": [{"name": "M", "spec_metadata": ["x", {"role": "y"}]}]}
                ]
            },
        ],
    )
    def test_other_shapes_are_passed_over(self, document: dict[str, Any]) -> None:
        assert list(manifest_entries(document)) == []
