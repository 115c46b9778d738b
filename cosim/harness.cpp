// SPDX-License-Identifier: Apache-2.0
// A Verilated model behind plain C functions. Compiled together with the model and a table of its ports:
//   static void *port_address(Vmodel &model, int index);   generated from the manifest
//   static CData &clock_of(Vmodel &model), &reset_of(Vmodel &model);

#include <cstdint>
#include <cstring>

#include "verilated_syms.h"
#if VM_TRACE_FST
#include "verilated_fst_c.h"
using Waves = VerilatedFstC;
#elif VM_TRACE_VCD
#include "verilated_vcd_c.h"
using Waves = VerilatedVcdC;
#endif
#if TRME_SAVABLE
#include "verilated_save.h"
#endif

#define TRME_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr uint64_t PERIOD_PS = 10000;

struct Simulation {
    VerilatedContext context;
    Vmodel model{&context, "TOP"};
    uint64_t cycles = 0;
#if VM_TRACE
    Waves waves;
    uint64_t first = 0, last = 0;
#endif

    // First half of a cycle: inputs take effect. Second half: registers take over.
    void settle() {
        clock_of(model) = 0;
        model.eval();
        dump(0);
    }
    void advance() {
        clock_of(model) = 1;
        model.eval();
        dump(PERIOD_PS / 2);
        ++cycles;
    }
    void dump(uint64_t offset_ps) {
#if VM_TRACE
        if (waves.isOpen() && first <= cycles && cycles <= last) waves.dump(cycles * PERIOD_PS + offset_ps);
#else
        (void)offset_ps;
#endif
    }
};

// One side of a run; the layout is mirrored in cosim/model.py.
struct Channel {
    int32_t payload_port, valid_port, ready_port;  // ready_port < 0: always ready
    uint32_t stall;                                // of 2^32, chance to pause in a cycle
    uint64_t random;                               // state of xorshift64, not 0
    uint64_t count, done;                          // transfers wanted, transfers seen
    uint64_t stride;                               // bytes of a payload
    uint8_t *data;                                 // count * stride bytes
    uint64_t *at_cycle;                            // count cycles in which the transfers happened
};

// Most payloads are a word; a call of memcpy for each would be a tenth of a small model's cycle.
inline void copy(uint8_t *to, const uint8_t *from, uint64_t size) {
    switch (size) {
        case 1: *to = *from; break;
        case 2: std::memcpy(to, from, 2); break;
        case 4: std::memcpy(to, from, 4); break;
        case 8: std::memcpy(to, from, 8); break;
        default: std::memcpy(to, from, size);
    }
}

// A channel while it runs: what changes, kept close.
struct Side {
    uint8_t *payload;
    CData *valid, *ready;
    uint8_t *next;
    uint64_t *at_cycle;
    uint64_t left, stride, surplus = 0, random;
    uint32_t stall;
    bool offering = false;
    Channel *channel;

    Side(Channel *channel, Vmodel &model)
        : payload(static_cast<uint8_t *>(port_address(model, channel->payload_port))),
          valid(static_cast<CData *>(port_address(model, channel->valid_port))),
          ready(channel->ready_port < 0 ? nullptr : static_cast<CData *>(port_address(model, channel->ready_port))),
          next(channel->data),
          at_cycle(channel->at_cycle),
          left(channel->count),
          stride(channel->stride),
          random(channel->random),
          stall(channel->stall),
          channel(channel) {}

    uint32_t draw() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return static_cast<uint32_t>(random >> 32);
    }

    bool pauses() { return stall != 0 && draw() < stall; }

    bool transfers() const { return *valid && (!ready || *ready); }

    // What is offered stays until it is taken. Without valid the payload means nothing; it shows other items, so that a
    // design that looks all the same is caught.
    void offer() {
        offering = left != 0 && !pauses();
        *valid = offering;
        if (offering)
            copy(payload, next, stride);
        else if (channel->count)
            std::memcpy(payload, channel->data + draw() % channel->count * stride, stride);
    }

    void count(uint64_t cycle) {
        *at_cycle++ = cycle;
        next += stride;
        --left;
    }

    void finish() const { channel->done = channel->count - left + surplus; }
};

