#!/usr/bin/env Rscript
# Writes mass_references.json: MASS::lda and MASS::qda under priors that are not the frequencies.
#
#   Rscript tests/cli/make_mass_references.R [DATA_DIR]      (default: ../shared/data)
#
# It adds to tests/reference/mass.json, which has the answers under the class frequencies. lda pools
# with n − K and qda divides by n − 1, so these are the models of --normalize unbiased.

library(MASS)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
data <- if (length(given)) given[1] else file.path(here, "..", "..", "..", "shared", "data")

# JSON of numbers, strings and named lists; 17 digits read back as the same double.
json <- function(x) {
  if (is.list(x)) {
    paste0("\n{", paste0('"', names(x), '":', vapply(x, json, ""), collapse = ","), "}")
  } else if (is.matrix(x)) {
    paste0("[", paste(apply(x, 1, json), collapse = ","), "]")
  } else if (is.character(x)) {
    paste0('"', x, '"')
  } else {
    text <- vapply(x, function(v) format(v, digits = 17, trim = TRUE), "")
    if (length(x) == 1) text else paste0("[", paste(text, collapse = ","), "]")
  }
}

study <- function(file, label, prior) {
  table <- read.csv(gzfile(file.path(data, file)), stringsAsFactors = FALSE)
  x <- as.matrix(table[, names(table) != label])
  y <- table[[label]]
  at <- floor(seq(0, nrow(x) - 1, length.out = 6))
  out <- list(at = at, prior = as.list(prior))
  for (name in c("lda", "qda")) {
    model <- if (name == "lda") lda(x, y) else qda(x, y)
    answer <- predict(model, x, prior = unname(prior))
    out[[name]] <- list(errors = sum(as.character(answer$class) != y),
                        posterior = unname(answer$posterior[at + 1, ]))
  }
  out
}

out <- list(made_by = paste0(R.version.string, ", MASS ", packageVersion("MASS")),
            iris = study("iris.csv.gz", "species",
                         c(setosa = 0.2, versicolor = 0.1, virginica = 0.7)),
            wine = study("wine.csv.gz", "cultivar",
                         c(class_0 = 0.05, class_1 = 0.9, class_2 = 0.05)),
            wdbc = study("breast_cancer_wdbc.csv.gz", "diagnosis",
                         c(benign = 0.9, malignant = 0.1)))
cat(json(out), "\n", file = file.path(here, "mass_references.json"), sep = "")
