// SPDX-License-Identifier: MIT OR Apache-2.0
#include "drra-cosim/harness/bridge/sim.h"

#include <stdexcept>
#include <string>

#include "drra-cosim/harness/bridge/src/sim.rs.h"
#include "drra-cosim/harness/bridge/sim_of.h"
#include "drra-cosim/harness/bridge/stop.h"
#include "drra_models.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

// The beginning of the names of all scopes.
const std::string kTop = "TOP.";

using Plusargs = rust::Slice<const rust::String>;

// Bits of an element of a variable. Versions of Verilator before 5.032 report at most one packed dimension.
template <typename V>
auto packed_bits(const V& variable, int) -> decltype(variable.entBits()) {
  return variable.entBits();
}
template <typename V>
uint32_t packed_bits(const V& variable, long) {
  return static_cast<uint32_t>(variable.packed().elements());
}

// The models of this build.
template <typename... Top>
struct Models {
  static std::unique_ptr<drra::Sim> make(size_t model, uint64_t seed, Plusargs plusargs) {
    using Make = std::unique_ptr<drra::Sim> (*)(uint64_t, Plusargs);
    constexpr Make all[] = {&make_one<Top>...};
    if (model >= sizeof...(Top)) throw std::out_of_range("there is no such model");
    return all[model](seed, plusargs);
  }

 private:
  template <typename One>
  static std::unique_ptr<drra::Sim> make_one(uint64_t seed, Plusargs plusargs) {
    return std::make_unique<drra::SimOf<One>>(seed, plusargs);
  }
};

}  // namespace

namespace drra {

Sim::Sim(uint64_t seed, Plusargs plusargs) : context_(std::make_unique<VerilatedContext>()) {
  context_->fatalOnError(false);
  // Without this call, a design that asks for a plusarg would be stopped.
  context_->commandArgs(0, static_cast<const char**>(nullptr));
  for (const rust::String& plusarg : plusargs) {
    const std::string text(plusarg);
    const char* const argument[] = {text.c_str()};
    context_->commandArgsAdd(1, const_cast<const char**>(argument));
  }
#if VM_COVERAGE
  context_->randReset(0);  // the counts at the creation of a model must not depend on the seed
#else
  context_->randReset(2);
#endif
  this->seed(seed);
#if VM_TRACE
  context_->traceEverOn(true);
#endif
  forget_stop();
  Verilated::threadContextp(context_.get());
}

Sim::~Sim() {
  // The runtime looks up scopes and errors in the context that the thread used last. This context is about to be
  // destroyed, so another one is set.
  Verilated::threadContextp(Verilated::defaultContextp());
}

void Sim::seed(uint64_t seed) { context_->randSeed(static_cast<int>(seed % 0x7fffffff) + 1); }

Variable Sim::variable(rust::Str scope, rust::Str name) const {
  const std::string scope_name = kTop + std::string(scope);
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
    std::string path(scope.first);
    const rust::String name(path.rfind(kTop, 0) == 0 ? path.substr(kTop.size()) : path);
    for (const auto& var : *scope.second->varsp()) {
      const VerilatedVar& v = var.second;
      // Parameters are constants of the program, outside the model; unpacked structures have no address (shown.h).
      if (v.isParam() || !v.datap()) continue;
      const VerilatedVarType type = v.vltype();
      const bool bits = type == VLVT_UINT8 || type == VLVT_UINT16 || type == VLVT_UINT32 ||
                        type == VLVT_UINT64 || type == VLVT_WDATA;
      rust::Vec<Dimension> dimensions;
      for (int d = 1; d <= v.udims(); ++d) {
        dimensions.push_back(Dimension{v.low(d), static_cast<uint32_t>(v.elements(d))});
      }
      all.push_back(NamedVariable{name, rust::String(var.first),
                                  reinterpret_cast<size_t>(v.datap()), v.totalSize(),
                                  bits ? packed_bits(v, 0) : 0, std::move(dimensions)});
    }
  }
  return all;
}

std::unique_ptr<Sim> new_sim(size_t model, uint64_t seed, Plusargs plusargs) {
  return Models<DRRA_MODELS>::make(model, seed, plusargs);
}

}  // namespace drra
