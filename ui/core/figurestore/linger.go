package figurestore

import "time"

// A figureKernel is a hidden kernel that has loaded a figure of a session. The page for exports draws a figure several
// times, a report draws many of one session, and starting a kernel takes seconds.
type figureKernel struct {
	session string
	kernel  Kernel
	image   string   // whose figure it has loaded
	changes []string // what is not as it was when that was stored
	timer   *time.Timer
}

// takeIdle returns the kernel that waits with a figure of a session; nil if there is none. Its caller owns it.
func (d *Drawer) takeIdle(session string) *figureKernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.idle
	if l == nil || l.session != session || !l.timer.Stop() {
		return nil
	}
	d.idle = nil
	return l
}

// leave has a kernel wait for another request for its figure, in place of the one that waits now.
func (d *Drawer) leave(l *figureKernel) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.Linger <= 0 {
		d.ends.Go(l.kernel.End)
		return
	}
	if former := d.idle; former != nil && former.timer.Stop() {
		d.ends.Go(former.kernel.End)
	}
	d.idle = l
	l.timer = time.AfterFunc(d.Linger, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.idle == l {
			d.idle = nil
		}
		d.ends.Go(l.kernel.End)
	})
}

// Close ends the kernel that waits, and returns when all have ended. Later ones end at once.
func (d *Drawer) Close() {
	d.mu.Lock()
	l := d.idle
	d.idle, d.closed = nil, true
	if l != nil && l.timer.Stop() {
		d.ends.Go(l.kernel.End)
	}
	d.mu.Unlock()
	d.ends.Wait()
}
