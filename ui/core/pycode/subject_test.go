package pycode_test

import (
	"testing"

	"easel/ui/core/pycode"
)

func TestSubject(t *testing.T) {
	for code, want := range map[string]string{
		"# Sales by region\nimport pandas as pd":                                      "Sales by region",
		"\n\n#%% Load the data.\nx = 1":                                               "Load the data",
		"#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Monthly churn:\nimport os": "Monthly churn",
		"# --------\n# --- Sensor drift ---\n# --------\nx = 1":                       "Sensor drift",
		"# 売上\nprint(1)":                                                              "売上",
		"# 1. 店舗ごとの売上を描く。\nx":                                                         "1. 店舗ごとの売上を描く",
		"#' Growth curves\nlibrary(ggplot2)":                                          "Growth curves",
		"import pandas as pd\n# Sales":                                                "",
		"# df = load()\n# plt.plot(df)\ndf.head()":                                    "",
		"# import os\n# noqa: E501\nx = 1":                                            "",
		"# type: ignore\nx = 1":                                                       "",
		"#\n#\n":                                                                      "",
		"":                                                                            "",
		"%%bash\n# list\nls":                                                          "",
		"# see\n# https://example.com/x\n# Rainfall, 1990–2020":                       "see",
	} {
		if got := pycode.Subject(code); got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}
