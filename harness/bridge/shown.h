// SPDX-License-Identifier: MIT OR Apache-2.0
// Verilator registers an unpacked structure as a one-bit variable, which would show only its first member. The files of
// a model are compiled with this file included first. This file gives such variables no address, so that they are left
// out.
#pragma once

#include <cstddef>
#include <type_traits>

#include "verilated.h"

namespace drra {

template <typename T>
struct IsStructure : std::is_class<T> {};
template <std::size_t N>
struct IsStructure<VlWide<N>> : std::false_type {};
template <typename T, std::size_t N>
struct IsStructure<VlUnpacked<T, N>> : IsStructure<T> {};

template <typename T>
T shown(T value) {
  return value;
}
inline const char* shown(const char* name) { return name; }
template <typename T>
void* shown(T* variable) {
  return IsStructure<T>::value ? nullptr : const_cast<void*>(static_cast<const void*>(variable));
}

}  // namespace drra

// The variable is the second or, in older versions, the third argument.
#define varInsert(a, b, c, ...) \
  varInsert(drra::shown(a), drra::shown(b), drra::shown(c), __VA_ARGS__)
