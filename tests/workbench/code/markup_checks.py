"""What several tests of this package ask of HTML."""

from __future__ import annotations

from html.parser import HTMLParser

from workbench.code.markup import visible


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.text: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes nothing")

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"comment {data!r}")

    def handle_decl(self, decl: str) -> None:
        self.problems.append(f"declaration {decl!r}")


def read(html: str) -> _Reader:
    """Return a reader that has read all of `html` with an HTML parser that is not ours."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    reader.problems += [f"<{tag}> stays open" for tag in reader.open]
    return reader


def assert_shows(html: str, text: str) -> None:
    """Fail unless `html` is balanced, safe and shows exactly `text`, pictures for controls included."""
    reader = read(html)
    assert not reader.problems, (reader.problems, html)
    assert "".join(reader.text) == visible(text)
    html.encode("utf-8")
    for tag, name, _ in reader.attributes:
        assert tag in {"span", "ins", "del", "mark", "a"}, html
        assert name in {
            "class",
            "data-name",
            "data-glyph",
            "title",
            "role",
            "aria-label",
            "href",
        }, html
