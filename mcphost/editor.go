package mcphost

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"easel/eventbus"
	"easel/mcphost/catalog"
	"easel/mcphost/tool"
)

// Limits of the connection of an editor.
const (
	editorMessage = 64 << 20         // bytes of a message: a notebook with its outputs
	editorSilence = 45 * time.Second // an editor says something every fifteen seconds
	editorWrite   = 20 * time.Second
	editorUpgrade = "easel-editor"
)

// errTooLong means that a message of an editor is longer than editorMessage.
var errTooLong = errors.New("the message of the editor is too long")

// An editorLinks has the connections of editors, so that they can be ended. The zero value is ready to use.
type editorLinks struct {
	mu   sync.Mutex
	open map[*editorLink]struct{}
	work sync.WaitGroup // their requests
}

// end closes the connections whose token is no longer valid.
func (l *editorLinks) end(authorised func(http.Header) bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for link := range l.open {
		if !authorised(link.header) {
			_ = link.conn.Close()
		}
	}
}

func (l *editorLinks) add(link *editorLink) (remove func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open == nil {
		l.open = make(map[*editorLink]struct{})
	}
	l.open[link] = struct{}{}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.open, link)
	}
}

// An editorLink is a connection whose messages are lines.
type editorLink struct {
	conn   net.Conn
	in     *bufio.Reader
	header http.Header     // of its request
	quit   context.Context //nolint:containedctx // ends when Easel does

	mu sync.Mutex // of writing
}

// Receive implements catalog.EditorLink.
func (l *editorLink) Receive() ([]byte, error) {
	var line []byte
	for {
		if err := l.conn.SetReadDeadline(time.Now().Add(editorSilence)); err != nil {
			return nil, err
		}
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case l.quit.Err() != nil:
			return nil, eventbus.ErrClosed
		case len(line) > editorMessage:
			return nil, errTooLong
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		default:
			return line, err
		}
	}
}

// Send implements catalog.EditorLink.
func (l *editorLink) Send(message []byte) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.conn.SetWriteDeadline(time.Now().Add(editorWrite)); err != nil {
		return err
	}
	_, err := l.conn.Write(append(message, '\n'))
	if err != nil {
		_ = l.conn.Close() // perhaps a part of the message was sent
	}
	return err
}

// editor serves the connection of an editor's extension until either side disconnects. The request asks for another protocol than HTTP,
// which no page in a browser can do.
func (h *Host) editor(c echo.Context) error {
	r := c.Request()
	name, version, _ := strings.Cut(r.Header.Get("Upgrade"), "/")
	switch {
	case assistantOf(r.Context()) != tool.Others:
		return tool.Errorf(tool.Forbidden, "only the extension of the user's editor connects here, not an assistant")
	case !strings.EqualFold(r.Header.Get("Connection"), "upgrade") || !strings.EqualFold(name, editorUpgrade):
		return tool.Errorf(tool.Validation, "the extension of an editor connects here, with Upgrade: %s/%s",
			editorUpgrade, catalog.EditorProtocol)
	case version != catalog.EditorProtocol:
		return tool.Errorf(tool.Unsupported, "this Easel speaks version %s of the protocol, the extension version %q; "+
			"install the extension of the same release", catalog.EditorProtocol, cut(version, 20))
	}
	h.editors.work.Add(1) // before the server no longer waits for the connection
	defer h.editors.work.Done()
	conn, buffered, err := http.NewResponseController(c.Response()).Hijack()
	if err != nil {
		return fmt.Errorf("taking over the connection: %w", err)
	}
	defer conn.Close() //nolint:errcheck // it is over
	link := &editorLink{conn: conn, in: buffered.Reader, header: r.Header, quit: h.quit}
	defer h.editors.add(link)()
	if !h.guard.tokens.allow(r.Header) { // the token has changed since the guard checked it
		return nil
	}
	hello := fmt.Sprintf("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s/%s\r\n\r\n",
		editorUpgrade, catalog.EditorProtocol)
	_ = conn.SetDeadline(time.Now().Add(editorWrite))
	if _, err := conn.Write([]byte(hello)); err != nil {
		return nil // the extension has left
	}
	ctx, cancel := context.WithCancel(restCaller(context.WithoutCancel(r.Context()), r))
	defer cancel()
	defer context.AfterFunc(h.quit, cancel)()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := catalog.ServeEditor.Ask(ctx, h.c.Bus, link); err != nil && ctx.Err() == nil {
		h.log.InfoContext(ctx, "the connection of an editor has ended", "err", err)
	}
	return nil
}
