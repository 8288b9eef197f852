#!/usr/bin/env Rscript
# Writes mass.json: what R's MASS::lda and MASS::qda say about the public data sets.
#
#   Rscript tests/reference/make_mass.R [DATA_DIR]      (default: ../shared/data)
#
# Priors are the class frequencies; lda pools with n − K, qda divides by n − 1.

library(MASS)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
data <- if (length(given)) given[1] else file.path(here, "..", "..", "..", "shared", "data")

read <- function(name) read.csv(gzfile(file.path(data, name)), stringsAsFactors = FALSE)
some <- function(n, count = 10) unique(floor(seq(0, n - 1, length.out = count)))

# JSON of numbers, strings and named lists; 17 digits read back as the same double.
json <- function(x) {
  if (is.list(x)) {
    paste0("\n{", paste0('"', names(x), '":', vapply(x, json, ""), collapse = ","), "}")
  } else if (is.matrix(x)) {
    paste0("[", paste(apply(x, 1, json), collapse = ","), "]")
  } else if (is.character(x)) {
    if (length(x) == 1) paste0('"', x, '"') else paste0('["', paste(x, collapse = '","'), '"]')
  } else {
    text <- vapply(x, function(v) format(v, digits = 17, trim = TRUE), "")
    if (length(x) == 1) text else paste0("[", paste(text, collapse = ","), "]")
  }
}

mistakes <- function(model, x, y) sum(as.character(predict(model, x)$class) != y)

study <- function(x, y, xt = NULL, yt = NULL, count = 10, with_qda = TRUE) {
  rows <- some(nrow(x), count)
  out <- list(rows = rows)
  models <- list(lda = lda(x, y))
  if (with_qda) models$qda <- qda(x, y)
  for (name in names(models)) {
    m <- models[[name]]
    entry <- list(errors = mistakes(m, x, y),
                  posterior = unname(predict(m, x[rows + 1, , drop = FALSE])$posterior))
    if (!is.null(xt)) entry$test_errors <- mistakes(m, xt, yt)
    if (name == "lda") {
      entry$counts <- as.numeric(m$counts)
      if (ncol(x) <= 16 && length(m$counts) < 20) entry$means <- unname(m$means)
    }
    out[[name]] <- entry
  }
  out
}

out <- list(made_by = paste0(R.version.string, ", MASS ", packageVersion("MASS")))
iris <- read("iris.csv.gz")
out$iris <- study(as.matrix(iris[, 1:4]), iris$species)
wine <- read("wine.csv.gz")
out$wine <- study(as.matrix(wine[, 1:13]), wine$cultivar)
wdbc <- read("breast_cancer_wdbc.csv.gz")
out$wdbc <- study(as.matrix(wdbc[, 1:30]), wdbc$diagnosis)
penguins <- read("penguins.csv.gz")
penguins[penguins == ""] <- NA
penguins <- penguins[complete.cases(penguins), ]
out$penguins <- study(as.matrix(penguins[, c("bill_length_mm", "bill_depth_mm",
                                            "flipper_length_mm", "body_mass_g")]),
                      penguins$species)
letter <- read("letter.csv.gz")
x <- as.matrix(letter[, -1])
train <- 1:16000
out$letter <- study(x[train, ], letter$letter[train], x[-train, ], letter$letter[-train], count = 3)
train <- read("optdigits_train.csv.gz")
test <- read("optdigits_test.csv.gz")
x <- as.matrix(train[, names(train) != "digit"])
xt <- as.matrix(test[, names(test) != "digit"])
kept <- apply(x, 2, var) > 0
# lda refuses features that are constant within the classes; they are those constant over all rows
# and a few more, so only the others are used.
within <- apply(x, 2, function(v) var(v - ave(v, train$digit))) > 1e-8
out$optdigits <- study(x[, kept & within], as.character(train$digit), xt[, kept & within],
                       as.character(test$digit), with_qda = FALSE)
out$optdigits$kept <- which(kept & within) - 1

cat(json(out), "\n", file = file.path(here, "mass.json"), sep = "")
