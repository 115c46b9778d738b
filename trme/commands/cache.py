# SPDX-License-Identifier: Apache-2.0
"""``trme cache``."""

from typing import Annotated

from cyclopts import App, Parameter

from toolchain.store import Store
from trme.options import JsonFile, Seed, write_json

app = App(name="cache")


@app.default
def cache(
    *,
    clear: Annotated[bool, Parameter(negative="", help="Remove everything; it is built again when needed.")] = False,
    seed: Seed = 0,
    json: JsonFile = None,
) -> int:
    """Show or clear what is kept of earlier builds."""
    store = Store()
    entries, size = store.usage()
    print(f"{store.root}: {entries} results, {size / 1e6:.1f} MB, at most {store.limit_bytes / 1e6:.0f} MB")
    if clear:
        store.clear()
        print("cleared")
    write_json(json, {"folder": str(store.root), "results": entries, "size_bytes": size, "cleared": clear, "seed": seed})
    return 0
