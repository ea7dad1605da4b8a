package interactive

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

const (
	// ticketLife is how long a ticket can be used. It is long enough for a browser that has to
	// start first, from a slow disk.
	ticketLife = time.Minute
	// mostTickets is the maximum number of unused tickets. One more makes the oldest void.
	mostTickets = 32
)

// tickets issues secrets with which a browser can read one image, once.
type tickets struct {
	now func() time.Time

	mu     sync.Mutex
	unused []ticket // the oldest first
}

type ticket struct {
	secret, image string
	until         time.Time
}

// issue returns a ticket for an image.
func (t *tickets) issue(image string) (secret string) {
	secret = rand.Text() // 130 random bits
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire()
	if len(t.unused) == mostTickets {
		t.unused = slices.Delete(t.unused, 0, 1)
	}
	t.unused = append(t.unused, ticket{secret, image, t.now().Add(ticketLife)})
	return secret
}

// redeem makes a ticket void and returns the image that it was for. ok is false if the ticket
// was used, has expired or was never issued.
func (t *tickets) redeem(secret string) (image string, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.expire()
	i := slices.IndexFunc(t.unused, func(x ticket) bool { return x.secret == secret })
	if i < 0 {
		return "", false
	}
	image = t.unused[i].image
	t.unused = slices.Delete(t.unused, i, i+1)
	return image, true
}

// expire removes expired tickets. The caller holds t.mu.
func (t *tickets) expire() {
	now := t.now()
	t.unused = slices.DeleteFunc(t.unused, func(x ticket) bool { return !now.Before(x.until) })
}
