package dashboard

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/serve"
)

// The bounds of the stream.
const (
	subscribersMax = 1024
	// streamEvery is the shortest time between two messages to one client: what changes
	// meanwhile is told together.
	streamEvery = 250 * time.Millisecond
	// streamWrite is how long a client may take to read a message before it is dropped, which
	// then connects again; streamIdle is after what time without news it is told that there is none: a page
	// that hears nothing for longer asks, and says so if there is no answer.
	streamWrite = 10 * time.Second
	streamIdle  = time.Second
	// streamPad is how many characters of a comment follow a message: a proxy that passes on nothing but whole
	// blocks of 4 KiB then passes on the message.
	streamPad = 4 << 10
	// listChanged is the id that says that the list of runs changed.
	listChanged = "*"
)

// hub tells the clients of the stream which runs have changed.
type hub struct {
	mu   sync.Mutex
	subs map[*subscriber]bool
	// more is closed when another page has shown how the run ended, or one went away.
	more chan struct{}
}

// subscriber is a client of the stream with what it was not told yet.
type subscriber struct {
	// of names the browser, whose tabs share the stream; shown says that one of them has shown how the run
	// ended.
	of      string
	shown   bool
	pending map[string]bool
	wake    chan struct{}
}

func newHub() *hub { return &hub{subs: map[*subscriber]bool{}, more: make(chan struct{})} }

// show notes that a page of a browser has shown how the run ended.
func (h *hub) show(of string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.shown = s.shown || s.of == of
	}
	h.wakeWaiting()
}

// shown reports whether all browsers have shown the end; more is closed when that may have changed.
func (h *hub) shown() (all bool, more <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		if !s.shown {
			return false, h.more
		}
	}
	return true, h.more
}

// wakeWaiting wakes who waits for pages. The lock is held.
func (h *hub) wakeWaiting() {
	close(h.more)
	h.more = make(chan struct{})
}

// changed tells all clients that a run changed. It never waits for one.
func (h *hub) changed(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.pending[id] = true
		select {
		case s.wake <- struct{}{}:
		default:
		}
	}
}

// watched reports whether there is any client.
func (h *hub) watched() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.subs) > 0
}

// take returns what a client was not told yet, sorted.
func (h *hub) take(s *subscriber) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids := slices.Sorted(maps.Keys(s.pending))
	clear(s.pending)
	return ids
}

// serve writes the stream to a browser until either ends.
func (h *hub) serve(ctx context.Context, w http.ResponseWriter, of string) {
	s := &subscriber{of: of, pending: map[string]bool{}, wake: make(chan struct{}, 1)}
	h.mu.Lock()
	full := len(h.subs) >= subscribersMax
	if !full {
		h.subs[s] = true
	}
	h.mu.Unlock()
	if full {
		serve.Problem(w, http.StatusServiceUnavailable, "too many pages are open")
		return
	}
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.subs, s)
		h.wakeWaiting()
	}()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store, no-transform") // a proxy that compresses it would collect it
	w.Header().Set("X-Accel-Buffering", "no")
	out := http.NewResponseController(w)
	pad := ":" + strings.Repeat(" ", streamPad) + "\n\n"
	send := func(text string) bool {
		if out.SetWriteDeadline(time.Now().Add(streamWrite)) != nil {
			return false
		}
		_, err := io.WriteString(w, text+pad)
		return err == nil && out.Flush() == nil
	}
	ok := send("retry: 1000\n\n")
	for ok {
		select {
		case <-ctx.Done():
			return
		case <-time.After(streamIdle):
			ok = send("data: []\n\n")
		case <-s.wake:
			if ids := h.take(s); len(ids) > 0 {
				list, err := json.Marshal(ids)
				if err != nil {
					panic("dashboard: ids cannot be encoded: " + err.Error())
				}
				ok = send(fmt.Sprintf("data: %s\n\n", list))
			}
			select {
			case <-ctx.Done():
				return
			case <-time.After(streamEvery):
			}
		}
	}
}
