"""Pictures of boards: shapes, tables, sentences, downloads. No database."""

from __future__ import annotations

import csv
import io
import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest

from adjudication.standings.charts.bars import (
    Pair,
    Reasons,
    failures,
    pair_bars,
    solvers,
)
from adjudication.standings.charts.curves import Series, curves
from adjudication.standings.charts.matrix import Cell, Column, Row, matrix
from adjudication.standings.charts.picture import (
    Picture,
    csv_text,
    listing,
    standalone,
    svg_of,
    text,
)
from adjudication.standings.charts.table import table_html

NASTY = '<script>"&'


def drawn(picture: Picture) -> ET.Element:
    """Return the file of a picture, parsed: it must be well-formed."""
    return ET.fromstring(picture.file)


def classes(picture: Picture) -> list[str]:
    return [one.get("class", "") for one in drawn(picture).iter() if one.get("class")]


def made_matrix() -> Picture:
    rows = [Row("a", "proof", "verified"), Row(NASTY, "proof", "reported")]
    columns = [Column("none", 0), Column("both", 2), Column("one", 1)]
    cells = {
        (0, 0): Cell(0, 9, "/0"),
        (0, 1): Cell(5, 5, "/1"),
        (0, 2): Cell(4, 7, "/2"),
        (1, 1): Cell(5, 5, "/3"),
        (1, 2): Cell(7, 7, "/4?a=1&b=2"),
    }
    return matrix(rows, columns, cells)


def test_instances_are_grouped_by_how_many_rows_solve_them() -> None:
    picture = made_matrix()
    assert [row[:2] for row in picture.rows] == [("both", 2), ("one", 1), ("none", 0)]
    assert picture.sentence == "1 of 3 are solved by every row, 1 by none."


def test_cells_differ_by_shape() -> None:
    links = drawn(made_matrix()).findall(".//{*}a")
    shapes = {
        link.get("href"): [
            (one.tag.rsplit("}", 1)[-1], one.get("class", "")) for one in link[1:]
        ]
        for link in links
    }
    assert shapes["/1"] == [("rect", "f-full")]
    assert ("path", "axis") in shapes["/0"]
    assert ("rect", "f-part") not in shapes["/0"]
    assert ("text", "strong") in shapes["/2"]
    assert [link[-1].text for link in links if link.get("href") == "/2"] == ["3"]


def test_a_cell_that_was_not_handed_in_is_not_drawn_and_not_zero() -> None:
    picture = made_matrix()
    assert len(drawn(picture).findall(".//{*}a")) == 5
    assert picture.rows[2][3] is None
    assert picture.rows[2][2] == "0 of 9"


def test_cells_are_links_with_titles_and_places_for_the_keyboard() -> None:
    links = drawn(made_matrix()).findall(".//{*}a")
    assert [link.get("data-at") for link in links] == [
        "0 0",
        "0 1",
        "0 2",
        "1 0",
        "1 1",
    ]
    assert links[0].findtext("{*}title") == "both, a, proof: 5 of 5"
    assert 'role="group"' in made_matrix().svg


def test_names_are_escaped() -> None:
    assert "<script>" not in made_matrix().svg
    for picture in (
        pair_bars([Pair(NASTY, (1, 2, 3, 4))]),
        failures([Reasons(NASTY, "proof", {"sorry": 2})], {"sorry": "bad"}),
        curves([Series(NASTY, "proof", True, 1, (1.0,), 0)]),
    ):
        drawn(picture)
        assert "<script>" not in picture.svg


def test_a_drawing_that_leaves_the_site_is_xml_whatever_names_hold() -> None:
    # A name with a control character cannot be written in XML, not even escaped.
    drawn = svg_of(1, 1, "a\x01b", [text(0, 0, "\x00\x1b\x7f <\ufffe\U0001f600&\t")])
    root = ET.fromstring(standalone(drawn))
    assert root.get("aria-label") == "a\ufffdb"
    assert "".join(root.itertext()).endswith("\ufffd\ufffd\x7f <\ufffd\U0001f600&\t")


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_runs_no_formula(start: str) -> None:
    written = csv_text(("name",), [(f"{start}cmd()",), (-3,), (None,)])
    rows = list(csv.reader(io.StringIO(written, newline="")))
    assert rows == [["name"], [f"'{start}cmd()"], ["-3"], [""]]


