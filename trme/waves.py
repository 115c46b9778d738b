# SPDX-License-Identifier: Apache-2.0
"""Reading values out of waves that the native model wrote: a clock cycle is 10 ns, registers change in its middle."""

from pathlib import Path

from vcd.reader import TokenKind, tokenize

__all__ = ["values_at"]

_PERIOD_PS = 10_000


def values_at(path: Path, wanted: dict[str, int]) -> dict[str, int]:
    """Values of signals, each in the first half of a clock cycle.

    Parameters
    ----------
    path : Path
        A VCD file.
    wanted : dict of str to int
        Path of a signal below the top module, and the cycle.

    Returns
    -------
    dict of str to int
        Without signals that the file does not have or whose cycle it does not cover.
    """
    codes: dict[str, list[str]] = {}  # identifier to the names it stands for
    values: dict[str, int] = {}
    found: dict[str, int] = {}
    scope: list[str] = []
    now = None

    def keep() -> None:
        for name, cycle in wanted.items():
            if now == cycle * _PERIOD_PS and name in values:
                found[name] = values[name]

    with path.open("rb") as file:
        for token in tokenize(file):
            match token.kind:
                case TokenKind.SCOPE:
                    scope.append(token.scope.ident)
                case TokenKind.UPSCOPE:
                    scope.pop()
                case TokenKind.VAR:
                    name = ".".join([*scope, token.var.reference])
                    for signal in wanted:
                        if name.endswith(f".{signal}"):
                            codes.setdefault(token.var.id_code, []).append(signal)
                case TokenKind.CHANGE_TIME:
                    keep()
                    now = token.time_change
                case TokenKind.CHANGE_VECTOR | TokenKind.CHANGE_SCALAR:
                    change = token.vector_change if token.kind is TokenKind.CHANGE_VECTOR else token.scalar_change
                    for signal in codes.get(change.id_code, ()):
                        values[signal] = int(change.value)
    keep()
    return found
