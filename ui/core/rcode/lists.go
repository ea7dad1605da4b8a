package rcode

import (
	"strings"

	"easel/ui/core/pycode"
)

// kinds are functions by what they do.
var kinds = byWord(map[pycode.RiskKind]string{
	pycode.RiskFiles: `write write.csv write.csv2 write.table write.dcf writeLines writeBin writeChar write_csv write_csv2 write_tsv
		write_delim write_excel_csv write_rds write_lines write_file write_parquet write_feather write_dataset write_xlsx
		write.xlsx write_sf st_write write_sav write_dta write_json saveRDS save save.image ggsave save_plot saveWidget
		htmlwidgets sink dump dput.file file.remove unlink file.rename file.copy file.create file.append file.symlink
		file.link dir.create Sys.chmod Sys.setFileTime Sys.umask fwrite pdf png jpeg tiff bmp svg cairo_pdf postscript gzfile
		bzfile xzfile fifo dbConnect dbWriteTable dbExecute unzip untar zip tar file_delete file_move file_copy dir_delete
		dir_create file_create setwd savehistory writeRaster`,
	pycode.RiskNetwork: `download.file url curl curl_download curl_fetch_memory socketConnection make.socket socketSelect serverSocket
		browseURL nsl GET POST PUT DELETE request req_perform getURL read_html fetch getSymbols`,
	pycode.RiskPrograms: `system system2 shell shell.exec pipe run_process makeCluster mcparallel Rscript rstudioapi knit render spin quit q`,
	pycode.RiskPackages: `install.packages update.packages remove.packages install_github install_cran install_local BiocManager pak renv
		devtools remotes pacman p_load`,
	pycode.RiskSecrets: `Sys.getenv Sys.setenv Sys.unsetenv readRenviron key_get askpass readClipboard clipboard keyring`,
	pycode.RiskUnseen: `eval evalq eval_tidy eval.parent parse str2lang str2expression source sys.source sys.function dyn.load library.dynam
		.Call .C .External .External2 .Internal .Primitive getNativeSymbolInfo load attach readRDS unserialize
		getFromNamespace assignInNamespace fixInNamespace asNamespace getNamespace environment<- unlockBinding
		makeActiveBinding reg.finalizer trace addTaskCallback on.exit.hook cppFunction sourceCpp inline cfunction
		py_run_string py_eval source_python import body<- as.function base64decode base64_dec rawToChar intToUtf8 chartr
		utf8ToInt loadNamespaceAs delayedAssign invokeRestart Rcpp rJava reticulate JS HTML.script`,
})

// getters return or call a function that a string names, and appliers may.
var (
	getters  = set(`do.call match.fun get get0 mget`)
	appliers = set(`Reduce Map Filter sapply lapply vapply mapply outer getFunction getExportedValue getFromNamespace asNamespace`)
)

// displayers show their strings.
var displayers = set(`cat print message ggtitle labs title xlab ylab warning stop mtext annotate`)

// writers write to the file that they name.
var writers = set(`write.csv write.csv2 write.table write_csv write_csv2 write_tsv write_delim write_rds write_parquet write_feather
		write_xlsx write.xlsx saveRDS ggsave fwrite pdf png jpeg tiff bmp svg cairo_pdf writeLines write_json`)

// harmlessPackages only compute, read and draw, but for what kinds lists.
var harmlessPackages = set(`base stats graphics grDevices utils datasets methods grid splines stats4 tools parallel compiler ggplot2 dplyr tidyr
		readr purrr tibble stringr forcats lubridate tidyverse magrittr glue rlang scales data.table readxl haven broom modelr
		ggrepel patchwork cowplot gridExtra ggthemes ggpubr viridis viridisLite RColorBrewer ggridges ggforce GGally corrplot
		pheatmap plotly lattice latticeExtra MASS Matrix nlme lme4 mgcv survival survminer caret randomForest ranger xgboost
		e1071 glmnet rpart rpart.plot party tidymodels recipes parsnip yardstick rsample workflows tune dials car emmeans
		multcomp effects sandwich lmtest zoo xts forecast fable feasts tsibble tseries vars urca sf sp terra raster stars tmap
		leaflet maps mapdata jsonlite xml2 knitr kableExtra gt flextable janitor skimr naniar visdat psych Hmisc rstatix
		FactoMineR factoextra cluster vegan ape igraph ggraph tidygraph network sna IRdisplay IRkernel repr hexbin waldo bit64
		arrow nycflights13 palmerpenguins gapminder ISLR ISLR2 mlbench boot bootstrap coin pwr quantreg gam VGAM brms rstan
		rstanarm bayesplot posterior coda loo tidybayes MCMCpack performance see parameters insight effectsize report
		ggeffects sjPlot stargazer modelsummary broom.mixed wesanderson ggsci treemap treemapify waffle ggalluvial UpSetR
		VennDiagram circlize ComplexHeatmap DESeq2 edgeR limma Biobase SummarizedExperiment GenomicRanges IRanges Seurat`)

// networkPackages use the network or other programs.
var networkPackages = byWord(map[pycode.RiskKind]string{
	pycode.RiskNetwork:  `httr httr2 curl RCurl rvest quantmod DBI RPostgres RMySQL aws.s3 googledrive googlesheets4`,
	pycode.RiskPrograms: `processx callr sys`,
	pycode.RiskFiles:    `fs`,
	pycode.RiskPackages: `devtools remotes pak renv BiocManager`,
	pycode.RiskSecrets:  `keyring`,
	pycode.RiskUnseen:   `reticulate Rcpp rJava`,
})

func kindOf(word string) pycode.RiskKind { return kinds[word] }

func byWord(lists map[pycode.RiskKind]string) map[string]pycode.RiskKind {
	all := make(map[string]pycode.RiskKind)
	for kind, words := range lists {
		for w := range strings.FieldsSeq(words) {
			all[w] = kind
		}
	}
	return all
}

func set(words string) map[string]bool {
	all := make(map[string]bool)
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}
