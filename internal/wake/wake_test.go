package wake_test

import (
	"testing"

	"easel/internal/wake"
)

func TestNotificationsCountAsOneUntilReceived(t *testing.T) {
	s := wake.New()
	waiting := func() bool {
		select {
		case <-s:
			return true
		default:
			return false
		}
	}
	if waiting() {
		t.Error("a new signal is received")
	}
	for range 3 {
		s.Notify()
	}
	if !waiting() || waiting() {
		t.Error("three notifications are not received as one")
	}
	s.Notify()
	if !waiting() {
		t.Error("a later notification is lost")
	}
}
