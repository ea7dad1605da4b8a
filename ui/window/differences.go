package window

import (
	"strings"

	"easel/ui/core/command"
	differ "easel/ui/core/facts/differences"
	"easel/ui/window/requests"
)

// differences tells what is different between two plots, unless that is not known.
func (s *shell) differences(before, after string, told func(string)) {
	requests.Quiet(s.a.requests, command.DifferencesOf, command.DifferencesIn{Before: before, After: after},
		func(d command.Differences, err error) {
			if err == nil { // else one of them is no plot of the library
				told(s.differenceText(d))
			}
		})
}

// differenceText returns differences in words: those of the values, then those of the code.
func (s *shell) differenceText(d command.Differences) string {
	words := differ.English
	if s.k.Tr.Lang() == "ja" {
		words = differ.Japanese
	}
	var said []string
	switch {
	case len(d.Facts) > 0:
		said = append(said, s.k.T("compare.values", strings.Join(words.Say(d.Facts), " · ")))
	case d.Known:
		said = append(said, s.k.T("compare.same_values"))
	}
	var code []string
	for _, l := range d.Code {
		sign := "− "
		if l.Added {
			sign = "+ "
		}
		code = append(code, sign+l.Text)
	}
	if len(code) > 0 {
		said = append(said, s.k.T("compare.code", strings.Join(code, " · ")))
	} else if d.Known {
		said = append(said, s.k.T("compare.same_code"))
	}
	return strings.Join(said, "\n")
}
