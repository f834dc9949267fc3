// SPDX-License-Identifier: MIT OR Apache-2.0
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "Vfabric.h"
#include "drra-cosim/harness/bridge/print.h"
#include "drra-cosim/harness/bridge/sim.rs.h"
#include "verilated.h"
#include "verilated_syms.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include <mutex>

#include "Vfabric___024root.h"
#include "Vfabric__Syms.h"
#include "verilated_cov.h"
#endif

namespace {

// What stopped the RTL first, in three lines: what it was, file and line, words of the simulator. Set by the
// functions of the runtime below, on the thread that evaluates.
thread_local std::string stopped;

// What the RTL printed in this evaluation.
thread_local std::string printed;

void note_stop(const char* what, const char* filename, int linenum, const std::string& words) {
  if (stopped.empty()) {
    stopped = std::string(what) + "\n" + filename + ":" + std::to_string(linenum) + "\n" + words;
  }
  Verilated::threadContextp()->gotError(true);
}

// Throws what stopped the RTL, and behind it what it printed.
[[noreturn]] void throw_stop() {
  const std::string all = stopped + "\n" + printed;
  stopped.clear();
  printed.clear();
  throw std::runtime_error(all);
}

// More text than anybody reads of one evaluation: the RTL prints without end.
constexpr size_t kFlood = 1 << 20;

// Part of every message of a violated assertion, which is told with what stopped the RTL.
constexpr char kViolated[] = "Assertion failed in ";

constexpr int kResetEdges = 4;
constexpr uint32_t kBlockWords = 8;    // 32-bit words of a block
constexpr uint32_t kAddressBits = 25;  // of a buffer address
constexpr uint32_t kMaskBits = 16;

// Bits of an element of a variable. Versions before 5.032 know one packed dimension at most.
template <typename V>
auto packed_bits(const V& variable, int) -> decltype(variable.entBits()) {
  return variable.entBits();
}
template <typename V>
uint32_t packed_bits(const V& variable, long) {
  return static_cast<uint32_t>(variable.packed().elements());
}

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
// Sums over all simulations that are gone, in the order of the model's own counters.
std::mutex coverage_mutex;
std::vector<uint64_t> coverage_sums;

template <size_t N>
void add_coverage(const uint32_t (&counters)[N]) {
  const std::lock_guard<std::mutex> lock(coverage_mutex);
  coverage_sums.resize(N);
  for (size_t i = 0; i < N; ++i) coverage_sums[i] += counters[i];
}

template <size_t N>
void put_coverage(uint32_t (&counters)[N]) {
  const std::lock_guard<std::mutex> lock(coverage_mutex);
  coverage_sums.resize(N);
  for (size_t i = 0; i < N; ++i) {
    counters[i] = static_cast<uint32_t>(std::min<uint64_t>(coverage_sums[i], UINT32_MAX));
  }
}
#endif

}  // namespace

// $stop, $error, $fatal and assertions end here (VL_USER_STOP): they become an exception after the
// evaluation, not the end of the process.
void vl_stop(const char* filename, int linenum, const char*) VL_MT_UNSAFE {
  note_stop("assertion", filename, linenum, "");
}

// $finish (VL_USER_FINISH): the runtime would end the process, as a success, when it sees the second one.
void vl_finish(const char* filename, int linenum, const char*) VL_MT_UNSAFE {
  note_stop("finish", filename, linenum, "");
}

// What the model cannot go on with, such as a combinational loop that does not settle (VL_USER_FATAL). It calls this
// for ever, if it comes back.
void vl_fatal(const char* filename, int linenum, const char*, const char* words) VL_MT_UNSAFE {
  note_stop("fatal", filename, linenum, words);
  throw_stop();
}

int drra_model_print(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (length > 0) {
    std::vector<char> text(static_cast<size_t>(length) + 1);
    std::vsnprintf(text.data(), text.size(), format, again);
    printed.append(text.data(), static_cast<size_t>(length));
    // At once, because the evaluation may end the process; to where no results go.
    if (std::strstr(text.data(), kViolated) == nullptr) std::fputs(text.data(), stderr);
  }
  va_end(again);
  if (printed.size() > kFlood) {
    note_stop("flood", "", 0, "");
    throw_stop();
  }
  return length;
}

namespace drra {

// Waves that are being written.
struct Sim::Waves {
#if VM_TRACE
  VerilatedFstC file;
#endif
  uint64_t cycle = 0;
};

Sim::Sim(uint64_t seed) : context_(std::make_unique<VerilatedContext>()) {
  context_->fatalOnError(false);
#if VM_COVERAGE
  context_->randReset(0);  // what random registers reach before the reset must not count
#else
  context_->randReset(2);
#endif
  context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1);
#if VM_TRACE
  context_->traceEverOn(true);
#endif
  stopped.clear();
  printed.clear();
  Verilated::threadContextp(context_.get());
  top_ = std::make_unique<Vfabric>(context_.get());
}

Sim::~Sim() {
  Verilated::threadContextp(context_.get());
#if VM_TRACE
  if (waves_) waves_->file.close();
#endif
  try {
    top_->final();
  } catch (const std::exception&) {
    // The case is over: nobody asks any more what the RTL does.
  }
#if VM_COVERAGE
  add_coverage(top_->rootp->vlSymsp->__Vcoverage);
#endif
  top_.reset();
  // The runtime looks up scopes and errors in the context that the thread used last. This one is
  // about to go, so another one is set.
  Verilated::threadContextp(Verilated::defaultContextp());
}

void Sim::eval() {
  Verilated::threadContextp(context_.get());
  printed.clear();
  top_->eval();
  if (context_->gotError()) throw_stop();
}

