package interactive

import (
	"crypto/rand"
	"slices"
	"sync"
	"time"
)

const (
	// ticketLife is how long a ticket may stay unused: a browser that has to start first, from
	// a slow disk, has asked by then.
	ticketLife = time.Minute
	// mostTickets bounds the unused tickets. Beyond it, the oldest is void.
	mostTickets = 32
)

// tickets are secrets with which a browser may read one image, once.
type tickets struct {
	now func() time.Time

	mu     sync.Mutex
	unused []ticket // the oldest first
}

type ticket struct {
	secret, image string
	until         time.Time
}

// issue makes a ticket for an image.
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

// redeem takes a ticket, which is void from then on, and says for which image it was. A ticket
// that was used, is too old or never was is not ok.
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

// expire removes the tickets that are too old; t.mu is held.
func (t *tickets) expire() {
	now := t.now()
	t.unused = slices.DeleteFunc(t.unused, func(x ticket) bool { return !now.Before(x.until) })
}
