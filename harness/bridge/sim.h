// SPDX-License-Identifier: MIT OR Apache-2.0
// One simulation of the Verilated fabric: one context, one model. A Sim belongs to the thread that
// made it; any number of them may live in one process.
#pragma once

#include <cstdint>
#include <memory>

#include "rust/cxx.h"

class VerilatedContext;
class Vfabric;

namespace drra {

struct PortInputs;
struct PortOutputs;
struct Variable;
struct NamedVariable;

class Sim final {
 public:
  explicit Sim(uint64_t seed);
  ~Sim();
  Sim(const Sim&) = delete;
  Sim& operator=(const Sim&) = delete;

  // Puts the design into reset, nothing valid on its inputs. It throws, as all that evaluates, when an
  // assertion of the RTL stops the simulation.
  void enter_reset(uint64_t io_cells);

  // Holds reset for some clock edges and releases it: the state is that of cycle 0 afterwards.
  void leave_reset();

  // Begins a cycle: lowers the clock, applies the inputs, reads the outputs.
  void drive(const PortInputs& inputs, PortOutputs& outputs);

  // Ends it: raises the clock.
  void step();

  // Answer of the input buffer of a column, for the next drive.
  void set_io_in_data(uint32_t col, const std::array<uint64_t, 4>& data);
  uint32_t io_in_addr(uint32_t col) const;
  uint32_t io_out_addr(uint32_t col) const;
  uint16_t io_out_mask(uint32_t col) const;
  std::array<uint64_t, 4> io_out_data(uint32_t col) const;

  // Memory of a variable that public.vlt names. Throws if there is none.
  Variable variable(rust::Str scope, rust::Str name) const;
  // Writes waves of all signals into a file from now on, until the simulation is gone: the state of
  // cycle t from t ns on. Throws if this build cannot.
  void open_waves(rust::Str path);

  // All variables that public.vlt names.
  rust::Vec<NamedVariable> variables() const;

 private:
  void eval();
  void apply(const PortInputs& inputs);
  void read_outputs(PortOutputs& outputs) const;

  friend void write_coverage(rust::Str path);

  // Writes the signals as of half a cycle.
  void dump(bool high);

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vfabric> top_;
  struct Waves;
  std::unique_ptr<Waves> waves_;
};

std::unique_ptr<Sim> new_sim(uint64_t seed);

// Counts of lines, branches and toggles of all simulations that are gone, as a file of Verilator's
// form. Throws if the model does not count.
void write_coverage(rust::Str path);

}  // namespace drra
