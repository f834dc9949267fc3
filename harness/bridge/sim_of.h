// SPDX-License-Identifier: MIT OR Apache-2.0
// A simulation, as a template over the class of its model, because the types and widths of the ports depend on the size
// of the fabric.
#pragma once

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "drra-cosim/harness/bridge/sim.h"
#include "drra-cosim/harness/bridge/src/sim.rs.h"
#include "drra-cosim/harness/bridge/stop.h"
#include "drra_models.h"
#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>

#include "verilated_cov.h"
#endif

namespace drra {

constexpr int kResetEdges = 4;
constexpr uint32_t kBlockWords = 8;    // 32-bit words of a block
constexpr uint32_t kAddressBits = 25;  // of a buffer address
constexpr uint32_t kMaskBits = 16;

// Bits of a packed array port that the model stores in 32-bit words.
template <typename Port>
uint32_t slice(const Port& port, uint32_t lsb, uint32_t width) {
  const uint32_t* words = reinterpret_cast<const uint32_t*>(&port);
  const uint32_t last = sizeof(Port) / sizeof(uint32_t) - 1;
  const uint32_t word = lsb / 32;
  uint64_t pair = words[word];
  if (word < last) pair |= static_cast<uint64_t>(words[word + 1]) << 32;
  return static_cast<uint32_t>(pair >> (lsb % 32)) & ((1u << width) - 1);
}

// True if no bit of a port is 1.
template <typename Port>
bool is_zero(const Port& port) {
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&port);
  unsigned char any = 0;
  for (size_t i = 0; i < sizeof(Port); ++i) any |= bytes[i];
  return any == 0;
}

template <typename Wide>
void assign_block(Wide& to, uint32_t first_word, const std::array<uint64_t, 4>& from) {
  for (uint32_t i = 0; i < 4; ++i) {
    to[first_word + 2 * i] = static_cast<uint32_t>(from[i]);
    to[first_word + 2 * i + 1] = static_cast<uint32_t>(from[i] >> 32);
  }
}

#if VM_COVERAGE
// Writes the counts of one simulation to a file of its own in Verilator's format, if the environment names a folder for
// such files. A destructor may call this and cannot pass on an error, so a file that cannot be written ends the program
// as a tool failure.
inline void write_own_coverage(VerilatedContext& context) {
  static std::atomic<unsigned> number{0};
  const char* folder = std::getenv("DRRA_RTL_COVERAGE");
  if (!folder) return;
  const std::string path = std::string(folder) + "/" + std::to_string(number++) + ".dat";
  if (!std::ofstream(path)) {
    std::fprintf(stderr,
                 "error: DRRA_RTL_COVERAGE: %s cannot be written\n"
                 "help: name a folder that exists and can be written, or unset the variable\n",
                 path.c_str());
    std::_Exit(3);
  }
  context.coveragep()->write(path);
}

// Sums over all finished simulations of a model, in the order of its own counters.
template <typename Top>
struct CoverageSums {
  inline static std::mutex mutex;
  inline static std::vector<uint64_t> sums;

  template <size_t N>
  static void add(const uint32_t (&counters)[N]) {
    const std::lock_guard<std::mutex> lock(mutex);
    sums.resize(N);
    for (size_t i = 0; i < N; ++i) sums[i] += counters[i];
  }

  template <size_t N>
  static void put(uint32_t (&counters)[N]) {
    const std::lock_guard<std::mutex> lock(mutex);
    sums.resize(N);
    for (size_t i = 0; i < N; ++i) {
      counters[i] = static_cast<uint32_t>(std::min<uint64_t>(sums[i], UINT32_MAX));
      sums[i] = 0;  // the next campaign of this process counts its own simulations
    }
  }
};
#endif

template <typename Top>
class SimOf final : public Sim {
 public:
  SimOf(uint64_t seed, rust::Slice<const rust::String> plusargs);
  ~SimOf() override;

