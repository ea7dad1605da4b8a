package theme

import "image/color"

// A Token is a class of words in source code, with its colour.
type Token struct {
	Name   string
	Colour color.NRGBA
}

// Syntax returns the colours of source code in this order: keyword, string, number,
// comment, function, type, operator.
func (p *Palette) Syntax() []Token {
	if p.Dark {
		return []Token{
			{"keyword", rgb(0xB9A5FF)},
			{"string", rgb(0x8FD6A0)},
			{"number", rgb(0xF5B97A)},
			{"comment", rgb(0x98A3B6)},
			{"function", rgb(0x7FC4FF)},
			{"type", rgb(0x6FD6CF)},
			{"operator", rgb(0xB5BECC)},
		}
	}
	return []Token{
		{"keyword", rgb(0x6B2FB3)},
		{"string", rgb(0x1F6B36)},
		{"number", rgb(0x9A4A00)},
		{"comment", rgb(0x5A6371)},
		{"function", rgb(0x1D53B5)},
		{"type", rgb(0x0B6670)},
		{"operator", rgb(0x4B5463)},
	}
}
