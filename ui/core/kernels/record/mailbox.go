package record

// A mailbox passes functions to the recorder's goroutine.
type mailbox struct {
	posts chan func()
	ended chan struct{} // closed when the goroutine has ended
}

func newMailbox() mailbox { return mailbox{posts: make(chan func()), ended: make(chan struct{})} }

// post runs f on the recorder's goroutine, and returns before f has run. It returns false
// if the goroutine has ended.
func (m mailbox) post(f func()) bool {
	select {
	case m.posts <- f:
		return true
	case <-m.ended:
		return false
	}
}

// call is like post, but waits until f has run.
func (m mailbox) call(f func()) bool {
	ran := make(chan struct{})
	if !m.post(func() { defer close(ran); f() }) {
		return false
	}
	select {
	case <-ran:
		return true
	case <-m.ended:
		select {
		case <-ran:
			return true
		default:
			return false
		}
	}
}
