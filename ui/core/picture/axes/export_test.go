package axes

// Read reads the JSON of a picture of w by h pixels.
func Read(text []byte, w, h int) (Figure, bool) { return read(text, w, h) }
