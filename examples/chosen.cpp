// One call chooses, trains and calibrates a model, as `suffice fit iris.csv --label species` does.

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <suffice/suffice.hpp>
#include <vector>

using namespace suffice;

int main() {
  // Four numbers and a name in each line, below a heading.
  std::ifstream file(SUFFICE_EXAMPLE_DATA "/iris.csv");
  std::vector<double> numbers;
  std::vector<std::string> species;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    for (int j = 0; j < 4 && std::getline(cells, cell, ','); ++j)
      numbers.push_back(std::stod(cell));
    std::getline(cells, cell);
    species.push_back(cell);
  }
  const auto count = static_cast<Index>(species.size());
  RowsInMemory rows(Schema::numbered(4), RowBlock(MatrixView(numbers.data(), count, 4), species));

  const Fit found = fit(rows);

  // found.choice has the models that were compared, with their error rates and log-losses of rows
  // that were left out; found.notes has what was done otherwise than one may expect.
  Predictor predictor(found.model);
  const Matrix flower = {{6.2, 2.8, 4.8, 1.8}};
  std::printf("a flower: %s\n", std::string(predictor(flower).label(0)).c_str());
}
