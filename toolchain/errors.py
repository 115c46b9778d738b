# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, each with the exit code that the command line answers with."""

__all__ = ["BadInput", "DiskFull", "Mismatch", "ToolFailed", "ToolMissing", "TrmeError"]


class TrmeError(Exception):
    """Base of all errors that are answered with one sentence instead of a traceback."""

    exit_code = 1


class Mismatch(TrmeError):
    """Hardware and golden model differ, a test failed, or a target was missed."""


class BadInput(TrmeError):
    """A parameter, file or option that cannot be used; the sentence names value, rule and way out."""

    exit_code = 2


class DiskFull(BadInput):
    """A disk has no room left; the sentence says which, and how to get room."""


class ToolMissing(TrmeError):
    """A needed outside program is not there; the sentence says what to install."""

    exit_code = 3


class ToolFailed(TrmeError):
    """An outside program ended with an error."""
