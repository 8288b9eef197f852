#include "cli/words/show_remarks.hpp"

#include <string>
#include <utility>

#include "cli/line/error.hpp"

namespace suffice::cli {

void show_remarks(const std::vector<Remark>& remarks, Terminal& terminal) {
  for (const Remark& remark : remarks) {
    std::string text = remark.sentence;
    switch (remark.remedy) {
      case Remark::Remedy::none:
        break;
      case Remark::Remedy::leave_out:
        text += "; --ignore '" + remark.columns.front() + "' leaves it out";
        break;
      case Remark::Remedy::categorical:
        text +=
            remark.columns.size() == 1
                ? "; if they are codes, use --family '" + remark.columns.front() + "=categorical'"
                : "; if they are codes, use --family '" + remark.columns.front() +
                      "=categorical', and so for the others";
        break;
      case Remark::Remedy::text:
        text += "; --family '" + remark.columns.front() + "=text' learns from its words";
    }
    if (remark.is_hint)
      terminal.hint(std::move(text));
    else
      terminal.warn(text);
  }
}

void show_notes(const std::vector<FitNote>& notes, Terminal& terminal) {
  for (const auto& [kind, sentence] : notes) {
    std::string text = sentence.text(flag_spelling);
    if (kind == FitNote::Kind::warning)
      terminal.warn(text);
    else if (kind == FitNote::Kind::note)
      terminal.note(text);
    else
      terminal.hint(std::move(text));
  }
}

}  // namespace suffice::cli
