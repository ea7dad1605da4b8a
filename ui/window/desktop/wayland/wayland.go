//go:build linux || freebsd || openbsd || netbsd

package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// ErrNoControl is the error if the compositor has no protocol for the clipboard.
var ErrNoControl = errors.New("the Wayland compositor has no protocol for the clipboard")

// patience is the timeout for the compositor.
const patience = 5 * time.Second

// pasteTime is the timeout for a program that pastes.
const pasteTime = time.Minute

// The ids of the objects. Those of the compositor begin at theirs.
const (
	display uint32 = 1 + iota
	registry
	listed
	seat
	manager
	source
	device
	taken

	theirs uint32 = 0xff000000
)

// The codes of the requests and events. Those of the two protocols are the same.
const (
	displaySync, displayRegistry = 0, 1
	displayError                 = 0
	registryBind, registryGlobal = 0, 0
	managerSource, managerDevice = 0, 1
	sourceOffer                  = 0
	sourceSend, sourceCancelled  = 0, 1
	deviceSelect                 = 0
	deviceOffer, deviceFinished  = 0, 2
	offerDestroy                 = 1
)

// The interfaces of the two protocols.
const (
	extManager = "ext_data_control_manager_v1"
	wlrManager = "zwlr_data_control_manager_v1"
)

// A Form is the copied data in one format.
type Form struct {
	MIME string
	Data []byte
}

// A Source is data on the clipboard. It sends the data to each program that pastes.
type Source struct {
	wire  *wire
	forms []Form
	ended chan struct{}

	pasting sync.WaitGroup
	mu      sync.Mutex
	closed  bool
	pipes   map[*os.File]bool // to the programs that paste
}

// Offer replaces the clipboard's content. It returns an error that wraps ErrNoControl if
// the compositor does not support that.
func Offer(ctx context.Context, forms ...Form) (*Source, error) {
	w, err := dial()
	if err != nil {
		return nil, err
	}
	s := &Source{wire: w, forms: forms, ended: make(chan struct{}), pipes: make(map[*os.File]bool)}
	_ = w.conn.SetDeadline(time.Now().Add(patience))
	stop := context.AfterFunc(ctx, func() { _ = w.conn.SetDeadline(time.Unix(1, 0)) })
	err = s.take()
	if !stop() {
		err = cmp.Or(ctx.Err(), err)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	_ = w.conn.SetDeadline(time.Time{})
	go s.serve()
	return s, nil
}

// take takes the clipboard.
func (s *Source) take() error {
	globals, err := s.globals()
	if err != nil {
		return err
	}
	protocol := extManager
	if _, ok := globals[protocol]; !ok {
		protocol = wlrManager
	}
	m, ok := globals[protocol]
	at, seated := globals["wl_seat"]
	if !ok || !seated {
		return ErrNoControl
	}
	err = errors.Join(
		s.wire.send(registry, registryBind, at, "wl_seat", uint32(1), seat),
		s.wire.send(registry, registryBind, m, protocol, uint32(1), manager),
		s.wire.send(manager, managerSource, source),
		s.wire.send(manager, managerDevice, device, seat),
	)
	for _, f := range s.forms {
		err = errors.Join(err, s.wire.send(source, sourceOffer, f.MIME))
	}
	err = errors.Join(err,
		s.wire.send(device, deviceSelect, source),
		s.wire.send(display, displaySync, taken),
	)
	if err != nil {
		return fmt.Errorf("take the clipboard: %w", err)
	}
	return s.until(taken, func(message) {})
}

// globals returns the compositor's interfaces, with the number of the first object of
// each.
func (s *Source) globals() (map[string]uint32, error) {
	err := errors.Join(s.wire.send(display, displayRegistry, registry), s.wire.send(display, displaySync, listed))
	if err != nil {
		return nil, fmt.Errorf("ask the Wayland compositor: %w", err)
	}
	all := make(map[string]uint32)
	return all, s.until(listed, func(m message) {
		if m.object != registry || m.code != registryGlobal {
			return
		}
		number := m.word()
		if name := m.text(); name != "" {
			if _, ok := all[name]; !ok {
				all[name] = number
			}
		}
	})
}

// until handles events until the compositor has answered callback.
func (s *Source) until(callback uint32, handle func(message)) error {
	for {
		m, err := s.wire.receive()
		if err != nil {
			return fmt.Errorf("wait for the Wayland compositor: %w", err)
		}
		if m.object == callback {
			return nil
		}
		if err := s.event(m); err != nil {
			return err
		}
		handle(m)
	}
}

// errOver is the error of event when another program owns the clipboard.
var errOver = errors.New("something else was copied")

// event handles an event.
func (s *Source) event(m message) error {
	switch {
	case m.object == display && m.code == displayError:
		object, code := m.word(), m.word()
		return fmt.Errorf("the Wayland compositor refused: object %d, code %d: %s", object, code, m.text())
	case m.object == source && m.code == sourceSend:
		mime := m.text()
		f, err := s.wire.file()
		if err != nil {
			return err
		}
		s.paste(mime, f)
	case m.object == source && m.code == sourceCancelled, m.object == device && m.code == deviceFinished:
		return errOver
	case m.object == device && m.code == deviceOffer: // what others have copied is not needed
		if id := m.word(); id >= theirs {
			return s.wire.send(id, offerDestroy)
		}
	}
	return nil
}

// serve handles events until another program owns the clipboard, or the connection ends.
func (s *Source) serve() {
	defer close(s.ended)
	for {
		m, err := s.wire.receive()
		if err == nil {
			err = s.event(m)
		}
		if err != nil {
			break
		}
	}
	s.pasting.Wait()
	s.wire.close()
}

// paste sends the data to a program.
func (s *Source) paste(mime string, f *os.File) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		_ = f.Close()
		return
	}
	s.pipes[f] = true
	s.pasting.Go(func() {
		_ = f.SetWriteDeadline(time.Now().Add(pasteTime))
		for _, form := range s.forms {
			if form.MIME == mime {
				_, _ = f.Write(form.Data) // it fails if the program does not want the rest
				break
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.pipes, f)
		_ = f.Close()
	})
}

// Over reports whether another program owns the clipboard and all programs that pasted
// have the data.
func (s *Source) Over() bool {
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// Close removes the data from the clipboard if it is still there.
func (s *Source) Close() {
	s.mu.Lock()
	s.closed = true
	for f := range s.pipes {
		_ = f.SetWriteDeadline(time.Unix(1, 0))
	}
	s.mu.Unlock()
	_ = s.wire.conn.SetDeadline(time.Unix(1, 0)) // ends serve, which closes the connection
	<-s.ended
}
