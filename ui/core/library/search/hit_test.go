package search

import "testing"

func TestFindSaysWhereAWordIs(t *testing.T) {
	texts := []Text{{"note", "Ｗｈｙ?\nStraße"}, {"code", "import numpy\nplt.hist(PRICE, bins=3)\r\n# price\n東京の気温"}}
	for search, want := range map[string]Hit{
		"price":                 {"code", 2, "plt.hist(", "PRICE", ", bins=3)"},
		"why":                   {"note", 1, "", "Ｗｈｙ", "?"},
		"STRASSE":               {"note", 2, "", "Straße", ""},
		"気温":                    {"code", 4, "東京の", "気温", ""},
		`"hist(pri"`:            {"code", 2, "plt.", "hist(PRI", "CE, bins=3)"},
		"client:x numpy -price": {"code", 1, "import ", "numpy", ""},
	} {
		if got, ok := Parse(search, Clock{}).Find(texts); !ok || got != want {
			t.Errorf("%s: %+v, %v; want %+v", search, got, ok, want)
		}
	}
	for _, search := range []string{"", "none", "-price", "has:note"} {
		if got, ok := Parse(search, Clock{}).Find(texts); ok {
			t.Errorf("%s: %+v", search, got)
		}
	}
}
