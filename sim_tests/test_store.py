# SPDX-License-Identifier: Apache-2.0
import errno
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

from toolchain.errors import BadInput, DiskFull, ToolFailed
from toolchain.store import Store, content_key


def write(text):
    def build(folder):
        (folder / "result").write_text(text)

    return build


def never(folder):
    raise AssertionError("it was there already")


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def test_entry_is_built_once(store):
    path, hit = store.get("key", write("one"))
    assert ((path / "result").read_text(), hit) == ("one", False)
    assert store.get("key", never) == (path, True)


def test_failed_build_leaves_nothing(store):
    def fail(folder):
        (folder / "half").write_text("x")
        raise RuntimeError("broken")

    with pytest.raises(RuntimeError, match="broken"):
        store.get("key", fail)
    assert not [path for path in store.root.iterdir() if path.is_dir()]
    assert store.get("key", write("good"))[1] is False


@pytest.mark.parametrize("damage", ["change", "truncate", "delete", "unseal", "add"])
def test_damaged_entry_is_noticed_and_built_again(store, capsys, damage):
    path, _ = store.get("key", write("good"))
    match damage:
        case "change":
            (path / "result").write_text("evil")
        case "truncate":
            (path / "result").write_text("")
        case "delete":
            (path / "result").unlink()
        case "unseal":
            (path / "complete.json").unlink()
        case "add":
            (path / "extra").write_text("x")
    assert store.get("key", write("again")) == (path, False)
    assert (path / "result").read_text() == "again"
    assert "damaged, building it again" in capsys.readouterr().err


def test_killed_build_is_not_taken_for_done_and_does_not_block(store):
    code = (
        "import sys, time; from pathlib import Path; from toolchain.store import Store\n"
        "def build(folder):\n"
        "    (folder / 'result').write_text('half'); print('ready', flush=True); time.sleep(60)\n"
        "Store(Path(sys.argv[1])).get('key', build)"
    )
    builder = subprocess.Popen([sys.executable, "-c", code, store.root], stdout=subprocess.PIPE)
    assert builder.stdout.readline() == b"ready\n"
    builder.send_signal(signal.SIGKILL)
    builder.wait()
    builder.stdout.close()
    path, hit = store.get("key", write("whole"))
    assert ((path / "result").read_text(), hit) == ("whole", False)
    assert not list(store.root.glob("building-*"))


def test_two_processes_build_once(store):
    code = (
        "import sys, time; from pathlib import Path; from toolchain.store import Store\n"
        "def build(folder):\n"
        "    time.sleep(0.5); (folder / 'result').write_text('x'); print('built')\n"
        "Store(Path(sys.argv[1])).get('key', build)"
    )
    processes = [subprocess.Popen([sys.executable, "-c", code, store.root], stdout=subprocess.PIPE) for _ in range(3)]
    assert b"".join(process.communicate()[0] for process in processes) == b"built\n"
    assert all(process.returncode == 0 for process in processes)


def test_oldest_unused_entries_go_when_the_limit_is_passed(tmp_path):
    store = Store(tmp_path, limit_bytes=2500)
    for n, name in enumerate("abc"):
        path, _ = store.get(name, write("x" * 1000))
        os.utime(path, (time.time() - 100 + n, time.time() - 100 + n))
    store.get("b", never)  # used just now
    store.get("d", write("x" * 1000))
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {"b", "d"}


@pytest.mark.parametrize("free_bytes", [0, 1 << 30])
def test_full_disk_is_said_whoever_notices_it(store, monkeypatch, free_bytes):
    usage = shutil.disk_usage(store.root)
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=free_bytes))

    def write_fails(folder):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def tool_fails(folder):
        raise ToolFailed("yosys ended with code 1: it printed nothing")

    with pytest.raises(DiskFull, match=r"no room is left on the disk of .*: make room \('trme cache --clear'"):
        store.get("key", write_fails)
    with pytest.raises(ToolFailed if free_bytes else DiskFull):
        store.get("key", tool_fails)
    assert not [path for path in store.root.iterdir() if path.is_dir()]


def test_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match=r"cannot write the cache folder .*; set XDG_CACHE_HOME"):
        Store(tmp_path / "file" / "cache")


def test_keys_differ_wherever_texts_are_cut():
    assert len({content_key("ab", "c"), content_key("a", "bc"), content_key("abc"), content_key("abc", "")}) == 4
