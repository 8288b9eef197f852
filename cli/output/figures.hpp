#pragma once
// Numbers for people: rounded to the digits that matter, so that columns of them can be compared at
// a glance. --json has all digits.

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace suffice::cli {

/// The shortest text that reads back as the same double; "inf", "-inf", "nan".
std::string exact(double value);
/// About `digits` significant digits, for a sentence: 0.0325, 12.3, 1.2e-08.
std::string rounded(double value, int digits = 4);
/// The same with its last zeros, for a column: 0.0640, 12.0.
std::string figure(double value, int digits = 4);
/// A column of numbers of one kind, such as probabilities: all have the decimals with which the
/// largest has `digits` significant digits. NaN is "–".
std::vector<std::string> figures(std::span<const double> values, int digits = 3);
/// "38.77 ± 2.61": the deviation has `digits` significant digits, and both have its decimals.
std::string with_deviation(double value, double deviation, int digits = 3);

/// 1234567 → "1,234,567"; weights that are not whole keep their fraction.
std::string counted(double value);
/// "1 row", "2 rows", "1,234 rows".
std::string counted(double value, std::string_view singular, std::string_view plural = {});
/// "150 rows", or "weight 112.5" if the rows have weights that do not sum to a whole number.
std::string counted_rows(double weight, std::string_view singular = "row");
/// The heading of a column of such weights: rows, or weight.
std::string_view rows_or_weight(std::span<const double> weights);
/// "2.1 s", "35 ms", "0.06 ms".
std::string run_time(double seconds);
/// "1.5 GB", "23 MB", "512 bytes".
std::string bytes_for_people(double bytes);

}  // namespace suffice::cli
