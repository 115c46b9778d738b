# SPDX-License-Identifier: Apache-2.0
"""Tables in Markdown that read well as text too, and pages of which a part is written by a program."""

import re
from collections.abc import Collection, Sequence

from toolchain.errors import BadInput

__all__ = ["markdown_table", "marks", "splice"]


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str] = ()) -> str:
    """Rows under their heads, all columns padded; those in ``right`` to the right."""
    cells = [list(head), *([cell.replace("|", "\\|") for cell in row] for row in rows)]
    widths = [max(3, *(len(row[n]) for row in cells)) for n in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = [
            cell.rjust(width) if name in right else cell.ljust(width)
            for cell, width, name in zip(row, widths, head, strict=True)
        ]
        return f"| {' | '.join(padded)} |"

    rule = ["-" * (width - 1) + ":" if name in right else "-" * width for name, width in zip(head, widths, strict=True)]
    return "\n".join([line(cells[0]), line(rule), *map(line, cells[1:])])


def marks(part: str) -> tuple[str, str]:
    """The lines between which ``trme report`` writes a part of a page."""
    return f"<!-- {part}: begin (trme report) -->", f"<!-- {part}: end -->"


def splice(page: str, part: str, body: str, name: str) -> str:
    """The page with ``body`` between the marks of ``part``.

    Parameters
    ----------
    name : str
        Of the page's file, for messages.

    Raises
    ------
    BadInput
        If the page has not exactly one mark of each kind, in order.
    """
    begin, end = marks(part)
    for mark in (begin, end):
        if page.count(mark) != 1:
            raise BadInput(
                f"{name} must have one line {mark!r}, and has {page.count(mark)}: trme report writes between the marks"
            )
    if page.index(begin) > page.index(end):
        raise BadInput(f"{name} has the line {end!r} before {begin!r}: put them in order, trme report writes between them")
    pattern = re.compile(f"{re.escape(begin)}.*{re.escape(end)}", re.DOTALL)
    return pattern.sub(lambda _: f"{begin}\n\n{body}\n\n{end}", page)