void Sim::enter_reset(uint64_t io_cells) {
  top_->clk_i = 0;
  top_->rst_ni = 0;
  top_->io_cell_i = io_cells;
  apply(PortInputs{});
  // Answers of buffers are set where they change.
  for (uint32_t i = 0; i < sizeof(top_->io_in_data_i) / sizeof(uint32_t); ++i) {
    top_->io_in_data_i[i] = 0;
  }
  eval();
}

void Sim::leave_reset() {
  for (int i = 0; i < kResetEdges; ++i) {
    top_->clk_i = 1;
    eval();
    top_->clk_i = 0;
    eval();
  }
  top_->rst_ni = 1;
  eval();
}

void Sim::apply(const PortInputs& inputs) {
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

void Sim::drive(const PortInputs& inputs, PortOutputs& outputs) {
  apply(inputs);
  top_->clk_i = 0;
  eval();
  dump(false);
  read_outputs(outputs);
}

void Sim::step() {
  top_->clk_i = 1;
  eval();
  if (waves_) {
    ++waves_->cycle;
    dump(true);
  }
}

#if VM_TRACE
void Sim::open_waves(rust::Str path) {
  waves_ = std::make_unique<Waves>();
  top_->trace(&waves_->file, 99);
  waves_->file.open(std::string(path).c_str());
  if (!waves_->file.isOpen()) {
    waves_.reset();
    throw std::runtime_error("the file cannot be written");
  }
  dump(false);
}

void Sim::dump(bool high) {
  // In picoseconds, the precision of the model.
  if (waves_) waves_->file.dump(1000 * waves_->cycle + (high ? 0 : 500));
}
#else
void Sim::open_waves(rust::Str) {
  throw std::runtime_error("this build writes no waves of the RTL");
}

void Sim::dump(bool) {}
#endif

void Sim::read_outputs(PortOutputs& outputs) const {
  outputs.cell_idle = top_->cell_idle_o;
  outputs.all_idle = top_->all_idle_o;
  outputs.agu_busy = top_->agu_busy_o;
  outputs.io_in_en = top_->io_in_en_o;
  outputs.io_out_en = top_->io_out_en_o;
  outputs.buffer_ports_are_zero = is_zero(top_->io_in_addr_o) && is_zero(top_->io_out_addr_o) &&
                                  is_zero(top_->io_out_mask_o) && is_zero(top_->io_out_data_o);
}

void Sim::set_io_in_data(uint32_t col, const std::array<uint64_t, 4>& data) {
  assign_block(top_->io_in_data_i, kBlockWords * col, data);
}

uint32_t Sim::io_in_addr(uint32_t col) const {
  return slice(top_->io_in_addr_o, kAddressBits * col, kAddressBits);
}

uint32_t Sim::io_out_addr(uint32_t col) const {
  return slice(top_->io_out_addr_o, kAddressBits * col, kAddressBits);
}

uint16_t Sim::io_out_mask(uint32_t col) const {
  return static_cast<uint16_t>(slice(top_->io_out_mask_o, kMaskBits * col, kMaskBits));
}

std::array<uint64_t, 4> Sim::io_out_data(uint32_t col) const {
  std::array<uint64_t, 4> data{};
  for (uint32_t i = 0; i < 4; ++i) {
    const uint64_t low = top_->io_out_data_o[kBlockWords * col + 2 * i];
    const uint64_t high = top_->io_out_data_o[kBlockWords * col + 2 * i + 1];
    data[i] = low | high << 32;
  }
  return data;
}

Variable Sim::variable(rust::Str scope, rust::Str name) const {
  const std::string scope_name = "TOP." + std::string(scope);
  const VerilatedScope* found = context_->scopeFind(scope_name.c_str());
  if (!found) throw std::runtime_error("the model has no scope " + scope_name);
  const std::string var_name(name);
  const VerilatedVar* var = found->varFind(var_name.c_str());
  if (!var) throw std::runtime_error(scope_name + " has no variable " + var_name);
  return Variable{reinterpret_cast<size_t>(var->datap()), var->totalSize()};
}

rust::Vec<NamedVariable> Sim::variables() const {
  rust::Vec<NamedVariable> all;
  for (const auto& scope : *context_->scopeNameMap()) {
    if (!scope.second->varsp()) continue;
    for (const auto& var : *scope.second->varsp()) {
      const VerilatedVar& v = var.second;
      // Parameters are constants of the program, outside of the model.
      if (v.isParam()) continue;
      const VerilatedVarType type = v.vltype();
      const bool bits = type == VLVT_UINT8 || type == VLVT_UINT16 || type == VLVT_UINT32 ||
                        type == VLVT_UINT64 || type == VLVT_WDATA;
      rust::Vec<Dimension> dimensions;
      for (int d = 1; d <= v.udims(); ++d) {
        dimensions.push_back(Dimension{v.low(d), static_cast<uint32_t>(v.elements(d))});
      }
      all.push_back(NamedVariable{rust::String(scope.first), rust::String(var.first),
                                  Variable{reinterpret_cast<size_t>(v.datap()), v.totalSize()},
                                  bits ? packed_bits(v, 0) : 0,
                                  std::move(dimensions)});
    }
  }
  return all;
}

#if VM_COVERAGE
void write_coverage(rust::Str path) {
  Sim names(1);
  auto& counters = names.top_->rootp->vlSymsp->__Vcoverage;
  put_coverage(counters);
  names.context_->coveragep()->write(std::string(path));
  std::fill(std::begin(counters), std::end(counters), 0);  // the sums have them already
}
#else
void write_coverage(rust::Str) {
  throw std::runtime_error("this build counts no RTL coverage");
}
#endif

std::unique_ptr<Sim> new_sim(uint64_t seed) { return std::make_unique<Sim>(seed); }

}  // namespace drra
