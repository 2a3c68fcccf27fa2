package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"example.com/agentworld/serve"
)

// Server serves a task.
type Server struct {
	options  Options
	task     *task
	manifest Manifest
	// action is the schema of an action, readme what a model should know before the first observation.
	action   json.RawMessage
	readme   string
	archive  *archive
	guests   guests
	gate     serve.Gate
	listener net.Listener
	http     *http.Server
	// ctx ends all sessions.
	ctx    context.Context
	cancel context.CancelFunc

	mu sync.Mutex
	// active is how many places are taken; places awaits them.
	active int
	places sync.WaitGroup
}

// requestMax bounds a request over HTTP: to send it, to begin a world and make a move in it, and to take the answer.
// The context of a request ends with the time to read it, so that both bounds are the whole.
const requestMax = time.Minute + 2*deadlineMax + writeMax

// New checks what is to be served, and opens the address. The error says what is wrong with it.
func New(o Options) (*Server, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	t, err := newTask(o.Play, o.Agent)
	if err != nil {
		return nil, err
	}
	s := &Server{options: o, task: t, guests: guests{seats: map[string]*guest{}}}
	words, err := t.texts()
	if err == nil {
		s.manifest, err = t.manifest(o)
	}
	if err != nil {
		return nil, fmt.Errorf("describe the task: %w", err)
	}
	s.action, s.readme = words.actionSchema(), words.readme(t)
	s.archive, err = openArchive(o)
	if err != nil {
		return nil, err
	}
	s.listener, err = net.Listen("tcp", o.Listen)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for clients: %w", err), s.archive.close())
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.gate = serve.NewGate(s.listener.Addr(), o.Token)
	// A client that sends or takes nothing would keep its place forever. Connections that are sockets by now have
	// bounds of their own.
	s.http = &http.Server{Handler: s.gate.Handler(s.routes()), ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: requestMax, WriteTimeout: requestMax, IdleTimeout: time.Minute}
	return s, nil
}

// URL is what a client is given.
func (s *Server) URL() string { return s.gate.Address(s.listener.Addr()) }

// Serve answers until ctx ends. Then it ends all episodes and waits for them. The error says why it cannot.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		s.end()
		_ = s.http.Close()
	})
	defer stop()
	err := s.http.Serve(s.listener)
	_ = s.listener.Close() // of a server that was stopped before it began
	s.end()
	s.guests.closeAll()
	s.places.Wait()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.archive.close())
}

// end ends all sessions. No place is taken afterwards.
func (s *Server) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel()
}
