#include "cli/words/show_remarks.hpp"

#include <string>
#include <utility>

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

}  // namespace suffice::cli
