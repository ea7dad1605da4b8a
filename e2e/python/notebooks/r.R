# %%
40 + 2
# %%
df <- data.frame(station = c("Kiel", "Bremen"), mm = c(83.5, 71.25)); df
# %%
summary(c(101, 205, 309))
"two values"
c(a = 1, b = 2)
# %%
print("printed"); cat("cat without newline")
message("a message")
warning("a warning")
# %%
x <- list(n = 4711L, who = c("Ann", "Bob"), deep = list(TRUE, NULL)); x
# %%
matrix(1:6, nrow = 2)
factor(c("low", "high", "low"))
NULL
# %%
stop("it failed")
# %%
f <- function(x) x + undefined_thing
f(1)
# %%
plot(c(1, 3, 2), main = "base graphics")
# %%
library(ggplot2)
ggplot(df, aes(station, mm)) + geom_col()
# %%
for (i in 1:3) cat("\r", i, "of 3")
# %%
str(df)
head(letters, 3)
invisible(5)
# %%
IRdisplay::display_html("<b>HTML from R</b>")
IRdisplay::display_markdown("*Markdown* from R")
# %%
?mean
# %%
1 +
# %%
model <- lm(mm ~ 1, df); model
as.Date("2026-01-02")