// The width of a memory's words, by whichever name this Verilator has for it.
template <class Variable>
auto bits_of(const Variable &variable, int) -> decltype(uint64_t(variable.entBits())) {
    return variable.entBits();
}
template <class Variable>
auto bits_of(const Variable &variable, long) -> decltype(uint64_t(variable.packed().elements())) {
    return variable.packed().elements();
}

constexpr int MAX_CHANNELS = 16;

}  // namespace

TRME_EXPORT void *trme_create() {
    auto *simulation = new Simulation;
#if VM_TRACE
    simulation->context.traceEverOn(true);
    simulation->model.trace(&simulation->waves, 99);
#endif
    simulation->settle();
    return simulation;
}

TRME_EXPORT void trme_destroy(void *handle) {
    auto *simulation = static_cast<Simulation *>(handle);
    simulation->model.final();
#if VM_TRACE
    simulation->waves.close();
#endif
    delete simulation;
}

TRME_EXPORT uint64_t trme_cycles(void *handle) { return static_cast<Simulation *>(handle)->cycles; }

TRME_EXPORT void trme_step(void *handle, uint64_t n) {
    auto &simulation = *static_cast<Simulation *>(handle);
    for (; n; --n) {
        simulation.settle();
        simulation.advance();
    }
    simulation.settle();
}

TRME_EXPORT void trme_reset(void *handle, uint64_t n) {
    auto &simulation = *static_cast<Simulation *>(handle);
    reset_of(simulation.model) = 1;
    trme_step(handle, n);
    reset_of(simulation.model) = 0;
    simulation.settle();
}

TRME_EXPORT void trme_poke(void *handle, int32_t port, const uint8_t *data, uint64_t size) {
    auto &simulation = *static_cast<Simulation *>(handle);
    std::memcpy(port_address(simulation.model, port), data, size);
    simulation.settle();
}

TRME_EXPORT void trme_peek(void *handle, int32_t port, uint8_t *data, uint64_t size) {
    std::memcpy(data, port_address(static_cast<Simulation *>(handle)->model, port), size);
}

#if VM_TRACE
// Waves of the cycles from `first` to `last` go to a file; an empty name ends that.
TRME_EXPORT void trme_trace(void *handle, const char *file, uint64_t first, uint64_t last) {
    auto &simulation = *static_cast<Simulation *>(handle);
    simulation.waves.close();
    simulation.first = first;
    simulation.last = last;
    if (*file) simulation.waves.open(file);
}
#endif

#if TRME_SAVABLE
TRME_EXPORT int32_t trme_save(void *handle, const char *file) {
    auto &simulation = *static_cast<Simulation *>(handle);
    VerilatedSave out;
    out.open(file);
    if (!out.isOpen()) return 1;
    out << simulation.cycles << simulation.model;
    out.close();
    return 0;
}

TRME_EXPORT int32_t trme_restore(void *handle, const char *file) {
    auto &simulation = *static_cast<Simulation *>(handle);
    VerilatedRestore in;
    in.open(file);
    if (!in.isOpen()) return 1;
    in >> simulation.cycles >> simulation.model;
    in.close();
    return 0;
}
#endif

// A memory that was made public: where its words are, how many, and how many bits each has. Null if there is none.
TRME_EXPORT void *trme_memory(void *handle, const char *scope, const char *name, uint64_t *words, uint64_t *bits) {
    const VerilatedScope *found = static_cast<Simulation *>(handle)->context.scopeFind(scope);
    VerilatedVar *variable = found ? found->varFind(name) : nullptr;
    if (!variable || variable->udims() != 1) return nullptr;
    *words = variable->totalSize() / variable->entSize();
    *bits = bits_of(*variable, 0);
    return variable->datap();
}

