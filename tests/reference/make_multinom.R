#!/usr/bin/env Rscript
# Writes multinom.json: logistic regression without a penalty by nnet's multinom (Debian's
# r-cran-nnet), with weights 1, 2, 3, 1, 2, 3, … of the rows.
#
#   Rscript tests/reference/make_multinom.R [DATA_DIR]      (default: ../shared/data)
#
# Columns are standardised before, since multinom's BFGS needs that, and coefficients are those of
# the columns as they are: the weights of each class less those of the first, intercept first.
# Of two classes, nnet takes probabilities beyond log-odds of 15 for 0 and 1, so these sets have columns
# that do not tell the classes apart that well. `errors` are the standard errors of the two-class sets, without the intercept.

library(nnet)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
data <- if (length(given)) given[1] else file.path(here, "..", "..", "..", "shared", "data")

sets <- list(
  iris = list("iris.csv.gz", "species", c("sepal_length", "sepal_width"),
              c("versicolor", "virginica")),
  wine = list("wine.csv.gz", "cultivar", c("alcohol", "malic_acid", "ash", "magnesium"), NULL),
  wdbc = list("breast_cancer_wdbc.csv.gz", "diagnosis",
              c("mean_texture", "mean_smoothness", "mean_symmetry", "se_texture"), NULL),
  adult = list("adult_train.csv.gz", "income",
               c("age", "education_num", "capital_gain", "capital_loss", "hours_per_week"), NULL))

number <- function(v) paste0("[", paste(format(as.numeric(v), digits = 17, trim = TRUE), collapse = ","), "]")
one <- function(name) {
  set <- sets[[name]]
  table <- read.csv(file.path(data, set[[1]]), stringsAsFactors = FALSE, strip.white = TRUE)
  if (!is.null(set[[4]])) table <- table[table[[set[[2]]]] %in% set[[4]], ]
  x <- as.matrix(table[, set[[3]]])
  y <- factor(table[[set[[2]]]])
  w <- 1 + (seq_len(nrow(x)) - 1) %% 3
  center <- colMeans(x)
  scale <- apply(x, 2, sd)
  z <- sweep(sweep(x, 2, center), 2, scale, "/")
  fit <- multinom(y ~ z, weights = w, maxit = 100000, reltol = 1e-16, abstol = 1e-14, trace = FALSE, Hess = TRUE)
  b <- coef(fit)
  if (is.null(dim(b))) b <- matrix(b, 1)
  slope <- sweep(b[, -1, drop = FALSE], 2, scale, "/")
  intercept <- b[, 1] - slope %*% center
  errors <- if (nrow(b) > 1) numeric(0) else sqrt(diag(solve(fit$Hessian)))[-1] / scale
  paste0('"', name, '":{"file":"', set[[1]], '","label":"', set[[2]], '","columns":["',
         paste(set[[3]], collapse = '","'), '"],"classes":["', paste(levels(y), collapse = '","'),
         '"],"coefficients":[', paste(sapply(seq_len(nrow(b)), function(k) number(c(intercept[k], slope[k, ]))),
                                     collapse = ","), '],"errors":', number(errors), ',"loss":', number(fit$value), "}")
}
writeLines(paste0("{", paste(sapply(names(sets), one), collapse = ",\n"), "}"), file.path(here, "multinom.json"))
