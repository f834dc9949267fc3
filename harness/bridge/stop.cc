// SPDX-License-Identifier: MIT OR Apache-2.0
#include "drra-cosim/harness/bridge/stop.h"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "drra-cosim/harness/bridge/print.h"
#include "drra-cosim/harness/bridge/sim.h"
#include "verilated.h"

namespace {

// The first event that stopped the RTL, in three lines: its kind, file and line, and the simulator's message. Set
// by the functions below, which the runtime calls on the thread that evaluates.
thread_local std::string stopped;

// The output of the RTL in this evaluation, in a form that is safe to show (below).
thread_local std::string printed;

// The warnings of the RTL and of the simulator: the first ones in alphabetical order, so that the choice does not
// depend on the order in which cases run.
thread_local std::set<std::string> warnings;

// True while what the RTL prints and reports does not count.
thread_local bool ignored = false;

// Part of every warning, after the time.
constexpr char kWarning[] = "%Warning";
constexpr size_t kMaxWarnings = 20;
constexpr size_t kMaxWarningBytes = 256;

void note_stop(const char* what, const char* filename, int linenum, const std::string& words) {
  if (stopped.empty()) {
    stopped = std::string(what) + "\n" + filename + ":" + std::to_string(linenum) + "\n" + words;
  }
  Verilated::threadContextp()->gotError(true);
}

// The output of the RTL in a form that is safe for a terminal and a CI log: the same rules as in
// drra_report::shown::foreign.
std::string shown(const char* text) {
  thread_local bool begins = true;  // at the start of a line, ignoring blanks
  int rest = 0;                     // bytes that the current character still has
  std::string out;
  for (; *text != 0; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    const auto next = static_cast<unsigned char>(text[1]);
    const bool continues = (c & 0xc0) == 0x80;
    const bool stray = continues && rest == 0;
    rest = continues ? rest - 1 : c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    if (stray) {
      out += "\xef\xbf\xbd";  // on its own, it is a control character in some terminals
      rest = 0;
    } else if (c == '\n' || c == '\t') {
      out += *text;
    } else if (c < 0x20 || c == 0x7f) {
      out += "\xe2\x90";
      out += static_cast<char>(c == 0x7f ? 0xa1 : 0x80 + c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += "\xef\xbf\xbd";
      ++text;
      rest = 0;
    } else if (c == ':' && begins) {
      out += "\xef\xbc\x9a";
    } else if (c == '#' && next == '#' && (text[2] == '[' || std::isalpha(static_cast<unsigned char>(text[2])))) {
      out += "\xef\xbc\x83";
    } else {
      out += *text;
    }
    begins = c == '\n' || (begins && (c == ' ' || c == '\t'));
  }
  return out;
}

// More text than anybody would read for one evaluation; RTL that prints more is assumed to print endlessly.
constexpr size_t kFlood = 1 << 20;

// Part of every message of a violated assertion; these messages are reported together with the stop.
constexpr char kViolated[] = "Assertion failed in ";

}  // namespace

namespace drra {

void forget_printed() { printed.clear(); }

void keep_warnings() {
  size_t at = printed.empty() ? std::string::npos : printed.find(kWarning);
  while (at != std::string::npos) {
    const size_t end = std::min(printed.find('\n', at), printed.size());
    warnings.insert(printed.substr(at, std::min(end - at, kMaxWarningBytes)));
    if (warnings.size() > kMaxWarnings) warnings.erase(std::prev(warnings.end()));
    at = printed.find(kWarning, end);
  }
}

rust::Vec<rust::String> take_warnings() {
  rust::Vec<rust::String> all;
  // A character may have been cut.
  for (const std::string& text : warnings) all.push_back(rust::String::lossy(text));
  warnings.clear();
  return all;
}

void forget_stop() {
  stopped.clear();
  printed.clear();
}

void ignore_all(bool on) {
  ignored = on;
  forget_stop();
}

void throw_stop() {
  const std::string all = stopped + "\n" + printed;
  forget_stop();
  throw std::runtime_error(all);
}

}  // namespace drra

// $stop, $error, $fatal and assertions end here (VL_USER_STOP): they become an exception after the
// evaluation, not the end of the process.
void vl_stop(const char* filename, int linenum, const char*) VL_MT_UNSAFE {
  note_stop("assertion", filename, linenum, "");
}

// $finish (VL_USER_FINISH): at the second call, the runtime would end the process successfully.
void vl_finish(const char* filename, int linenum, const char*) VL_MT_UNSAFE {
  note_stop("finish", filename, linenum, "");
}

// Errors after which the model cannot continue, such as a combinational loop that does not settle (VL_USER_FATAL).
// If this function returned, the runtime would call it forever.
void vl_fatal(const char* filename, int linenum, const char*, const char* words) VL_MT_UNSAFE {
  note_stop("fatal", filename, linenum, shown(words));
  drra::throw_stop();
}

int drra_model_print(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  if (length > 0 && !ignored) {
    std::vector<char> text(static_cast<size_t>(length) + 1);
    std::vsnprintf(text.data(), text.size(), format, again);
    // All output of the RTL enters here.
    const std::string safe = shown(text.data());
    printed += safe;
    // Printed immediately, because the evaluation may end the process, and to standard error, because standard output
    // is for results.
    if (std::strstr(text.data(), kViolated) == nullptr) std::fputs(safe.c_str(), stderr);
  }
  va_end(again);
  if (printed.size() > kFlood) {
    note_stop("flood", "", 0, "");
    drra::throw_stop();
  }
  return length;
}
