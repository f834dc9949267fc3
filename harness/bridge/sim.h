// SPDX-License-Identifier: MIT OR Apache-2.0
// One simulation of the Verilated fabric: one context, one model. A Sim belongs to the thread that
// made it; any number of them may live in one process.
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

// Of a model of any size; sim_of.h has what depends on it.
class Sim {
 public:
  virtual ~Sim();
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;

  // Puts the design into reset, nothing valid on its inputs. It throws, as all that evaluates, when an
  // assertion of the RTL stops the simulation.
  virtual void enter_reset(uint64_t io_cells) = 0;

  // Holds reset for some clock edges and releases it: the state is that of cycle 0 afterwards.
  virtual void leave_reset() = 0;

  // Begins a cycle: lowers the clock, applies the inputs, reads the outputs.
  virtual void drive(const PortInputs& inputs, PortOutputs& outputs) = 0;

  // Ends it: raises the clock.
  virtual void step() = 0;

  // Answer of the input buffer of a column, for the next drive.
  virtual void set_io_in_data(uint32_t col, const std::array<uint64_t, 4>& data) = 0;
  virtual uint32_t io_in_addr(uint32_t col) const = 0;
  virtual BufferPort io_out(uint32_t col) const = 0;

  // Writes waves of all signals into a file from now on, until the simulation is gone: the state of
  // cycle t from t ns on. Throws if this build cannot.
  virtual void open_waves(rust::Str path) = 0;

  // Adds the lines, branches and toggles that were counted when the model was made, and since the first clock edge in
  // reset, to the sums, if the model counts. The destructor does so, too.
  virtual void end_counts() = 0;

  // Sums of the counts of all simulations of this size, as a file of Verilator's form. Throws if the model does not
  // count.
  virtual void write_coverage(rust::Str path) = 0;

  // Where the model is, of which all variables are parts.
  virtual size_t address() const = 0;

  // Memory of a variable that public.vlt names. Throws if there is none.
  Variable variable(rust::Str scope, rust::Str name) const;

  // All variables that public.vlt names.
  rust::Vec<NamedVariable> variables() const;

 protected:
  explicit Sim(uint64_t seed);

  std::unique_ptr<VerilatedContext> context_;
};

// A simulation of the model with this number, in the order of the sizes of this build. Throws if there is none.
std::unique_ptr<Sim> new_sim(size_t model, uint64_t seed);

}  // namespace drra
