# %%
warns <- function(x) { warning("careless 11"); x + 1 }
warns(1)
# %%
for (i in 1:3) warning(paste("number", i, "of 12"))
message("told 13")
# %%
r <- tryCatch(stop("inner 21"), error = function(e) conditionMessage(e), finally = cat("finally 22\n"))
r
# %%
outer <- function() inner()
inner <- function() stop("deep 31", call. = FALSE)
print("before 32")
outer()
# %%
log(-1); sqrt("a")
# %%
library(ggplot2)
p <- ggplot(data.frame(x = 1:3, y = c(2, 4, NA)), aes(x, y)) + geom_point()
p
cat("after the plot 41\n")
print(p)
# %%
ggplot(data.frame(x = 1), aes(missing_column_42, x)) + geom_point()
# %%
hist(c(1, 2, 2, 3)); cat("between 51\n"); barplot(1:3)
# %%
pb <- txtProgressBar(max = 5, style = 3); for (i in 1:5) setTxtProgressBar(pb, i); close(pb)
# %%
data.frame(name = c("Zoë", "雪"), when = as.POSIXct("2026-01-02 03:04:05", tz = "UTC"), n = c(NA, 61.5))
# %%
df <- data.frame(n = 1:100); df
# %%
list(1, "two", list(nested = 71, f = function(x) x))
quote(a + b)
y ~ x
TRUE
NA
c(1.5, NA, Inf)
character(0)
# %%
table(c("a", "b", "a"))
array(1:8, c(2, 2, 2))
complex(real = 1, imaginary = 81)
# %%
invisible("not shown")
x <- 5
(x <- 91)
# %%
print(summary(lm(mpg ~ wt, mtcars)))
# %%
apropos("^read\\.csv")
help.search
# %%
IRdisplay::clear_output(); cat("left 95\n")
IRdisplay::display(list(a = 96))
IRdisplay::publish_mimebundle(list("text/plain" = "bundle 97", "text/html" = "<b>bundle</b>"))
# %%
suppressWarnings(as.numeric("x"))
as.numeric("y")
# %%
stopifnot("must be positive 98" = -1 > 0)
