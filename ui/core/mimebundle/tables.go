package mimebundle

import (
	"slices"
	"strconv"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The converter repeats a cell for each row and column that it spans, and fills each row of a table up to
// the longest one. Browsers allow spans of 1,000 columns and 65,534 rows.
const (
	mostRepeated = 256 << 10 // bytes that spans add to a page
	mostCells    = 200_000   // rows by columns of the tables in a page
)

// boundTables removes spans that would make a page too large. It reports whether its tables can be
// converted then.
func boundTables(doc *html.Node) bool {
	left := mostRepeated
	for n := range doc.Descendants() {
		if cells := columns(n) * rows(n); cells > 1 {
			if more := (cells - 1) * weight(n); more <= left {
				left -= more
			} else {
				removeSpans(n)
			}
		}
	}
	if cellsOf(doc) <= mostCells {
		return true
	}
	for n := range doc.Descendants() {
		removeSpans(n)
	}
	return cellsOf(doc) <= mostCells
}

// cellsOf returns the rows of a page by the columns of its longest row.
func cellsOf(doc *html.Node) int {
	high, wide := 0, 0
	for n := range doc.Descendants() {
		if n.DataAtom != atom.Tr {
			continue
		}
		high++
		width, height := 0, 1
		for cell := range n.ChildNodes() {
			width += columns(cell)
			height = max(height, rows(cell))
		}
		high, wide = high+height-1, max(wide, width)
	}
	return high * wide
}

// weight returns about how many bytes a cell is. One with a table in it must not be repeated: tables in
// tables would be repeated each time.
func weight(cell *html.Node) int {
	const frame = 4
	size := frame
	for n := range cell.Descendants() {
		if n.DataAtom == atom.Table {
			return mostRepeated + 1
		}
		size += len(n.Data)
		for _, a := range n.Attr {
			size += len(a.Val)
		}
	}
	return min(size, mostRepeated+1)
}

func columns(n *html.Node) int { return span(n, "colspan") }
func rows(n *html.Node) int    { return span(n, "rowspan") }

// span returns an attribute of a cell: at least 1, and at most more than mostRepeated.
func span(n *html.Node, key string) int {
	if n.DataAtom != atom.Td && n.DataAtom != atom.Th {
		return 1
	}
	for _, a := range n.Attr {
		if a.Key == key {
			v, err := strconv.Atoi(a.Val)
			if err != nil { // the converter may read it as a number
				v = mostRepeated + 1
			}
			return max(1, min(v, mostRepeated+1))
		}
	}
	return 1
}

func removeSpans(n *html.Node) {
	n.Attr = slices.DeleteFunc(n.Attr, func(a html.Attribute) bool { return a.Key == "colspan" || a.Key == "rowspan" })
}
