// SPDX-License-Identifier: MIT OR Apache-2.0
// One simulation of the Verilated fabric: one context, one model. A Sim is used by one thread at a time; any number of
// Sims can exist in one process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "rust/cxx.h"

class VerilatedContext;

namespace drra {

struct PortInputs;
struct PortOutputs;
struct BufferPort;
struct Variable;
struct NamedVariable;

// A variable of the model, public or not, with its module and its name there.
struct Member {
  const char* name;
  void* data;
  size_t bytes;
  // Number of searches in which it had changed.
  uint32_t changes = 0;
};

// A simulation of a model of any size; sim_of.h has the code that depends on the size.
class Sim {
 public:
  virtual ~Sim();
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;

  // Puts the design into reset, with nothing valid on its inputs; $random starts with `seed`. A model that restores
  // (below) is in the same state after each call, whatever ran before. Like every function that evaluates the model,
  // this throws when the RTL or the simulator stops the simulation (stop.h).
  virtual void enter_reset(uint64_t io_cells, uint64_t seed) = 0;

  // Holds reset for some clock edges and releases it; afterwards, the state is the state of cycle 0.
  virtual void leave_reset() = 0;

  // Begins a cycle: lowers the clock, applies the inputs and reads the outputs.
  virtual void drive(const PortInputs& inputs, PortOutputs& outputs) = 0;

  // Ends the cycle: raises the clock.
  virtual void step() = 0;

  // Evaluates the logic behind variables that were changed from outside; drive follows.
  virtual void propagate() = 0;

  // Sets the answer of the input buffer of a column from the next drive on.
  virtual void set_io_in_data(uint32_t col, const std::array<uint64_t, 4>& data) = 0;
  virtual uint32_t io_in_addr(uint32_t col) const = 0;
  virtual BufferPort io_out(uint32_t col) const = 0;

  // Writes waves of all signals to a file from now on, until the simulation is destroyed: the state of cycle t starts
  // at t ns. Throws if this build cannot write waves, or if the file cannot be written.
  virtual void open_waves(rust::Str path) = 0;

  // If the model counts, adds to the sums the lines, branches and toggles that were counted when the model was
  // created and since the first clock cycle in reset. The destructor does so, too.
  virtual void end_counts() = 0;

  // Writes the sums of the counts of all ended cases of this size to a file in Verilator's format. Throws if the model
  // does not count coverage, or if the file cannot be written.
  virtual void write_coverage(rust::Str path) = 0;

  // Address of the model, which contains all variables.
  virtual size_t address() const = 0;

  // True if the state of the model can be copied, so that enter_reset can restore all of it.
  virtual bool restores() const = 0;

  // The names of the state that kept a value from the case that has ended and is at none of the `known` offsets from the
  // address, which are sorted. A variable is examined after the first cases that change it. Only for a model that
  // restores; must be followed by enter_reset.
  virtual rust::Vec<rust::String> unknown_state(rust::Slice<const size_t> known) = 0;

  // Memory of a variable that public.vlt names. Throws if there is no such variable.
  Variable variable(rust::Str scope, rust::Str name) const;

  // All variables that public.vlt names.
  rust::Vec<NamedVariable> variables() const;

 protected:
  Sim(uint64_t seed, rust::Slice<const rust::String> plusargs);
  void seed(uint64_t seed);

  std::unique_ptr<VerilatedContext> context_;
};

// A simulation of the model with this number, in the order of the sizes of this build; the design finds these plusargs,
// which begin with `+`. Throws if there is no such model.
std::unique_ptr<Sim> new_sim(size_t model, uint64_t seed, rust::Slice<const rust::String> plusargs);

// The distinct warnings, without times, that models have printed on this thread since the last call: the first 20 in
// alphabetical order, each cut after 256 bytes.
rust::Vec<rust::String> take_warnings();

}  // namespace drra