  void enter_reset(uint64_t io_cells, uint64_t seed) override;
  void leave_reset() override;
  void drive(const PortInputs& inputs, PortOutputs& outputs) override;
  void step() override;
  void propagate() override;
  void set_io_in_data(uint32_t col, const std::array<uint64_t, 4>& data) override {
    assign_block(top_->io_in_data_i, kBlockWords * col, data);
  }
  uint32_t io_in_addr(uint32_t col) const override {
    return slice(top_->io_in_addr_o, kAddressBits * col, kAddressBits);
  }
  BufferPort io_out(uint32_t col) const override;
  size_t address() const override { return reinterpret_cast<size_t>(top_->rootp); }
  bool restores() const override { return DRRA_COPYABLE; }
  rust::Vec<rust::String> unknown_state(rust::Slice<const size_t> known) override;
  void open_waves(rust::Str path) override;
  void end_counts() override;
  void write_coverage(rust::Str path) override;

 private:
  // The memory of the instances of all modules, of the coverage counts, and of pointers that never change: the rest of
  // the object that contains the root module.
  char* memory() const { return reinterpret_cast<char*>(top_->rootp); }
  size_t bytes() const { return reinterpret_cast<char*>(top_->rootp->vlSymsp + 1) - memory(); }

  void eval();
  void reset(uint64_t io_cells);
  void apply(const PortInputs& inputs);
  void read_outputs(PortOutputs& outputs) const;

  // Adds the signals in one half of a cycle to the waves, if waves are being written.
  void dump(bool high);

  // Waves that are being written.
  struct Waves {
#if VM_TRACE
    VerilatedFstC file;
#endif
    uint64_t cycle = 0;
  };

  std::unique_ptr<Top> top_;
  std::unique_ptr<Waves> waves_;
  // The memory of the model in its first reset.
  std::vector<char> first_;
  // For unknown_state: all variables that are not known; their bits, of which those of a variable that was examined often
  // enough are cleared; and the number of cases that changed the other bits.
  std::vector<Member> members_;
  std::vector<char> unseen_;
  uint32_t changing_ = 0;
#if VM_COVERAGE
  void begin_counts();

  // Counts of events that happen once in a model; they are added for every case.
  std::vector<uint32_t> once_;
  bool counts_ = false;
#endif
};

template <typename Top>
SimOf<Top>::SimOf(uint64_t seed, rust::Slice<const rust::String> plusargs)
    : Sim(seed, plusargs), top_(std::make_unique<Top>(context_.get())) {
#if VM_COVERAGE
  enter_reset(0, seed);
  const auto& counters = top_->rootp->vlSymsp->__Vcoverage;
  once_.assign(std::begin(counters), std::end(counters));
#endif
}

template <typename Top>
SimOf<Top>::~SimOf() {
  Verilated::threadContextp(context_.get());
#if VM_TRACE
  if (waves_) waves_->file.close();
#endif
  try {
    top_->final();
  } catch (const std::exception&) {
    // The case is over; the behaviour of the RTL no longer matters.
  }
  end_counts();
  top_.reset();
}

template <typename Top>
void SimOf<Top>::eval() {
  Verilated::threadContextp(context_.get());
  forget_printed();
  top_->eval();
  keep_warnings();
  if (context_->gotError()) throw_stop();
}

template <typename Top>
void SimOf<Top>::enter_reset(uint64_t io_cells, uint64_t seed) {
  if (first_.empty()) {
    reset(0);
    eval();
    if (restores()) first_.assign(memory(), memory() + bytes());
  } else {
    // The variables are numbers (DRRA_COPYABLE), and nothing else in this memory has changed.
    std::memcpy(memory(), first_.data(), first_.size());
  }
  this->seed(seed);
  reset(io_cells);
  // Reset begins with an edge, for registers whose clock stands still during reset. The state before it is random, so
  // what the design prints or reports there does not count.
  top_->rst_ni = 1;
  Verilated::threadContextp(context_.get());
  ignore_all(true);
  try {
    top_->eval();
  } catch (const std::runtime_error&) {
  }
  ignore_all(false);
  context_->gotError(false);
  top_->rst_ni = 0;
  eval();
}

template <typename Top>
void SimOf<Top>::reset(uint64_t io_cells) {
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->io_cell_i = io_cells;
  apply(PortInputs{});
  // The answers of the buffers are written only when they change.
  for (uint32_t i = 0; i < sizeof(top_->io_in_data_i) / sizeof(uint32_t); ++i) {
    top_->io_in_data_i[i] = 0;
  }
}

