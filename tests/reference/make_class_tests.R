#!/usr/bin/env Rscript
# Writes class_tests.json: the tables of a discriminant analysis by R, with the rows that they are
# about. summary.manova, aov, t.test and MASS::lda where R has them; Box's M, the distances of
# classes, their intervals and the tests of the remaining functions by their formulas here.
#
#   Rscript tests/reference/make_class_tests.R [DATA_DIR]      (default: ../shared/data)
#
# "manova" is the small example of Johnson and Wichern, Applied Multivariate Statistical Analysis,
# 6.9: there Wilks' lambda is 239/6215 and F 8.19 with 4 and 8 degrees of freedom.

library(MASS)

args <- commandArgs(trailingOnly = FALSE)
here <- dirname(normalizePath(sub("^--file=", "", grep("^--file=", args, value = TRUE))))
given <- commandArgs(trailingOnly = TRUE)
data <- if (length(given)) given[1] else file.path(here, "..", "..", "..", "shared", "data")
read <- function(name) read.csv(gzfile(file.path(data, name)), stringsAsFactors = FALSE)

# JSON of numbers, strings and named lists; 17 digits read back as the same double.
json <- function(x) {
  if (is.list(x)) {
    paste0("\n{", paste0('"', names(x), '":', vapply(x, json, ""), collapse = ","), "}")
  } else if (is.matrix(x)) {
    paste0("[", paste(apply(x, 1, function(r) json(I(r))), collapse = ","), "]")
  } else if (is.character(x)) {
    paste0('["', paste(x, collapse = '","'), '"]')
  } else {
    text <- vapply(x, function(v) format(v, digits = 17, trim = TRUE), "")
    if (length(x) == 1 && !inherits(x, "AsIs")) text
    else paste0("[", paste(text, collapse = ","), "]")
  }
}

# The noncentrality with P(F <= f) = probability.
noncentral <- function(probability, f, df1, df2) {
  if (pf(f, df1, df2) <= probability) return(0)
  high <- df1 * f + 10
  while (pf(f, df1, df2, high) > probability) high <- 2 * high
  uniroot(function(l) pf(f, df1, df2, l) - probability, c(0, high), tol = 1e-12 * high)$root
}

study <- function(x, y) {
  x <- as.matrix(x)
  dimnames(x) <- list(NULL, paste0("x", seq_len(ncol(x)) - 1))
  y <- factor(y)
  n <- nrow(x)
  p <- ncol(x)
  k <- nlevels(y)
  counts <- as.numeric(table(y))
  fit <- manova(x ~ y)
  tests <- lapply(c(wilks = "Wilks", pillai = "Pillai", hotelling_lawley = "Hotelling-Lawley",
                    roy = "Roy"),
                  function(test) unname(summary(fit, test = test)$stats[1, 2:6]))
  sums <- summary(fit)$SS
  b <- sums[[1]]
  w <- sums[[2]]
  pooled <- w / (n - k)
  eigen <- sort(Re(eigen(solve(w, b), only.values = TRUE)$values), decreasing = TRUE)
  eigen <- eigen[seq_len(min(p, k - 1))]
  columns <- t(vapply(seq_len(p), function(j) {
    row <- unlist(summary(aov(x[, j] ~ y))[[1]][1, 4:5])
    c(w[j, j] / (w[j, j] + b[j, j]), row, b[j, j] / (w[j, j] + b[j, j]))
  }, numeric(4)))
  low <- high <- matrix(0, k, p)
  for (c in seq_len(k)) for (j in seq_len(p)) {
    interval <- t.test(x[y == levels(y)[c], j])$conf.int
    low[c, j] <- interval[1]
    high[c, j] <- interval[2]
  }

  log_det <- function(s) as.numeric(determinant(s)$modulus)
  each <- vapply(levels(y), function(c) log_det(cov(x[y == c, , drop = FALSE])), 0)
  free <- counts - 1
  m <- (n - k) * log_det(pooled) - sum(free * each)
  c1 <- (sum(1 / free) - 1 / (n - k)) * (2 * p^2 + 3 * p - 1) / (6 * (p + 1) * (k - 1))
  c2 <- (sum(1 / free^2) - 1 / (n - k)^2) * (p - 1) * (p + 2) / (6 * (k - 1))
  df <- p * (p + 1) * (k - 1) / 2
  df2 <- (df + 2) / abs(c2 - c1^2)
  f <- if (c2 > c1^2) m * (1 - c1 - df / df2) / df else {
    scale <- df2 / (1 - c1 + 2 / df2)
    df2 * m / (df * (scale - m))
  }
  chi2 <- m * (1 - c1)

  pairs <- NULL
  means <- rowsum(x, y) / counts
  for (a in seq_len(k - 1)) for (c in (a + 1):k) {
    d2 <- mahalanobis(means[a, ], means[c, ], pooled)
    size <- counts[a] * counts[c] / (counts[a] + counts[c])
    rest <- n - k - p + 1
    value <- rest / (p * (n - k)) * size * d2
    share <- counts[a] / (counts[a] + counts[c])
    shift <- log(counts[c] / counts[a]) / sqrt(d2)
    error <- share * pnorm(shift - sqrt(d2) / 2) + (1 - share) * pnorm(-shift - sqrt(d2) / 2)
    pairs <- rbind(pairs, c(d2, value, p, rest, pf(value, p, rest, lower.tail = FALSE),
                            noncentral(0.975, value, p, rest) / size,
                            noncentral(0.025, value, p, rest) / size, error))
  }

  remaining <- t(vapply(seq_along(eigen), function(i) {
    wilks <- prod(1 / (1 + eigen[i:length(eigen)]))
    chi <- -(n - 1 - (p + k) / 2) * log(wilks)
    free <- (p - i + 1) * (k - i)
    c(wilks, chi, free, pchisq(chi, free, lower.tail = FALSE))
  }, numeric(4)))

  scaling <- unclass(unname(lda(x, y)$scaling))
  attributes(scaling) <- list(dim = dim(scaling))
  deviation <- sqrt(diag(pooled))
  centred <- sweep(means, 2, colMeans(x))
  list(x = unname(x), y = as.character(y), manova = tests, eigenvalues = I(eigen),
       columns = columns, low = low, high = high,
       box_m = c(m, f, chi2, df, pchisq(chi2, df, lower.tail = FALSE), df2,
                 pf(f, df, df2, lower.tail = FALSE)),
       pairs = pairs, remaining = remaining, raw = scaling,
       standardized = scaling * deviation,
       structure = unname((pooled %*% scaling) / deviation),
       centroids = unname(centred %*% scaling))
}

example <- function() {
  x <- rbind(c(9, 3), c(6, 2), c(9, 7), c(0, 4), c(2, 0), c(3, 8), c(1, 9), c(2, 7))
  y <- rep(c("a", "b", "c"), c(3, 2, 3))
  fit <- manova(x ~ factor(y))
  list(x = x, y = y, wilks = unname(summary(fit, test = "Wilks")$stats[1, 2:6]))
}

wine <- read("wine.csv.gz")
penguins <- na.omit(read("penguins.csv.gz")[, c("species", "bill_length_mm", "bill_depth_mm",
                                                 "flipper_length_mm", "body_mass_g")])
out <- list(made_by = paste0(R.version.string, ", MASS ", packageVersion("MASS")),
            iris = study(iris[, 1:4], iris$Species),
            wine = study(wine[, 1:13], wine$cultivar),
            penguins = study(penguins[, -1], penguins$species),
            crabs = study(crabs[, 4:8], paste(crabs$sp, crabs$sex)),
            manova = example())
writeLines(json(out), file.path(here, "class_tests.json"))
