#!/usr/bin/env Rscript
# Writes mass_cv.json: what R's MASS::lda and MASS::qda say of each row when it is left out
# (CV = TRUE).
#
#   Rscript tests/reference/make_mass_cv.R [DATA_DIR]      (default: ../shared/data)
#
# Priors are the class frequencies of all rows, the one that is left out among them; lda pools with
# n − K, qda divides by n − 1. Rows whose probabilities all underflow in MASS are left out.

library(MASS)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
data <- if (length(given)) given[1] else file.path(here, "..", "..", "..", "shared", "data")

read <- function(name) read.csv(gzfile(file.path(data, name)), stringsAsFactors = FALSE)
numbers <- function(x) paste0("[", paste(format(x, digits = 17, trim = TRUE), collapse = ","), "]")

study <- function(x, y) {
  entries <- vapply(c("lda", "qda"), function(name) {
    cv <- get(name)(x, y, CV = TRUE)
    rows <- unique(floor(seq(0, nrow(x) - 1, length.out = 40)))
    rows <- rows[is.finite(rowSums(cv$posterior))[rows + 1]]
    posterior <- unname(cv$posterior[rows + 1, ])
    paste0('"', name, '":{"errors":', sum(as.character(cv$class) != y, na.rm = TRUE),
           ',"rows":', numbers(rows), ',"posterior":[',
           paste(apply(posterior, 1, numbers), collapse = ",\n"), "]}")
  }, "")
  paste0("{", paste(entries, collapse = ",\n"), "}")
}

iris <- read("iris.csv.gz")
wine <- read("wine.csv.gz")
wdbc <- read("breast_cancer_wdbc.csv.gz")
sets <- c(iris = study(as.matrix(iris[, 1:4]), iris$species),
          wine = study(as.matrix(wine[, 1:13]), wine$cultivar),
          wdbc = study(as.matrix(wdbc[, 1:30]), wdbc$diagnosis))
made_by <- paste0(R.version.string, ", MASS ", packageVersion("MASS"))
writeLines(paste0('{"made_by":"', made_by, '",\n',
                  paste0('"', names(sets), '":', sets, collapse = ",\n"), "}"),
           file.path(here, "mass_cv.json"))
