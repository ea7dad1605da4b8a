package brief

import "easel/mcphost/catalog"

// LeftOut returns how many bytes of text the form of an output leaves out: those that the output leaves
// out, and those that only the form does, as far as that is known.
func LeftOut(out any) int64 {
	n := catalog.LeftOut(out)
	x, ok := out.(catalog.Execution)
	if c, cell := out.(catalog.CellChanged); cell && c.Execution != nil {
		x, ok = *c.Execution, true
	}
	if !ok {
		return n
	}
	over := func(text string, most int) { n += int64(max(0, len(text)-most)) }
	if x.Error != nil {
		over(x.Error.Message, mostMessage)
		over(notesOf(*x.Error), mostNotes)
		over(Traceback(x.Error.Traceback), mostTraceback)
	}
	if !x.CodeKnown {
		over(x.Code, mostSource)
	}
	return n
}
