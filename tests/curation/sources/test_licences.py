"""Licences are known by what they name and by what they say."""

from __future__ import annotations

from unittest import TestCase

from curation.sources.licences import licence_in, licence_of

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person\nobtaining a copy … without restriction, including"
BSD = "Redistribution and use in source and\nbinary forms, with or without modification"


class LicenceTest(TestCase):
    def test_an_spdx_line_is_believed(self) -> None:
        self.assertEqual(
            licence_of("# SPDX-License-Identifier: LGPL-2.1-or-later\n" + MIT),
            "LGPL-2.1-or-later",
        )

    def test_texts_are_known_however_they_are_broken_into_lines(self) -> None:
        self.assertEqual(licence_of(MIT), "MIT")
        self.assertEqual(licence_of(BSD), "BSD-2-Clause")
        self.assertEqual(licence_of(BSD + "\nNeither the name of"), "BSD-3-Clause")
        self.assertEqual(
            licence_of("Apache License\n   Version 2.0, January 2004"), "Apache-2.0"
        )
        self.assertEqual(
            licence_of("GNU LESSER GENERAL PUBLIC LICENSE Version 3"), "LGPL-3.0"
        )

    def test_what_is_unknown_is_not_guessed(self) -> None:
        self.assertEqual(licence_of("All rights reserved. Ask us."), "")

    def test_the_file_nearest_to_the_top_decides(self) -> None:
        files = {
            "vendor/x/LICENSE": BSD.encode(),
            "LICENSE.txt": MIT.encode(),
            "src/a.py": b"",
        }
        self.assertEqual(licence_in(files), "MIT")
        self.assertEqual(licence_in({"src/licences.py": MIT.encode()}), "")
        self.assertEqual(licence_in({"LICENSE": b"\xff\xfe"}), "")
