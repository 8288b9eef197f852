#!/usr/bin/env Rscript
# Writes mclust.json: mixtures of the iris flowers by mclust (Debian's r-cran-mclust).
#
#   Rscript tests/reference/make_mclust.R
#
# `mixture` is Mclust's model of all rows with three components of full covariances, and its BIC
# (2 log L − p log n); `analysis` is MclustDA with two such components per class: its log-likelihood
# without the classes' shares, its parameters, and its posteriors of the classes for every tenth row.

library(mclust)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
table <- read.csv(file.path(here, "..", "..", "examples", "data", "iris.csv"), stringsAsFactors = FALSE)
label <- names(table)[ncol(table)]
x <- as.matrix(table[, 1:4])

number <- function(v) paste0("[", paste(format(as.numeric(v), digits = 17, trim = TRUE), collapse = ","), "]")
rows <- function(m) paste0("[", paste(apply(m, 1, number), collapse = ","), "]")
parameters <- function(p) {
  sigma <- p$variance$sigma
  paste0('"shares":', number(p$pro), ',"means":', rows(t(p$mean)), ',"covariances":[',
         paste(apply(sigma, 3, rows), collapse = ","), "]")
}
tight <- emControl(tol = c(1e-14, 1e-14), itmax = 10000)
whole <- Mclust(x, G = 3, modelNames = "VVV", control = tight)
analysis <- MclustDA(x, table[[label]], G = 2, modelNames = "VVV", control = tight)
classes <- sapply(names(analysis$models), function(name)
  paste0('"', name, '":{', parameters(analysis$models[[name]]$parameters), "}"))
within <- sum(sapply(analysis$models, function(m) m$loglik))
some <- seq(1, nrow(x), 10)
posterior <- predict(analysis, x[some, ])$z
writeLines(paste0('{"mixture":{"log_likelihood":', number(whole$loglik), ',"bic":', number(whole$bic), ",",
                  parameters(whole$parameters), '},\n"analysis":{"log_likelihood":', number(within),
                  ',"posteriors":', rows(posterior), ',"classes":{', paste(classes, collapse = ",\n"),
                  "}}}"), file.path(here, "mclust.json"))
