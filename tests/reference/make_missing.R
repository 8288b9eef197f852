#!/usr/bin/env Rscript
# Writes missing.json: maximum-likelihood means and covariances of iris with cells emptied, class by
# class, by lavaan's maximum likelihood of a saturated model (Debian's r-cran-lavaan).
#
#   Rscript tests/reference/make_missing.R
#
# Cell (i, j) is emptied where (7 i + 11 j + i j) mod 5 is 0, with i and j counted from 0.

library(lavaan)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
table <- read.csv(file.path(here, "..", "..", "examples", "data", "iris.csv"), stringsAsFactors = FALSE)
label <- names(table)[ncol(table)]
x <- as.matrix(table[, 1:4])
for (i in seq_len(nrow(x)) - 1)
  for (j in 0:3)
    if ((7 * i + 11 * j + i * j) %% 5 == 0) x[i + 1, j + 1] <- NA

number <- function(v) paste0("[", paste(format(v, digits = 17, trim = TRUE), collapse = ","), "]")
classes <- sort(unique(table[[label]]))
parts <- sapply(classes, function(name) {
  y <- x[table[[label]] == name, ]
  found <- lavaan:::lav_mvnorm_missing_h1_estimate_moments(y, max.iter = 20000L, tol = 1e-15)
  paste0('"', name, '":{"mean":', number(as.numeric(found$Mu)), ',"covariance":[',
         paste(apply(found$Sigma, 1, number), collapse = ","), "]}")
})
writeLines(paste0("{", paste(parts, collapse = ",\n"), "}"), file.path(here, "missing.json"))
