package pycode

import "slices"

// A node is a statement with its block.
type node struct {
	tokens []token // of a compound statement: its header, up to the colon
	body   []node
}

// keyword returns the keyword of a compound statement, or "".
func (n node) keyword() string {
	word, _ := blockWord(n.tokens)
	return word
}

// blocks lists the keywords of compound statements.
var blocks = []string{
	"for", "while", "if", "elif", "else", "try", "except", "finally", "with", "def", "class", "match", "case",
}

// blockWord returns the keyword of a compound statement and the index of its colon. It returns
// "" and 0 for other statements.
func blockWord(tokens []token) (word string, colon int) {
	if len(tokens) == 0 || tokens[0].kind != name {
		return "", 0
	}
	word = tokens[0].word
	if word == "async" && len(tokens) > 1 {
		word = tokens[1].word
	}
	if !slices.Contains(blocks, word) {
		return "", 0
	}
	for i := 1; i < len(tokens); i++ {
		if i = past(tokens, i); tokens[i].is(":") {
			return word, i
		}
	}
	return "", 0
}

// tree nests statements by their indentation.
func tree(all []statement) []node {
	nodes, _ := nest(all, -1)
	return nodes
}

// nest nests the first statements that are indented by more than column, and returns the
// others as rest.
func nest(all []statement, column int) (nodes []node, rest []statement) {
	for len(all) > 0 && (all[0].joined || all[0].tokens[0].column > column) {
		s := all[0]
		all = all[1:]
		_, colon := blockWord(s.tokens)
		if colon == 0 {
			nodes = append(nodes, node{tokens: s.tokens})
			continue
		}
		n := node{tokens: s.tokens[:colon+1]}
		if inline := s.tokens[colon+1:]; len(inline) > 0 { // the body in the header's line
			line := []statement{{tokens: inline}}
			for len(all) > 0 && all[0].joined {
				line, all = append(line, all[0]), all[1:]
			}
			n.body, _ = nest(line, -1)
		} else {
			n.body, all = nest(all, s.tokens[0].column)
		}
		nodes = append(nodes, n)
	}
	return nodes, all
}
