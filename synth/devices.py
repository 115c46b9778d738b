# SPDX-License-Identifier: Apache-2.0
"""The devices: one table of what each family's tools need and how its resources are called."""

from dataclasses import dataclass, replace

from toolchain.errors import BadInput

__all__ = ["DEVICES", "GENERIC", "RESOURCES", "Device", "Family", "find_device"]

RESOURCES = ("LUT", "FF", "DSP", "BRAM")
"""What every report counts, whatever a family calls it."""


@dataclass(frozen=True)
class Family:
    """Devices that share their tools.

    Parameters
    ----------
    name : str
        Also the name of its technology map (synth/maps/NAME.v) and of its cells' models (synth/cells/NAME/), if it has them.
    synthesis : str
        The Yosys command and the options that it always gets.
    place_and_route : str
        The nextpnr program, without a prefix.
    netlist_resources : dict of str to tuple of str
        For each of `RESOURCES` the cells of Yosys' netlist that count as one, or, as ``CELL:n``, as n.
    finish : tuple of str
        Yosys' commands after the synthesis command; they find synth/maps/NAME_finish.v, if there is one, as ``finish.v``.
    pads : str
        Yosys' command that puts pads at the wrapper's pins, where the synthesis command would put them at the unit's too.
    options : tuple of str
        Of nextpnr, always.
    caveat : str
        What to know before believing its timing; empty if nothing.
    simulation_models : tuple of str
        Files in Yosys' share folder that simulate the cells of a netlist.
    """

    name: str
    synthesis: str
    place_and_route: str
    netlist_resources: dict[str, tuple[str, ...]]
    finish: tuple[str, ...] = ()
    pads: str = ""
    options: tuple[str, ...] = ()
    caveat: str = ""
    simulation_models: tuple[str, ...] = ()


@dataclass(frozen=True)
class Device:
    """One device and speed grade.

    Parameters
    ----------
    name : str
        As on the command line.
    part : str
        As the vendor calls it.
    family : Family
    options : tuple of str
        Of nextpnr, that name it.
    synthesis_options : tuple of str
        Of the Yosys command.
    capacity : dict of str to int
        How many of each of `RESOURCES` it has, as nextpnr reports them.
    clock_limit_mhz : float or None
        The most that its clock network carries, by the datasheet ...
    clock_limit_source : str
        ... of which this is the place. If None, why it is not known.
    aim_mhz : float
        What nextpnr is told to reach if nobody says: more than a plain design has, so that it tries.
    synthesis_options : str
        Of the Yosys command.
    constraints : str
        Text of a file that nextpnr insists on, such as the places of the wrapper's four pins ...
    constraints_options : tuple of str
        ... and the options that take it as ``constraints``.
    """

    name: str
    part: str
    family: Family
    options: tuple[str, ...]
    capacity: dict[str, int]
    clock_limit_mhz: float | None
    clock_limit_source: str
    aim_mhz: float
    synthesis_options: str = ""
    constraints: str = ""
    constraints_options: tuple[str, ...] = ()


def _pins(form: str, clk: str, rst: str, serial_in: str, serial_out: str) -> str:
    """A constraints file: ``form`` for each of the wrapper's pins."""
    pins = {"clk": clk, "rst": rst, "serial_in": serial_in, "serial_out": serial_out}
    return "".join(form.format(pin, place) + "\n" for pin, place in pins.items())