template <typename Top>
void SimOf<Top>::propagate() {
  Verilated::threadContextp(context_.get());
  forget_printed();
  settle(*top_->rootp->vlSymsp);
  if (context_->gotError()) throw_stop();
}

template <typename Top>
rust::Vec<rust::String> SimOf<Top>::unknown_state(rust::Slice<const size_t> known) {
  const auto offset = [&](const Member& m) {
    return static_cast<size_t>(static_cast<char*>(m.data) - memory());
  };
  // Evaluates the logic between all variables, out of reset and without inputs.
  const auto settle_idle = [&] {
    reset(0);
    top_->rst_ni = 1;
    Verilated::threadContextp(context_.get());
    forget_printed();
    settle(*top_->rootp->vlSymsp);
    if (context_->gotError()) throw_stop();
    return std::vector<char>(memory(), memory() + bytes());
  };
  if (unseen_.empty()) {
    list(*top_->rootp->vlSymsp, members_);
    const auto is_known = [&](const Member& m) {
      return std::binary_search(known.begin(), known.end(), offset(m));
    };
    members_.erase(std::remove_if(members_.begin(), members_.end(), is_known), members_.end());
    unseen_.resize(bytes());
    for (const Member& m : members_) std::fill_n(&unseen_[offset(m)], m.bytes, ~0);
  }
  rust::Vec<rust::String> found;
  const auto word = [](const char* data) {
    uint64_t word;
    std::memcpy(&word, data, sizeof word);
    return word;
  };
  uint64_t changed = 0;
  const char *now = memory(), *first = first_.data(), *unseen = unseen_.data();
  for (size_t i = 0, all = bytes(); i < all; i += sizeof changed) {
    changed |= (word(now + i) ^ word(first + i)) & word(unseen + i);
  }
  // Soon, most changes are those of variables that are merely rarely used, which is not worth a search each time.
  constexpr uint32_t kFirst = 128, kPeriod = 8;
  if (changed == 0 || (++changing_ > kFirst && changing_ % kPeriod != 0)) return found;
  for (Member& m : members_) {
    constexpr uint32_t kExamined = 4;
    if (std::memcmp(m.data, &first_[offset(m)], m.bytes) == 0) continue;
    if (++m.changes == kExamined) std::fill_n(&unseen_[offset(m)], m.bytes, 0);
  }
  // Two models with the same known state: one has run a case, the other has not.
  const std::vector<char> after = settle_idle();
  for (const Member& m : members_) std::memcpy(m.data, &first_[offset(m)], m.bytes);
  const std::vector<char> before = settle_idle();
  for (const Member& m : members_) {
    const auto differs = [&](const void* data) {
      return std::memcmp(data, &before[offset(m)], m.bytes) != 0;
    };
    if (!differs(&after[offset(m)])) continue;
    // It is state or depends on it. Only state keeps its value when all others are those of the model without a case.
    std::memcpy(memory(), before.data(), before.size());
    std::memcpy(m.data, &after[offset(m)], m.bytes);
    settle_idle();
    if (differs(m.data)) found.push_back(m.name);
  }
  return found;
}

template <typename Top>
void SimOf<Top>::leave_reset() {
  for (int i = 0; i < kResetEdges; ++i) {
    top_->clk_i = 1;
    eval();
    top_->clk_i = 0;
    eval();
#if VM_COVERAGE
    // Random registers and leftovers of the previous case have now been reset.
    if (i == 0) begin_counts();
#endif
  }
  top_->rst_ni = 1;
  eval();
}

