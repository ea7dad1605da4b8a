package figurestore

import "time"

// A figureKernel is a hidden kernel that has loaded the figure of an image. The page for exports draws a figure several
// times, and starting a kernel takes seconds.
type figureKernel struct {
	image   string
	kernel  Kernel
	changes []string
	timer   *time.Timer
}

// takeIdle returns the kernel that waits with the figure of an image; nil if there is none. Its caller owns it.
func (d *Drawer) takeIdle(image string) *figureKernel {
	d.mu.Lock()
	defer d.mu.Unlock()
	l := d.idle
	if l == nil || l.image != image || !l.timer.Stop() {
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