_ECP5 = Family(
    "ecp5", "synth_ecp5", "nextpnr-ecp5",
    {"LUT": ("LUT4", "CCU2C:2", "TRELLIS_DPR16X4:4"), "FF": ("TRELLIS_FF",), "DSP": ("MULT18X18D",), "BRAM": ("DP16KD",)},
    simulation_models=("ecp5/cells_sim.v",),
)  # fmt: skip
_ICE40 = Family(
    "ice40", "synth_ice40 -abc9", "nextpnr-ice40",
    {
        "LUT": ("SB_LUT4",), "DSP": ("SB_MAC16",), "BRAM": ("SB_RAM40_4K",),
        "FF": tuple(
            f"SB_DFF{edge}{kind}" for edge in ("", "N") for kind in ("", "E", "SR", "R", "SS", "S", "ESR", "ER", "ESS", "ES")
        ),
    },
    simulation_models=("ice40/cells_sim.v",),
)  # fmt: skip
_ICE40UP = replace(  # never -dsp: Yosys 0.70 then loses multipliers with registers before, in and behind them
    _ICE40, name="ice40up", synthesis="synth_ice40 -abc9 -device u",
    caveat="nextpnr takes every pin of SB_MAC16 as a register's, whatever its configuration, and times no path inside it",
)  # fmt: skip
_NEXUS = Family(
    "nexus", "synth_nexus -family lifcl", "nextpnr-nexus",
    {
        "LUT": ("LUT4", "INV", "CCU2:2", "WIDEFN9:2", "DPR16X4:4"), "FF": ("FD1P3BX", "FD1P3DX", "FD1P3IX", "FD1P3JX"),
        "DSP": ("MULT9X9", "MULT18X18", "MULT18X36:2", "MULT36X36:4"), "BRAM": ("PDPSC16K", "DP16K", "PDP16K", "SP16K"),
    },
    finish=(
        "techmap -map finish.v t:VLO", "techmap -max_iter 1 -map finish.v t:CCU2", "hilomap -singleton -locell VLO Z", "clean",
    ),
    options=("--router", "router1"),  # the default one finds no way to the clock
    caveat="nextpnr 0.11 has no delays of the DSPs' adders (ACC54), which our map leaves out; where it lacked those of another "
    "block, since added, a board failed at a clock that it had promised (nextpnr issue 1007)",
    simulation_models=("lattice/cells_sim_nexus.v",),
)  # fmt: skip
_GOWIN = Family(
    "gowin", "synth_gowin -noiopads", "nextpnr-himbaechel-gowin",
    {
        "LUT": ("LUT1", "LUT2", "LUT3", "LUT4", "ALU", "RAM16SDP4:8"),
        "FF": tuple(f"DFF{edge}{kind}" for edge in ("", "N") for kind in ("", "E", "S", "SE", "R", "RE", "P", "PE", "C", "CE")),
        "DSP": ("MULT9X9", "MULT18X18", "MULT36X36:4"), "BRAM": ("DPB", "DPX9B", "SDPB", "SDPX9B", "SP", "SPX9"),
    },
    pads="iopadmap -bits -inpad IBUF O:I -outpad OBUF I:O",
    caveat="nextpnr 0.11 has no delays of Gowin's DSPs, with or without registers: Fmax is far too good; without DSPs it was "
    "some 20 % above Gowin's own tool (nextpnr pull request 1345): compare designs, promise nothing",
    simulation_models=("gowin/cells_sim.v",),
)  # fmt: skip
_GATEMATE = Family(
    "gatemate", "synth_gatemate -noiopad -luttree -nomx8", "nextpnr-himbaechel-gatemate",
    {
        "LUT": ("CC_LUT1", "CC_LUT2", "CC_L2T4:2", "CC_L2T5:3", "CC_MX2", "CC_MX4:2", "CC_ADDF"),
        "FF": ("CC_DFF",), "DSP": (), "BRAM": ("CC_BRAM_20K", "CC_BRAM_40K:2"),
    },
    finish=("autoname",),  # as the other synthesis commands do by themselves: reports tell what a cell is by its name
    pads="iopadmap -bits -inpad CC_IBUF Y:I -outpad CC_OBUF A:O",
    options=("--vopt", "allow-unconstrained"),
    caveat="GateMate has no DSP blocks, and its multipliers are chains of logic elements that no technology map pipelines yet; "
    "the vendor's place and route reached about twice nextpnr's Fmax in a user's design (nextpnr issue 1732)",
    simulation_models=("gatemate/cells_sim.v",),
)  # fmt: skip

