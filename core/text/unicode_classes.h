// Character classes as regular-expression fragments, to stand inside [...]. They are those of Unicode 16, which the
// reference tokenizers use; PCRE2 10.42 knows Unicode 14, so the letters and numbers that came later are listed here.
// A class that misses one of them would split a word elsewhere and give other ids. Constants; any thread.
#pragma once

#include <string_view>

namespace mie::unicode {

// General category L.
inline constexpr std::string_view kLetters =
    R"(\p{L}\x{1C89}-\x{1C8A}\x{A7CB}-\x{A7CD}\x{A7DA}-\x{A7DC}\x{105C0}-\x{105F3}\x{10D4A}-\x{10D65}\x{10D6F}-\x{10D85})"
    R"(\x{10EC2}-\x{10EC4}\x{1123F}-\x{11240}\x{11380}-\x{11389}\x{1138B}\x{1138E}\x{11390}-\x{113B5}\x{113B7})"
    R"(\x{113D1}\x{113D3}\x{11BC0}-\x{11BE0}\x{11F02}\x{11F04}-\x{11F10}\x{11F12}-\x{11F33}\x{1342F})"
    R"(\x{13441}-\x{13446}\x{13460}-\x{143FA}\x{16100}-\x{1611D}\x{16D40}-\x{16D6C}\x{18CFF}\x{1B132}\x{1B155})"
    R"(\x{1DF25}-\x{1DF2A}\x{1E030}-\x{1E06D}\x{1E4D0}-\x{1E4EB}\x{1E5D0}-\x{1E5ED}\x{1E5F0}\x{2B739})"
    R"(\x{2EBF0}-\x{2EE5D}\x{31350}-\x{323AF})";

// General category N.
inline constexpr std::string_view kNumbers =
    R"(\p{N}\x{10D40}-\x{10D49}\x{116D0}-\x{116E3}\x{11BF0}-\x{11BF9}\x{11F50}-\x{11F59}\x{16130}-\x{16139})"
    R"(\x{16D70}-\x{16D79}\x{1CCF0}-\x{1CCF9}\x{1D2C0}-\x{1D2D3}\x{1E4F0}-\x{1E4F9}\x{1E5F1}-\x{1E5FA})";

// What the reference's digit splitter calls numeric besides: it knows Unicode 17.
inline constexpr std::string_view kNumbersOfUnicode17 = R"(\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6})";

// Property White_Space. PCRE2's own \s has U+180E too, which is none.
inline constexpr std::string_view kWhiteSpace = R"(\x{9}-\x{D}\x{85}\p{Z})";

}  // namespace mie::unicode
