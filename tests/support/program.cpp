#include "support/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "support/temp_dir.h"

namespace scorevi::test {
namespace fs = std::filesystem;
namespace {

void redirect(const std::string& path, int descriptor) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::dup2(file, descriptor);
  ::close(file);
}

pid_t start(const std::vector<std::string>& arguments, const TempDir& folder) {
  std::vector<std::string> all = {SCOREVI_PROGRAM};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& argument : all) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::signal(SIGINT, SIG_DFL);  // a shell's background job would hand down that it is ignored
    redirect(folder.file("out"), STDOUT_FILENO);
    redirect(folder.file("err"), STDERR_FILENO);
    ::execv(pointers[0], pointers.data());
    ::_exit(127);
  }
  return pid;
}

ProgramResult finish(pid_t pid, const TempDir& folder) {
  int status = 0;
  ::waitpid(pid, &status, 0);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, slurp(folder.file("out")), slurp(folder.file("err"))};
}

}  // namespace

ProgramResult run_program(const std::vector<std::string>& arguments) {
  const TempDir folder;
  return finish(start(arguments, folder), folder);
}

ProgramResult run_program_and_signal(const std::vector<std::string>& arguments, int signal_number,
                                     const std::string& when, long bytes) {
  const TempDir folder;
  const pid_t pid = start(arguments, folder);
  for (int i = 0; i < 60000; ++i) {
    std::error_code code;
    const auto size = fs::file_size(when, code);
    if (!code && static_cast<long>(size) >= bytes) break;
    if (::kill(pid, 0) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ::kill(pid, signal_number);
  return finish(pid, folder);
}

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace scorevi::test
