// What a page can call. Words come as one text in which each ends with a zero byte; what a command
// has to say goes to standard output and standard error, which web/module.js keeps in memory.

#include <emscripten/emscripten.h>

#include <map>
#include <string>
#include <vector>

#include "cli/output/json.hpp"
#include "cli/program.hpp"
#include "web/session.hpp"

namespace suffice::web {
namespace {

std::vector<std::string> split(const char* words, std::size_t size) {
  std::vector<std::string> result;
  for (const char* at = words; at < words + size; at += result.back().size() + 1)
    result.emplace_back(at);
  return result;
}

struct Opened {
  std::vector<std::string> words;  ///< of `evaluate`
  Session session;
};
std::map<int, Opened> sessions;
int last_session = 0;

}  // namespace
}  // namespace suffice::web

using namespace suffice;
using namespace suffice::web;

extern "C" {

/// Runs a command; returns its exit code.
EMSCRIPTEN_KEEPALIVE int suffice_run(const char* words, std::size_t size) {
  return cli::run(split(words, size));
}

/// Opens a session for the words of `evaluate`; returns the exit code. Prints an object with the
/// number of the session, the labels and the rows.
EMSCRIPTEN_KEEPALIVE int suffice_open(const char* words, std::size_t size) {
  const std::vector<std::string> given = split(words, size);
  return cli::run(given, [&](const cli::Context& context) {
    const auto [at, added] =
        sessions.try_emplace(last_session + 1, Opened{given, Session(context)});
    last_session = at->first;
    const Session& session = at->second.session;
    context.terminal.print(cli::dump({{"session", at->first},
                                      {"labels", cli::to_json(session.labels())},
                                      {"rows", cli::to_json(session.rows())}}));
  });
}

/// Prints the figures of an open session for more words; returns the exit code.
EMSCRIPTEN_KEEPALIVE int suffice_figures(int session, bool all, const char* words,
                                         std::size_t size) {
  const Opened& opened = sessions.at(session);
  std::vector<std::string> command = opened.words;
  for (std::string& word : split(words, size)) command.push_back(std::move(word));
  return cli::run(command, [&](const cli::Context& context) {
    context.terminal.print(cli::dump(opened.session.figures(context, all)));
  });
}

EMSCRIPTEN_KEEPALIVE void suffice_close(int session) { sessions.erase(session); }

}  // extern "C"