namespace {

// The loop of a run. With one stream on either side and no pauses they are locals, which the compiler keeps in registers.
template <bool SIMPLE>
int32_t loop(Simulation &simulation, Side *from, Side *from_end, Side *to, Side *to_end, uint64_t patience, uint64_t tail,
             const volatile int32_t *stop) {
    uint64_t idle = 0, rest = tail, left = 0;
    int32_t result = 0;
    const auto offer = [&](Side &side) __attribute__((always_inline)) {
        if (!side.offering && (side.left || (!SIMPLE && side.stall) || *side.valid)) side.offer();
    };
    const auto accept = [&](Side &side) __attribute__((always_inline)) {
        if (!side.offering || !side.transfers()) return;
        side.count(simulation.cycles);
        side.offering = false;
        --left;
        idle = 0;
    };
    const auto take = [&](Side &side) __attribute__((always_inline)) {
        if (!side.transfers()) return;
        idle = 0;
        if (side.left) {
            copy(side.next, side.payload, side.stride);
            side.count(simulation.cycles);
            --left;
        } else {
            ++side.surplus;
        }
    };
    Side input = *from, output = *to;
    for (Side *side = from; side != from_end; ++side) left += side->left;
    for (Side *side = to; side != to_end; ++side) {
        left += side->left;
        if (side->ready) *side->ready = 1;
    }
    for (;;) {
        if (SIMPLE) {
            offer(input);
        } else {
            for (Side *side = from; side != from_end; ++side) offer(*side);
            for (Side *side = to; side != to_end; ++side)
                if (side->stall && side->ready) *side->ready = !side->pauses();
        }
        if (left == 0) {
            if (rest == 0) break;
            --rest;
        } else if (++idle > patience) {
            result = 1;
            break;
        }
        if (*stop) {
            result = 3;
            break;
        }
        simulation.settle();
        if (SIMPLE) {
            accept(input);
            take(output);
        } else {
            for (Side *side = from; side != from_end; ++side) accept(*side);
            for (Side *side = to; side != to_end; ++side) take(*side);
        }
        simulation.advance();
    }
    if (SIMPLE) {
        *from = input;
        *to = output;
    }
    return result;
}

}  // namespace

// Runs until all transfers are done and `tail` more cycles have passed, or until nothing moved for `patience` cycles.
// Outputs beyond `count` are counted but not kept. Returns 0 if all transfers are done, 1 if nothing moves, 2 for too many
// channels,
// 3 if `stop` was set from outside.
TRME_EXPORT int32_t trme_run(void *handle, Channel *inputs, int32_t n_inputs, Channel *outputs, int32_t n_outputs,
                             uint64_t patience, uint64_t tail, const volatile int32_t *stop) {
    auto &simulation = *static_cast<Simulation *>(handle);
    if (n_inputs > MAX_CHANNELS || n_outputs > MAX_CHANNELS) return 2;
    alignas(Side) uint8_t storage[2][MAX_CHANNELS * sizeof(Side)] = {};
    Side *from = reinterpret_cast<Side *>(storage[0]), *to = reinterpret_cast<Side *>(storage[1]);
    for (int32_t n = 0; n < n_inputs; ++n) new (&from[n]) Side(&inputs[n], simulation.model);
    for (int32_t n = 0; n < n_outputs; ++n) new (&to[n]) Side(&outputs[n], simulation.model);

    Side *const from_end = from + n_inputs, *const to_end = to + n_outputs;
    bool simple = n_inputs == 1 && n_outputs == 1 && from->stall == 0 && to->stall == 0;
    const int32_t result = (simple ? loop<true> : loop<false>)(simulation, from, from_end, to, to_end, patience, tail, stop);
    for (Side *side = from; side != from_end; ++side) side->finish();
    for (Side *side = to; side != to_end; ++side) side->finish();
    for (Side *side = from; side != from + n_inputs; ++side) *side->valid = 0;
    for (Side *side = to; side != to + n_outputs; ++side)
        if (side->ready) *side->ready = 0;
    simulation.settle();
    return result;
}
