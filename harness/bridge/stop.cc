// SPDX-License-Identifier: MIT OR Apache-2.0
#include "drra-cosim/harness/bridge/stop.h"

#include <cctype>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "drra-cosim/harness/bridge/print.h"
#include "verilated.h"

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

// What the RTL prints, as a terminal and the log of a CI run may have it: the same rules as in drra_report::shown.
std::string shown(const char* text) {
  thread_local bool begins = true;  // of a line, but for blanks
  std::string out;
  for (; *text != 0; ++text) {
    const auto c = static_cast<unsigned char>(*text);
    const auto next = static_cast<unsigned char>(text[1]);
    if (c == '\n' || c == '\t') {
      out += *text;
    } else if (c < 0x20 || c == 0x7f) {
      out += "\xe2\x90";
      out += static_cast<char>(c == 0x7f ? 0xa1 : 0x80 + c);
    } else if (c == 0xc2 && next >= 0x80 && next < 0xa0) {
      out += "\xef\xbf\xbd";
      ++text;
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

// More text than anybody reads of one evaluation: the RTL prints without end.
constexpr size_t kFlood = 1 << 20;

// Part of every message of a violated assertion, which is told with what stopped the RTL.
constexpr char kViolated[] = "Assertion failed in ";

}  // namespace

namespace drra {

void forget_printed() { printed.clear(); }

void forget_stop() {
  stopped.clear();
  printed.clear();
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

// $finish (VL_USER_FINISH): the runtime would end the process, as a success, when it sees the second one.
void vl_finish(const char* filename, int linenum, const char*) VL_MT_UNSAFE {
  note_stop("finish", filename, linenum, "");
}

// What the model cannot go on with, such as a combinational loop that does not settle (VL_USER_FATAL). It calls this
// for ever, if it comes back.
void vl_fatal(const char* filename, int linenum, const char*, const char* words) VL_MT_UNSAFE {
  note_stop("fatal", filename, linenum, words);
  drra::throw_stop();
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
    if (std::strstr(text.data(), kViolated) == nullptr) std::fputs(shown(text.data()).c_str(), stderr);
  }
  va_end(again);
  if (printed.size() > kFlood) {
    note_stop("flood", "", 0, "");
    drra::throw_stop();
  }
  return length;
}
