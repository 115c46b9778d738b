# SPDX-License-Identifier: Apache-2.0
"""The command line: ``trme``, ``python -m trme``.

Answers with exit code 0 if all is as asked, 1 for a mismatch, failing test or failing tool, 2 for bad input, 3 for a missing
tool; 2 and 3 with one sentence on stderr. Commands are named as text and imported when they are called.
"""

import errno
import os
import signal
import sys

from cyclopts import App, CycloptsError, UnusedCliTokensError

from toolchain.errors import TrmeError
from trme import __version__

__all__ = ["app", "main"]

app = App(
    name="trme",
    help="A workbench for matrix hardware without ordinary multipliers: generate, simulate, compare, synthesise.",
    version=__version__,
    help_format="plaintext",
    suppress_keyboard_interrupt=False,  # `main` answers it
)
for _name, _help in (
    ("list", "List the units: what each computes, its parameters and their ranges."),
    ("doctor", "Try every tool the workbench needs and say what is missing."),
    ("generate", "Write a unit's Verilog and manifest."),
    ("sim", "Run the cocotb benches of units on Verilator."),
    ("compare", "Compare a unit's RTL with its golden model at full Verilator speed."),
    ("synth", "Timing and area of a unit on a device, over seeds."),
    ("sweep", "Timing and area at all points of a grid, on many processes, with plots."),
    ("estimate", "Timing and area from a fitted model, at once and without synthesis."),
    ("report", "Write the results of synthesis into README.md and docs/results.md."),
    ("devices", "List the devices of trme synth."),
    ("cache", "Show or clear what is kept of earlier builds."),
    ("run", "Solve a real problem on the hardware."),
):
    app.command(f"trme.commands.{_name}:app", name=_name, help=_help)


def main(words: list[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    try:
        return (
            app(sys.argv[1:] if words is None else words, exit_on_error=False, print_error=False, result_action="return_value")
            or 0
        )
    except UnusedCliTokensError as error:
        return _answer(f"{' '.join(error.unused_tokens or ())!r} is not understood here: see --help", 2)
    except CycloptsError as error:
        return _answer(" ".join(str(error).split()), 2)
    except TrmeError as error:
        return _answer(str(error), error.exit_code)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        return _answer(f"no room is left on the disk for {error.filename or 'what is to be written'}: make room", 2)
    except KeyboardInterrupt:
        return _answer("interrupted", 128 + signal.SIGINT)


def _answer(sentence: str, code: int) -> int:
    print(f"trme: {sentence}", file=sys.stderr)
    return code
