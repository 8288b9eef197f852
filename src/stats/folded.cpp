#include "stats/folded.hpp"

#include <unordered_map>

namespace suffice {
namespace {

/// Letters with an accent, each after the letter without it.
struct Accented {
  char32_t mark;
  std::u32string_view pairs;
};

// From Unicode's canonical decompositions; tests/cli/test_mistakes.py compares them with Python's.
constexpr Accented accents[] = {
    {0x300, U"aàeèiìoòuùüǜnǹеѐиѝēḕōṑwẁâầăằêềôồơờưừyỳ"},
    {0x301,
     U"aáeéiíoóuúyýcćlĺnńrŕsśzźüǘgǵåǻæǽøǿϊΐαάεέηήιίϋΰοόυύωώгѓкќçḉēḗïḯkḱmḿõṍōṓpṕũṹwẃâấăắêếôốơớưứ"},
    {0x302, U"aâeêiîoôuûcĉgĝhĥjĵsŝwŵyŷzẑạậẹệọộ"},
    {0x303, U"aãnñoõiĩuũvṽâẫăẵeẽêễôỗơỡưữyỹ"},
    {0x304, U"aāeēiīoōuūüǖäǟȧǡæǣǫǭиӣуӯgḡḷḹṛṝ"},
    {0x306, U"aăeĕgğiĭoŏuŭийуўжӂаӑеӗȩḝạặ"},
    {0x307, U"cċeėgġzżbḃdḋfḟhḣmṁnṅpṗrṙsṡśṥšṧṣṩtṫwẇxẋyẏiİ"},
    {0x308, U"aäeëiïoöuüyÿιϊυϋеёіїаӓәӛжӝзӟиӥоӧөӫэӭуӱчӵыӹhḧõṏūṻwẅxẍtẗ"},
    {0x309, U"aảâẩăẳeẻêểiỉoỏôổơởuủưửyỷ"},
    {0x30a, U"aåuůwẘyẙ"},
    {0x30b, U"oőuűуӳ"},
    {0x30c, U"cčdďeělľnňrřsštťzžaǎiǐoǒuǔüǚgǧkǩʒǯjǰ"},
    {0x30f, U"aȁeȅiȉoȍrȑuȕѵѷ"},
    {0x311, U"aȃeȇiȋoȏrȓuȗ"},
    {0x323, U"bḅdḍhḥkḳlḷmṃnṇrṛsṣtṭvṿwẉzẓaạeẹiịoọơợuụưựyỵ"},
    {0x326, U"sștț"},
    {0x327, U"cçgģkķlļnņrŗsştţdḑhḩeȩ"},
    {0x328, U"aąeęiįuųoǫ"},
    {0x31b, U"oơuư"},
    {0x331, U"bḇdḏkḵlḻnṉrṟtṯzẕhẖ"},
};

struct Parts {
  char32_t letter, mark;
};

const std::unordered_map<char32_t, Parts>& decompositions() {
  static const auto table = [] {
    std::unordered_map<char32_t, Parts> result;
    for (const auto& [mark, pairs] : accents)
      for (std::size_t i = 0; i + 1 < pairs.size(); i += 2)
        result.emplace(pairs[i + 1], Parts{pairs[i], mark});
    return result;
  }();
  return table;
}

/// Capital letters whose small one follows, first … last in steps of two.
constexpr char32_t next_to_small[][2] = {
    {0x100, 0x12e}, {0x132, 0x136}, {0x139, 0x147},   {0x14a, 0x176},  {0x179, 0x17d},
    {0x1cd, 0x1db}, {0x1de, 0x1ee}, {0x1f8, 0x21e},   {0x460, 0x480},  {0x48a, 0x4be},
    {0x4c1, 0x4cd}, {0x4d0, 0x52e}, {0x1e00, 0x1e94}, {0x1ea0, 0x1efe}};

char32_t in_lower_case(char32_t c) {
  const auto in = [&](char32_t first, char32_t last) { return c >= first && c <= last; };
  if (in('A', 'Z') || (in(0xc0, 0xde) && c != 0xd7) || in(0x391, 0x3ab) || in(0x410, 0x42f))
    return c + 32;
  if (in(0x400, 0x40f)) return c + 80;
  if (c == 0x178) return 0xff;
  if (c == 0x386) return 0x3ac;
  if (in(0x388, 0x38a)) return c + 37;
  if (c == 0x38c) return 0x3cc;
  if (in(0x38e, 0x38f)) return c + 63;
  if (c == 0x3c2) return 0x3c3;  // a sigma at the end of a word
  for (const auto& [first, last] : next_to_small)
    if (in(first, last) && (c - first) % 2 == 0) return c + 1;
  return c;
}

/// The character at `at`, which moves on. What is no UTF-8 is taken byte by byte.
char32_t next_character(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(at++);
  const int more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
  if (at + static_cast<std::size_t>(more) > text.size()) return first;
  char32_t c = more == 0 ? first : first & (0x3fu >> more);
  for (int k = 0; k < more; ++k) c = (c << 6) | (byte(at++) & 0x3fu);
  return c;
}

void append(std::u32string& to, char32_t c) {
  const auto found = decompositions().find(c);
  if (found == decompositions().end()) {
    to += c;
  } else {
    append(to, found->second.letter);
    to += found->second.mark;
  }
}

}  // namespace

std::string folded(std::string_view name) {
  std::u32string characters;
  for (std::size_t at = 0; at < name.size();)
    append(characters, in_lower_case(next_character(name, at)));
  return {reinterpret_cast<const char*>(characters.data()), characters.size() * sizeof(char32_t)};
}

}  // namespace suffice
