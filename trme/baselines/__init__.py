# SPDX-License-Identifier: Apache-2.0
"""Units as one would write them without a thought for speed: what ``--baseline`` measures a unit against.

They are never emitted: a unit's own Verilog may not divide, these may.
"""

import hashlib
from dataclasses import dataclass, replace

from hdl.manifest import Emission, Manifest

__all__ = ["Baseline"]


@dataclass(frozen=True)
class Baseline:
    """The naive form of a unit.

    Parameters
    ----------
    text : str
        What is computed, in few words.
    emission : Emission
        It has the ports of the unit's free-running core.
    """

    text: str
    emission: Emission

    @classmethod
    def like(cls, core: Manifest, text: str, verilog: str, *, top: str, latency_cycles: int) -> "Baseline":
        """A baseline with the ports of ``core``; ``verilog`` has the module ``top``, which takes an item in every cycle."""
        digest = hashlib.sha256(verilog.encode()).hexdigest()
        manifest = replace(
            core, top=top, latency_cycles=latency_cycles, initiation_interval_cycles=1, verilog_sha256=digest, tool_versions={}
        )
        return cls(text, Emission(verilog, manifest))
