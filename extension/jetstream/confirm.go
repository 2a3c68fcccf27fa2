package jetstream

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"
)

// confirmTimeout is how long an answer waits for a coordinator to write it down. After one
// that did not come in time, none is waited for until the coordinator is heard again:
// the server's store holds the answer, and the work continues without a coordinator.
const confirmTimeout = 2 * time.Second

// confirms are the confirmations that a worker waits for.
type confirms struct {
	prefix string
	mu     sync.Mutex
	wanted map[string]chan struct{}
	silent atomic.Bool
}

// listen subscribes to an inbox for confirmations.
func listen(nc *nats.Conn) (*confirms, error) {
	c := &confirms{prefix: nc.NewInbox() + ".", wanted: map[string]chan struct{}{}}
	_, err := nc.Subscribe(c.prefix+"*", func(m *nats.Msg) {
		c.silent.Store(false)
		c.mu.Lock()
		defer c.mu.Unlock()
		token := strings.TrimPrefix(m.Subject, c.prefix)
		if came, ok := c.wanted[token]; ok {
			close(came)
			delete(c.wanted, token)
		}
	})
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return c, nil
}

// want returns an inbox, what waits for its message, and what ends that it is wanted. With the
// connection an embedded server's coordinator is gone, too.
func (c *confirms) want(lost <-chan struct{}) (inbox string, wait func(context.Context), forget func()) {
	token, came := nuid.Next(), make(chan struct{})
	c.mu.Lock()
	c.wanted[token] = came
	c.mu.Unlock()
	forget = func() {
		c.mu.Lock()
		delete(c.wanted, token)
		c.mu.Unlock()
	}
	return c.prefix + token, func(ctx context.Context) {
		if c.silent.Load() {
			return
		}
		select {
		case <-came:
		case <-lost:
		case <-ctx.Done():
		case <-time.After(confirmTimeout):
			c.silent.Store(true)
		}
	}, forget
}
