#include "support/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace rtcg::test {

namespace {

int temporary_file() {
  std::string name = (std::filesystem::temp_directory_path() / "rtcg-test-XXXXXX").string();
  const int descriptor = mkstemp(name.data());
  if (descriptor < 0) throw std::runtime_error("no temporary file");
  unlink(name.c_str());
  return descriptor;
}

std::string take_content(int descriptor) {
  std::string content;
  std::array<char, 4096> part;
  lseek(descriptor, 0, SEEK_SET);
  for (ssize_t count; (count = read(descriptor, part.data(), part.size())) > 0;)
    content.append(part.data(), static_cast<std::size_t>(count));
  close(descriptor);
  return content;
}

}  // namespace

std::filesystem::path built_binary(const std::string& name) {
  if (const char* directory = std::getenv("RTCG_BIN_DIR")) return std::filesystem::path(directory) / name;
  return std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "apps" / name;
}

int wait_for(int process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int fork_one(const std::function<int()>& body) {
  const int process = fork();
  if (process < 0) throw std::runtime_error("fork failed");
  if (process > 0) return process;
  int code = 99;
  try {
    code = body();
  } catch (...) {
  }
  _exit(code);
}

std::vector<int> fork_all(int count, const std::function<int(int)>& body) {
  std::vector<int> processes, codes;
  for (int i = 0; i < count; ++i) processes.push_back(fork_one([&] { return body(i); }));
  for (const int process : processes) codes.push_back(wait_for(process));
  return codes;
}

ProcessResult run_process(const std::string& program, const std::vector<std::string>& arguments,
                          const std::map<std::string, std::string>& environment) {
  const std::string path = program.find('/') == std::string::npos ? built_binary(program).string() : program;
  const int out = temporary_file(), err = temporary_file();
  const int process = fork_one([&] {
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    for (const auto& [name, value] : environment)
      value.empty() ? unsetenv(name.c_str()) : setenv(name.c_str(), value.c_str(), 1);
    std::vector<char*> pointers{const_cast<char*>(path.c_str())};
    for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
    pointers.push_back(nullptr);
    execv(path.c_str(), pointers.data());
    return 127;
  });
  ProcessResult result;
  result.exit_code = wait_for(process);
  result.out = take_content(out), result.err = take_content(err);
  return result;
}

}  // namespace rtcg::test
