package viewer

const captionHeight float32 = 30

// tell says what the stage shows, and why: in the caption and, in full screen, in a message.
func (l *layouter) tell() {
	k, v := l.v.k, l.v
	o, wanted := l.wants()
	caption, message := "", ""
	switch {
	case !l.on:
	case l.laid != nil && !v.blank:
		caption = k.T("viewer.layout.laid", l.laid.Rect.Dx(), l.laid.Rect.Dy())
		if o == l.as || !v.stage.fit { // or it is still the one for the former size
			message = k.Keyed(k.T("viewer.layout.full"))
		}
	case v.movie.has():
		caption = k.T("viewer.layout.movie")
		message = caption
	case v.versions.playing:
		caption = k.T("viewer.layout.playing")
	case v.region.works():
		caption = k.T("viewer.layout.region")
	case v.card != nil || v.problem != nil:
		caption = k.T("viewer.layout.card")
	case !wanted:
	case !v.stage.fit:
		caption = k.Keyed(k.T("viewer.layout.zoomed"))
	case l.why != "":
		caption = k.T("viewer.layout.stored", k.T("viewer.layout.why."+l.why))
		message = caption
	case l.due != (order{}):
		caption = k.T("viewer.layout.drawing")
	}
	l.note.Set(caption, nil)
	l.announce(message)
}

// announce shows a message in full screen, where there is no caption, unless it was the last one:
// the user who steps through plots wants to know only what differs. What the user does, such as
// zooming, needs no message.
func (l *layouter) announce(message string) {
	switch {
	case !l.on || !l.v.full:
		l.said = ""
	case message != "" && message != l.said:
		l.said = message
		if l.v.act.Say != nil {
			l.v.act.Say(message)
		}
	}
}

// shows reports whether the caption is displayed.
func (l *layouter) shows() bool { return l.on && !l.v.full }

// Caption returns what the viewer says about the layout; empty if it is off. It is for tests.
func (v *View) Caption() string { return v.layout.note.Full() }