_ECP5_LIMITS = {8: 370.0, 7: 303.0, 6: 257.0}
_ECP5_SIZES = {25: (24288, 28, 56), 45: (43848, 72, 108), 85: (83640, 156, 208)}
_UNCHECKED = "given from memory of {}, not looked up again"

DEVICES = (
    *(
        Device(
            f"ecp5-{size}k-{speed}", f"LFE5U-{size}F-{speed}BG381C", _ECP5,
            (f"--{size}k", "--package", "CABGA381", "--speed", str(speed)),
            {"LUT": logic, "FF": logic, "DSP": dsp, "BRAM": bram},
            _ECP5_LIMITS[speed], "primary clock, " + _UNCHECKED.format("Lattice FPGA-DS-02012, fMAX_PRI"), 700.0,
        )
        for size, (logic, dsp, bram) in _ECP5_SIZES.items() for speed in (6, 7, 8)
    ),
    Device(
        "ice40-hx8k", "ICE40HX8K-CT256", _ICE40, ("--hx8k", "--package", "ct256"),
        {"LUT": 7680, "FF": 7680, "DSP": 0, "BRAM": 32},
        275.0, "global buffer, Lattice FPGA-DS-02029 (DS1040), HX devices, fMAX_GBUF", 300.0, "-device hx",
    ),
    Device(
        "ice40-up5k", "ICE40UP5K-SG48", _ICE40UP, ("--up5k", "--package", "sg48"),
        {"LUT": 5280, "FF": 5280, "DSP": 8, "BRAM": 30},
        185.0, "global buffer, Lattice FPGA-DS-02008, table 4.21, fMAX_GBUF", 200.0,
    ),
    Device(
        "nexus-lifcl-40", "LIFCL-40-9BG400C", _NEXUS, ("--device", "LIFCL-40-9BG400C"),
        {"LUT": 32256, "FF": 32256, "DSP": 56, "BRAM": 84}, None, "not found in a source at hand", 500.0, "",
        _pins("ldc_set_location -site {{{1}}} [get_ports {0}]", "L13", "G13", "F16", "E11"), ("--pdc", "constraints"),
    ),
    Device(
        "gowin-gw2a-18", "GW2A-LV18PG256C8/I7", _GOWIN, ("--device", "GW2A-LV18PG256C8/I7", "--vopt", "family=GW2A-18"),
        {"LUT": 20736, "FF": 15552, "DSP": 96, "BRAM": 46}, None, "not found in a source at hand", 500.0, "-family gw2a",
        _pins('IO_LOC "{}" {};', "H11", "T10", "L14", "L16"), ("--vopt", "cst=constraints"),
    ),
    Device(
        "gowin-gw1n-9", "GW1N-LV9QN88C6/I5", _GOWIN, ("--device", "GW1N-LV9QN88C6/I5", "--vopt", "family=GW1N-9"),
        {"LUT": 8640, "FF": 6480, "DSP": 40, "BRAM": 26}, None, "not found in a source at hand", 300.0, "-family gw1n",
        _pins('IO_LOC "{}" {};', "52", "4", "10", "11"), ("--vopt", "cst=constraints"),
    ),
    Device(
        "gatemate-ccgm1a1", "CCGM1A1", _GATEMATE, ("--device", "CCGM1A1"),
        {"LUT": 40960, "FF": 40960, "DSP": 0, "BRAM": 64}, None, "not found in a source at hand", 200.0,
    ),
)  # fmt: skip
"""All devices. Capacities are those of nextpnr 0.11's reports."""

GENERIC = "generic"
"""The name of no device: Yosys only."""


def find_device(name: str) -> Device:
    """The device of that name.

    Raises
    ------
    BadInput
        If there is none.
    """
    by_name = {device.name: device for device in DEVICES}
    if name not in by_name:
        import difflib

        near = difflib.get_close_matches(name, [*by_name, GENERIC], n=1)
        meant = f"did you mean {near[0]}? " if near else ""
        raise BadInput(f"there is no device {name!r}: {meant}'trme devices' lists all")
    return by_name[name]
