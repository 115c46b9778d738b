// SPDX-License-Identifier: Apache-2.0
// Runs a Verilated model under cocotb, inside a Python process: see toolchain/simulator.py for why.
// Compiled together with the model, with VPI, and with VM_TRACE_VCD or VM_TRACE_FST if waves are wanted.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <memory>
#include <unistd.h>

#include "Vmodel.h"
#include "verilated_vpi.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
using Waves = VerilatedFstC;
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
using Waves = VerilatedVcdC;
#endif

namespace {

// Value changes may cause value changes.
void settle_callbacks() {
    while (VerilatedVpi::callValueCbs()) {
    }
}

// One time step: evaluate until neither the design nor a callback wants more.
void evaluate(Vmodel &model) {
    do {
        do {
            model.eval_step();
            VerilatedVpi::clearEvalNeeded();
            VerilatedVpi::doInertialPuts();
            settle_callbacks();
        } while (VerilatedVpi::evalNeeded());
        VerilatedVpi::callCbs(cbReadWriteSynch);
        VerilatedVpi::doInertialPuts();
        settle_callbacks();
    } while (VerilatedVpi::evalNeeded());
    model.eval_end_step();
}

}  // namespace

// Never returns: the process ends with code 0 if the simulation ran to its end, whatever the tests in it found.
// `waves` is a file or empty; only the time steps from `first` to `last` are written to it.
extern "C" void trme_simulate(const char *gpi, const char *waves, uint64_t first, uint64_t last, int argc, const char **argv) {
    void *library = dlopen(gpi, RTLD_LAZY | RTLD_GLOBAL);
    auto start = library ? reinterpret_cast<void (*)()>(dlsym(library, "vlog_startup_routines_bootstrap")) : nullptr;
    if (!start) {
        std::fprintf(stderr, "cannot load %s: %s\n", gpi, dlerror());
        _exit(2);
    }
    // VPI works on the thread's current context, which is the default one.
    VerilatedContext *context = Verilated::threadContextp();
    context->commandArgs(argc, argv);
    context->fatalOnVpiError(false);
#if VM_TRACE
    context->traceEverOn(true);
#endif
    auto model = std::make_unique<Vmodel>(context, "");
#if VM_TRACE
    Waves trace;
    if (*waves) {
        model->trace(&trace, 99);
        trace.open(waves);
    }
#else
    (void)waves, (void)first, (void)last;
#endif

    start();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    settle_callbacks();
    while (!context->gotFinish()) {
        evaluate(*model);
        VerilatedVpi::callCbs(cbReadOnlySynch);
#if VM_TRACE
        if (*waves && first <= context->time() && context->time() <= last) trace.dump(context->time());
#endif
        const uint64_t next = VerilatedVpi::cbNextDeadline();
        if (next == ~uint64_t{0}) break;  // nobody waits for anything any more
        context->time(next);
        VerilatedVpi::callCbs(cbNextSimTime);
        settle_callbacks();
        VerilatedVpi::callTimedCbs();
        settle_callbacks();
    }
    model->final();
#if VM_TRACE
    if (*waves) trace.close();
#endif
    // The end-of-simulation callbacks would finalize the Python interpreter that is calling us.
    std::fflush(nullptr);
    _exit(0);
}