def test_the_head_of_a_csv_runs_no_formula_either() -> None:
    assert csv_text(("=1+1",), []).startswith("'=1+1")


def test_failures_are_counted_most_frequent_first() -> None:
    rows = [
        Reasons("a", "proof", {"sorry": 2, "unfilled": 7}),
        Reasons("b", "proof", {"sorry": 1, "declined": 1}),
    ]
    picture = failures(rows, {"unfilled": "off", "declined": "warn", "sorry": "bad"})
    assert picture.head[3:] == ("unfilled", "sorry", "declined")
    assert picture.rows == (("a", "proof", 9, 7, 2, 0), ("b", "proof", 2, 0, 1, 1))
    assert picture.sentence == "7 of 11 specs that did not pass are unfilled."
    assert {"f-part", "f-bad", "f-warn"} <= set(classes(picture))


def test_nothing_failed_is_no_picture() -> None:
    picture = failures([Reasons("a", "proof", {})], {})
    assert (picture.svg, picture.rows) == ("", ())
    assert picture.empty


def test_pairs_say_both_one_and_neither() -> None:
    picture = pair_bars([Pair("a", (1, 2, 0, 4)), Pair("b", (3, 0, 0, 4))])
    assert picture.rows == (("a", 1, 2, 0, 4), ("b", 3, 0, 0, 4))
    assert picture.sentence.startswith("Of 14 pairs of a configuration and an instance")
    assert "4 are solved in both modes, 2 only with code, 0 only as proof" in (
        picture.sentence
    )


def test_solvers_name_some_of_those_solved_by_none() -> None:
    picture = solvers([(2, 3), (0, 6)], list("abcdef"))
    assert picture.sentence == "6 of 9 are solved by none: a, b, c and 3 more."
    assert listing(["a", "b"]) == "a and b"


def test_curves_count_only_recorded_times() -> None:
    series = [
        Series("a", "proof", True, 1, (0.5, 2.0, 7.0), 1),
        Series("b", "code+proof", False, 2, (), 4),
        Series("c", "code+proof", False, 3, (0.1,), 0),
    ]
    picture = curves(series)
    assert [row[0] for row in picture.rows] == ["a", "c"]
    assert picture.head[2:] == (
        "first, min", "0.5 h", "1 h", "2 h", "4 h", "8 h", "without a time",
    )  # fmt: skip
    assert picture.rows[0] == ("a", "proof", 30.0, 1, 1, 2, 2, 3, 1)
    assert "a, proof, is ahead with 3 full solves" in picture.sentence
    assert [one for one in classes(picture) if one.startswith("curve")] == [
        "curve s3c",
        "curve s1c proof",
    ]


def test_without_any_time_there_is_no_curve_and_it_says_why() -> None:
    picture = curves([Series("b", "proof", True, 2, (), 4)])
    assert picture.svg == ""
    assert "run.json" in picture.empty


def test_a_table_escapes_and_puts_numbers_right() -> None:
    picture = Picture("x", NASTY, "", "<svg></svg>", ("configuration", "mode", NASTY), ((NASTY, "proof", 1_200), ("b", None, None)), "")  # fmt: skip
    html = table_html(picture)
    assert "<script>" not in html
    assert "<th>Configuration</th><th>Mode</th>" in html
    assert '<td class="num">1,200</td>' in html
    assert '<td><span class="faint">–</span></td>' in html
    ET.fromstring(html)


def test_labels_of_curves_stand_apart_and_above_the_axis() -> None:
    hours = (0.5, 1.0)
    many = [Series(f"agent {n}", "proof", True, 1, hours, 0) for n in range(12)]
    texts = [
        one
        for one in drawn(curves(many)).iter("{http://www.w3.org/2000/svg}text")
        if "agent" in (one.text or "")
    ]
    places = sorted(float(one.get("y", "0")) for one in texts)
    assert len(places) == 12
    assert all(after - before >= 15 for before, after in pairwise(places))
    assert places[-1] < 290


def test_within_a_group_the_instance_that_most_specs_pass_of_comes_first() -> None:
    columns = [Column("few", 0), Column("most", 0, disputed=2)]
    cells = {(0, 0): Cell(1, 10, "/"), (0, 1): Cell(9, 10, "/")}
    picture = matrix([Row("a", "proof", "verified")], columns, cells)
    assert [row[0] for row in picture.rows] == ["most", "few"]
    assert "most ◆" in picture.svg
    assert "few ◆" not in picture.svg
