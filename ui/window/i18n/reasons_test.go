package i18n

import (
	"strings"
	"testing"

	"easel/jupyter/project"
	"easel/mcphost/catalog"
)

func TestEveryReasonHasATextInEachLanguage(t *testing.T) {
	for _, kind := range project.ReasonKinds() {
		r := project.Reason{Kind: kind, Detail: "X"}
		said := catalog.Reason{Text: r.String(), Kind: kind}
		if strings.Contains(said.Text, "X") {
			said.Detail = "X"
		}
		if got := New("en").Reason(said); got != said.Text {
			t.Errorf("%s: the window says %q, others %q", kind, got, said.Text)
		}
		if got := New("ja").Reason(said); got == said.Text || strings.Contains(got, "%!") || strings.Contains(got, "X") != (said.Detail != "") {
			t.Errorf("%s: in Japanese %q", kind, got)
		}
	}
	if got := New("ja").Reason(catalog.Reason{Text: "It is new", Kind: "new"}); got != "It is new" {
		t.Errorf("an unknown kind: %q", got)
	}
}
