// A saved model answers: one that `suffice fit iris.csv --label species -o iris.suffice` has
// written, or Model.save in Python, or save in C++.
//
// saved_model iris.suffice

#include <cmath>
#include <cstdio>
#include <string>
#include <suffice/suffice.hpp>

using namespace suffice;

int main(int count, char** arguments) {
  try {
    const Model model = load_model(count > 1 ? arguments[1] : "iris.suffice");
    Predictor predictor(model, {.wanted = {.posteriors = true}});

    // Length and width of sepals and petals. The third flower has lost its petals. More blocks of
    // rows would be more calls of the predictor.
    const Matrix flowers = {{5.0, 3.4, 1.5, 0.2}, {6.2, 2.8, 4.8, 1.8}, {6.2, 2.8, NAN, NAN}};
    const Predictions& answers = predictor(flowers);
    for (Index i = 0; i < flowers.rows(); ++i) {
      std::printf("flower %td: %-10s ", i + 1, std::string(answers.label(i)).c_str());
      for (Index c = 0; c < model.labels().size(); ++c)
        std::printf("  %s %.3f", model.labels()[c].c_str(), answers.posteriors(i, c));
      std::printf("\n");
    }
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
