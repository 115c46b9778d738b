# SPDX-License-Identifier: Apache-2.0
"""Tables for people, which stay readable in a file, a log and a narrow window."""

import io
from collections.abc import Collection, Sequence

__all__ = ["table"]


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Collection[str] = ()) -> str:
    """Rows of text under their heads, columns in ``right`` to the right; never cut, however narrow the window is."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in head:
        drawn.add_column(name, justify="right" if name in right else "left", no_wrap=True)
    for row in rows:
        drawn.add_row(*row)
    stream = io.StringIO()
    Console(file=stream, width=1000, color_system=None, markup=False, emoji=False, highlight=False).print(drawn)
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines())
