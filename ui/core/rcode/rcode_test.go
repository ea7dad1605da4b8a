package rcode

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"easel/ui/core/pycode"
)

func TestRisksInR(t *testing.T) {
	folder := pycode.Folder{Path: "/work", Exists: func(path string) bool { return strings.Contains(path, "old") }}
	for _, code := range []string{
		`unlink("data", recursive = TRUE)`, `file.remove("a.csv")`, `write.csv(df, "/srv/a.csv")`, `write.csv(df, "old.csv")`, `saveRDS(df, path)`,
		`system("id")`, "base::system2('id')", `do.call("system", list("id"))`, `f <- get(paste0("sys", "tem"))`, `eval(parse(text = "1"))`, `source("other.R")`,
		`install.packages("x")`, `download.file("https://example.org/a", "a")`, `d <- read.csv("https://example.org/a.csv")`, `Sys.getenv("TOKEN")`,
		`readLines("~/.ssh/id_rsa")`, `library(evil)`, `evil::run()`, "`system`('id')", `sapply("id", "system")`, `x <- readRDS("a.rds")`, `setwd("..")`,
		`read.csv(r"(https://example.org/a.csv)")`, `httr::GET(u)`,
	} {
		assert.NotEmpty(t, NewFollower(folder).Risks(code), code)
	}
	for _, code := range []string{
		"library(ggplot2)\nggplot(mtcars, aes(wt, mpg)) + geom_point() + ggtitle('See https://example.org')", `df <- read.csv("a.csv")`,
		`ggsave("plot.png", width = 7)`, `write.csv(df, "new.csv", row.names = FALSE)`, "# system('id')\nsummary(df)", `x <- dplyr::filter(df, a > 1)`,
		`png("a.png"); plot(1); dev.off()`, `model <- lm(y ~ x, data = df)`,
	} {
		assert.Empty(t, NewFollower(folder).Risks(code), code)
	}
	f := NewFollower(folder)
	f.Learn("tidy <- function(p) file.remove(p)", false)
	assert.NotEmpty(t, f.Risks("tidy('a.csv')"), "a function of an earlier cell")
}
