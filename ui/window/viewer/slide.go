package viewer

// Slide presents an image of a slide show: an animation plays once, and the line below
// the picture has the note, and about in place of the details. The images ahead are read
// and decoded afterwards.
func (s *Screen) Slide(id string, revision uint64, about string, ahead ...string) {
	s.slides, s.movie.once = true, true
	s.ahead = ahead
	if s.about != about {
		s.about = about
		if id == s.id && s.last.im.ImageID == id {
			s.tell()
			s.Refresh()
		}
	}
	s.Present(id, revision)
}

// Finished reports whether the image is shown, and an animation has been played.
func (s *Screen) Finished() bool {
	return s.last.im.ImageID == s.id && !s.last.preview && !s.movie.playing
}
