# SPDX-License-Identifier: Apache-2.0
"""Results kept by content.

An entry is a folder named by the hash of all that went into it. It is built aside under a lock and renamed when complete, so
that it is there whole or not at all, whoever else builds at the same time or is killed on the way; and its files are checked
against their hashes when it is opened.
"""

import errno
import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import platformdirs
from filelock import FileLock

from toolchain.errors import BadInput, DiskFull, ToolFailed

__all__ = ["Store", "content_key"]

_SEAL = "complete.json"
_FULL = (errno.ENOSPC, errno.EDQUOT)
_FULL_BYTES = 64 << 10
"""A program that failed with less than this left on the disk failed for that."""


def content_key(*parts: str | bytes) -> str:
    """A hash over texts, in which no two different lists of texts meet."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()[:32]


class Store:
    """A folder of entries.

    Parameters
    ----------
    root : Path, optional
        The user's cache folder for ``trme`` by default.
    limit_bytes : int
        When an entry is added and all together are larger, those longest unused go, except the new one.

    Raises
    ------
    BadInput
        If the folder cannot be written.
    """

    def __init__(self, root: Path | None = None, limit_bytes: int = 4 << 30):
        self.root = root or platformdirs.user_cache_path("trme")
        self.limit_bytes = limit_bytes
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.root):
                pass
        except OSError as error:
            raise BadInput(f"cannot write the cache folder {self.root}: {error.strerror}; set XDG_CACHE_HOME") from error

    def get(self, key: str, build: Callable[[Path], None]) -> tuple[Path, bool]:
        """The entry's folder, and whether it was there already.

        Parameters
        ----------
        key : str
            From `content_key`.
        build : callable
            Fills the empty folder it is given. If it raises, nothing is kept.

        Raises
        ------
        DiskFull
            If there is no room for the entry, or for what is made on the way to it.
        """
        entry = self.root / key
        if self._is_whole(entry):
            os.utime(entry)
            return entry, True
        with self._full_disk_said(), FileLock(self.root / f"{key}.lock"):
            if self._is_whole(entry):  # built by another while we waited
                return entry, True
            if entry.exists():
                print(f"trme: the cached result {key} is damaged, building it again", file=sys.stderr)
                shutil.rmtree(entry)
            for left in self.root.glob(f"building-{key}-*"):  # by a build that was killed: we hold its lock
                shutil.rmtree(left, ignore_errors=True)
            aside = Path(tempfile.mkdtemp(prefix=f"building-{key}-", dir=self.root))
            try:
                with self._full_disk_said():  # while what fills it is still there
                    build(aside)
                (aside / _SEAL).write_text(json.dumps(_hashes(aside)))
                aside.rename(entry)
            finally:
                shutil.rmtree(aside, ignore_errors=True)
        self._trim(keep=entry)
        return entry, False

    @contextmanager
    def _full_disk_said(self) -> Iterator[None]:
        """A failure for want of room becomes the sentence that says so, whoever noticed it first."""
        try:
            yield
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise self._disk_full() from error
        except ToolFailed as error:
            if _free_bytes(self._fullest()) >= _FULL_BYTES:
                raise
            raise self._disk_full() from error

    def _fullest(self) -> Path:
        """Of the folders that a build writes into, the one with the least room."""
        return min(self.root, Path(tempfile.gettempdir()), key=_free_bytes)

    def _disk_full(self) -> DiskFull:
        return DiskFull(
            f"no room is left on the disk of {self._fullest()}: make room ('trme cache --clear' empties the cache), or set "
            "XDG_CACHE_HOME and TMPDIR to folders on a larger disk"
        )

    @staticmethod
    def _is_whole(entry: Path) -> bool:
        try:
            return json.loads((entry / _SEAL).read_text()) == _hashes(entry)
        except (OSError, ValueError):
            return False

    def usage(self) -> tuple[int, int]:
        """Number of entries, and their size in bytes."""
        sizes = self._sizes()
        return len(sizes), sum(sizes.values())

    def clear(self) -> None:
        """Remove all entries, one after the other, each under its lock: a build that is running is not disturbed."""
        for path in self._sizes():
            with FileLock(self.root / f"{path.name}.lock"):
                shutil.rmtree(path, ignore_errors=True)

    def _sizes(self) -> dict[Path, int]:
        """Entries and their sizes; others may remove entries or files meanwhile."""
        sizes = {}
        for path in self.root.iterdir():
            if not path.name.startswith("building-") and (path / _SEAL).exists():
                try:
                    sizes[path] = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
                except FileNotFoundError:
                    continue
        return sizes

    def _trim(self, keep: Path) -> None:
        sizes = self._sizes()
        excess = sum(sizes.values()) - self.limit_bytes
        if excess <= 0:
            return
        for path in sorted(sizes, key=_used_s):
            if excess <= 0:
                break
            if path != keep:
                excess -= sizes[path]
                shutil.rmtree(path, ignore_errors=True)


def _free_bytes(folder: Path) -> int:
    return shutil.disk_usage(folder).free


def _used_s(entry: Path) -> float:
    """When an entry was last used; 0 if it is gone."""
    try:
        return entry.stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != _SEAL)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