template <typename Top>
void SimOf<Top>::apply(const PortInputs& inputs) {
  top_->prog_valid_i = inputs.prog_valid;
  top_->prog_instr_i = inputs.prog_instr;
  top_->prog_imm_i = inputs.prog_imm;
  top_->prog_row_sel_i = inputs.prog_row_sel;
  top_->prog_col_sel_i = inputs.prog_col_sel;
  top_->sram_init_valid_i = inputs.sram_init_valid;
  top_->sram_init_row_i = inputs.sram_init_row;
  top_->sram_init_col_i = inputs.sram_init_col;
  top_->sram_init_addr_i = inputs.sram_init_addr;
  assign_block(top_->sram_init_data_i, 0, inputs.sram_init_data);
  top_->rf_init_valid_i = inputs.rf_init_valid;
  top_->rf_init_row_i = inputs.rf_init_row;
  top_->rf_init_col_i = inputs.rf_init_col;
  top_->rf_init_block_i = inputs.rf_init_block;
  assign_block(top_->rf_init_data_i, 0, inputs.rf_init_data);
}

template <typename Top>
void SimOf<Top>::drive(const PortInputs& inputs, PortOutputs& outputs) {
  apply(inputs);
  top_->clk_i = 0;
  eval();
  dump(false);
  read_outputs(outputs);
}

template <typename Top>
void SimOf<Top>::step() {
  top_->clk_i = 1;
  eval();
  if (waves_) {
    ++waves_->cycle;
    dump(true);
  }
}

#if VM_TRACE
template <typename Top>
void SimOf<Top>::open_waves(rust::Str path) {
  waves_ = std::make_unique<Waves>();
  top_->trace(&waves_->file, 99);
  waves_->file.open(std::string(path).c_str());
  if (!waves_->file.isOpen()) {
    waves_.reset();
    throw std::runtime_error("the file cannot be written");
  }
  dump(false);
}

template <typename Top>
void SimOf<Top>::dump(bool high) {
  // In picoseconds, the precision of the model.
  if (waves_) waves_->file.dump(1000 * waves_->cycle + (high ? 0 : 500));
}
#else
template <typename Top>
void SimOf<Top>::open_waves(rust::Str) {
  throw std::runtime_error("this build cannot write waveforms of the RTL");
}

template <typename Top>
void SimOf<Top>::dump(bool) {}
#endif

template <typename Top>
void SimOf<Top>::read_outputs(PortOutputs& outputs) const {
  outputs.cell_idle = top_->cell_idle_o;
  outputs.all_idle = top_->all_idle_o;
  outputs.agu_busy = top_->agu_busy_o;
  outputs.io_in_en = top_->io_in_en_o;
  outputs.io_out_en = top_->io_out_en_o;
  outputs.buffer_ports_are_zero = is_zero(top_->io_in_addr_o) && is_zero(top_->io_out_addr_o) &&
                                  is_zero(top_->io_out_mask_o) && is_zero(top_->io_out_data_o);
}

template <typename Top>
BufferPort SimOf<Top>::io_out(uint32_t col) const {
  BufferPort port{};
  port.addr = slice(top_->io_out_addr_o, kAddressBits * col, kAddressBits);
  port.mask = static_cast<uint16_t>(slice(top_->io_out_mask_o, kMaskBits * col, kMaskBits));
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t low = top_->io_out_data_o[kBlockWords * col + 2 * i];
    const uint64_t high = top_->io_out_data_o[kBlockWords * col + 2 * i + 1];
    port.data[i] = low | high << 32;
  }
  return port;
}

#if VM_COVERAGE
template <typename Top>
void SimOf<Top>::begin_counts() {
  auto& counters = top_->rootp->vlSymsp->__Vcoverage;
  std::copy(once_.begin(), once_.end(), std::begin(counters));
  counts_ = true;
}

template <typename Top>
void SimOf<Top>::end_counts() {
  if (!counts_) return;
  counts_ = false;
  write_own_coverage(*context_);
  CoverageSums<Top>::add(top_->rootp->vlSymsp->__Vcoverage);
}

template <typename Top>
void SimOf<Top>::write_coverage(rust::Str path) {
  CoverageSums<Top>::put(top_->rootp->vlSymsp->__Vcoverage);
  context_->coveragep()->write(std::string(path));
}
#else
template <typename Top>
void SimOf<Top>::end_counts() {}

template <typename Top>
void SimOf<Top>::write_coverage(rust::Str) {
  throw std::runtime_error("this build counts no RTL coverage");
}
#endif

}  // namespace drra
