#include "cli/program.hpp"

#include <exception>
#include <new>
#include <optional>
#include <stop_token>
#include <variant>

#include "cli/line/command_line.hpp"
#include "cli/line/error.hpp"
#include "cli/signals.hpp"
#include "cli/verbs/verbs.hpp"

namespace suffice::cli {
namespace {

constexpr int done = 0, failed = 1, wrong_command = 2, alarmed = 3, interrupted = 130;

void run(const Command& command, Terminal& terminal,
         const std::function<void(const Context&)>& work) {
  std::stop_source stop;
  const StopOnSignal watch(stop, interrupted);
  const Options& options = command.options;
  const Execution execution{
      .threads = options.threads, .stop = stop.get_token(), .pool = make_thread_pool()};
  const Context context{options, execution, terminal};
  if (work)
    work(context);
  else
    command.verb->run(context);
  terminal.end_progress();
  terminal.show_hints();
}

}  // namespace

int run(const std::vector<std::string>& words) { return run(words, {}); }

int run(const std::vector<std::string>& words, const std::function<void(const Context&)>& work) {
  std::variant<Command, Answer> parsed;
  Terminal plain(false, false);
  Terminal* terminal = &plain;
  std::optional<Terminal> asked;
  try {
    parsed = parse_command_line(words, verbs());
    if (const auto* answer = std::get_if<Answer>(&parsed)) {
      plain.print(answer->text);
      return done;
    }
    const Command& command = std::get<Command>(parsed);
    terminal = &asked.emplace(command.options.quiet, command.options.json);
    run(command, *terminal, work);
    return done;
  } catch (const ClosedPipe&) {
    return done;
  } catch (const Alarm&) {
    return alarmed;
  } catch (const Cancelled&) {
    terminal->error("stopped; no file was written");
    return interrupted;
  } catch (const UsageError& error) {
    terminal->error(error.text(flag_spelling));
    return wrong_command;
  } catch (const Error& error) {
    terminal->error(error.text(flag_spelling));
    return failed;
  } catch (const std::bad_alloc&) {
    terminal->error(
        "there is not enough memory; --covariance diag, fewer --features or fewer --threads need "
        "less");
    return failed;
  } catch (const std::exception& error) {
    terminal->error(error.what());
    return failed;
  } catch (...) {
    terminal->error("an unknown error occurred");
    return failed;
  }
}

}  // namespace suffice::cli
