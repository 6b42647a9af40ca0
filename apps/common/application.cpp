#include "apps/common/application.h"

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>

#include "apps/common/exit_code.h"
#include "apps/common/logging.h"
#include "rtcg/error.h"
#include "rtcg/io/aside_file.h"
#include "rtcg/version.h"
#include "rtcg/warning.h"

namespace rtcg::app {

namespace {

extern "C" void end_by_signal(int number) {
  remove_aside_files();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

void catch_signals() {
  std::signal(SIGXFSZ, SIG_IGN);  // a file beyond the limit is then an error of the write, with a message
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    // nohup and shells' background jobs ignore some of these on purpose.
    if (std::signal(number, end_by_signal) == SIG_IGN) std::signal(number, SIG_IGN);
  }
}

// The subcommand the user was in, for "see 'rtcg cache --help'".
std::string command_path(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + command_path(*chosen.front());
}

const CLI::App& innermost(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : innermost(*chosen.front());
}

int finish_output() {
  if (std::fflush(stdout) == 0 && !std::ferror(stdout)) return exit_done;
  log_error("standard output: cannot be written");
  return exit_input;
}

}  // namespace

int run_application(int argc, char** argv, const std::string& description,
                    const std::function<void(CLI::App&)>& describe) {
  catch_signals();
  set_warning_handler([](const std::string& message) { log_warning("{}", message); });

  std::string name = argc > 0 ? argv[0] : "rtcg";
  if (const std::size_t slash = name.rfind('/'); slash != name.npos) name.erase(0, slash + 1);
  set_log_name(name);

  CLI::App app{description, name};
  app.set_version_flag("--version", name + " " + version);
  app.get_formatter()->column_width(34);
  try {
    describe(app);
    app.parse(argc, argv);
    return finish_output();
  } catch (const CLI::Success& request) {  // --help, --version
    app.exit(request);
    return finish_output();
  } catch (const CLI::RequiredError& error) {
    // CLI11 calls an unknown command a missing one.
    const CLI::App& last = innermost(app);
    const std::vector<std::string> extra = last.remaining();
    if (last.get_require_subcommand_min() > 0 && !extra.empty())
      log_error("there is no {} '{}'; see '{} --help'", extra.front().starts_with('-') ? "option" : "command",
                extra.front(), command_path(app));
    else
      log_error("{}; see '{} --help'", error.what(), command_path(app));
    return exit_usage;
  } catch (const CLI::ParseError& error) {
    log_error("{}; see '{} --help'", error.what(), command_path(app));
    return exit_usage;
  } catch (const std::bad_alloc&) {
    log_error("out of host memory");
    return exit_device;
  } catch (const std::exception& error) {
    std::fflush(stdout);
    log_error("{}", error.what());
    return exit_code_of(error);
  }
}

}  // namespace rtcg::app
