#include "apps/common/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "apps/common/logging.h"

namespace rtcg::app {

namespace {

constexpr double bar_interval = 0.1, line_interval = 5;  // seconds
constexpr std::size_t bar_width = 30;

std::string duration(double seconds) {
  if (seconds < 60) return fmt::format("{:.0f} s", seconds);
  const auto minutes = static_cast<unsigned long>(seconds / 60);
  if (minutes < 60) return fmt::format("{} min {:02} s", minutes, static_cast<unsigned long>(seconds) % 60);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace

Progress::Progress(std::string label, std::size_t total, std::string unit)
    : label_(std::move(label)),
      unit_(unit.empty() ? std::move(unit) : " " + unit),
      total_(total),
      enabled_(verbosity() == Verbosity::normal),
      terminal_(isatty(STDERR_FILENO) == 1),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  if (terminal_ && drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::update(std::size_t done, const std::string& note) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  done_ = std::max(done_, std::min(done, total_));
  note_ = note.empty() ? note : "; " + note;
  const Clock::time_point now = Clock::now();
  if (std::chrono::duration<double>(now - last_).count() < (terminal_ ? bar_interval : line_interval)) return;
  last_ = now;
  draw(std::chrono::duration<double>(now - start_).count());
}

void Progress::draw(double seconds) {
  const double share = total_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(total_);
  const std::string left = done_ == 0 ? "" : ", " + duration(seconds / share - seconds) + " left";
  const std::string figures = fmt::format("{} of {}{} ({:.0f} %){}{}", done_, total_, unit_, 100 * share, left, note_);
  if (terminal_) {
    const auto filled = static_cast<std::size_t>(share * bar_width);
    fmt::print(stderr, "\r\033[K{} [{}{}] {}", label_, std::string(filled, '#'), std::string(bar_width - filled, ' '),
               figures);
    std::fflush(stderr);
    drawn_ = true;
  } else {
    fmt::print(stderr, "{}: {}\n", label_, figures);
  }
}

}  // namespace rtcg::app
