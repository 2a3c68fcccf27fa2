package stub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// DefaultAddr is where [Start] listens when it is given no address: a free port
// of the loopback interface, reachable from this machine only. The server has no
// authentication, so another address is only ever the user's explicit choice.
const DefaultAddr = "127.0.0.1:0"

// Limits of one server. They bound what a client can hold up, not what a run needs.
const (
	// patienceDefault is how long a client may take to send a request's header or its body,
	// and how long a kept connection may lie unused.
	patienceDefault = 9 * time.Second
	// closeTimeout is how long Close waits for requests in flight.
	closeTimeout = time.Second
)

// Options tunes a server. The zero value answers at once with seed 0.
type Options struct {
	// Seed selects one of the policy's variants: which modules it asks, when it
	// adds reasoning items, and the like. Any value is fine.
	Seed uint64
	// Mode is one that a test needs; empty is the policy as it is.
	Mode Mode
	// Manners say who answers how; the zero value is none.
	Manners Manners
	// Obeys makes the policy obedient: it carries out what the texts in this table ask
	// for, from any author, and learns like [ModeGullible]. It is for evaluating
	// guards. Nil is the policy of Mode. An empty table is an obedient policy without
	// anything to obey.
	Obeys []Cue
	// Obeyed, if not nil, keeps which cues of Obeys were met, and whether a later request said
	// that one was carried out. Such a cue is not obeyed again, even if requests no longer
	// mention it. Nil remembers nothing.
	Obeyed *sync.Map
	// Echoes makes the obedient policy also plan and do what a request says was not done or was
	// refused.
	Echoes bool
	// OnRequest sees every body accepted for answering, before it is parsed. Nil
	// means none. It is called concurrently and must not keep or change
	// body after it returns.
	OnRequest func(body []byte)
	// Now is the clock of answers and of the cache. Nil is one that stands still, as in a server
	// whose answers follow from the requests alone.
	Now func() time.Time
	// Caching makes the server play the provider's rule of prompt caching, with a state between
	// requests. Without it nothing is ever cached.
	Caching bool
	// OnUsage is told what each answered request is billed for, before the answer is sent. Nil
	// means none. It is called concurrently, in no order; see [Used.Number].
	OnUsage func(Used)
	// Faults spoils answers on purpose. Nil means none. An injector belongs to one
	// server: it counts how often each request came.
	Faults *Injector

	// patience replaces patienceDefault; 0 keeps it.
	patience time.Duration
}

// Server is a listening stub server. Its methods may be called concurrently.
type Server struct {
	url  string
	http *http.Server
	// release ends what is withheld on purpose, which could outlast any patience.
	release context.CancelFunc
	// unhook detaches the server from the context it was started with.
	unhook func() bool
	// served receives the one error with which Serve ends.
	served chan error
	// once guards the shutdown, closed is its result.
	once   sync.Once
	closed error
}

// Start listens on addr and serves until [Server.Close] or the end of ctx. An
// empty addr means [DefaultAddr]; an address that is not loopback is the caller's
// explicit choice, and the server asks for no key. The error says that the
// address cannot be listened on.
func Start(ctx context.Context, addr string, o Options) (*Server, error) {
	addr = cmp.Or(addr, DefaultAddr)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("stub server: listen on %s: %w", addr, err)
	}
	closing, release := context.WithCancel(context.WithoutCancel(ctx))
	patience := cmp.Or(o.patience, patienceDefault)
	s := &Server{
		url: "http://" + listener.Addr().String(),
		http: &http.Server{
			Handler: NewHandler(o), ReadHeaderTimeout: patience, IdleTimeout: patience,
			BaseContext: func(net.Listener) context.Context { return closing }, // of every request
		},
		release: release,
		served:  make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(listener) }()
	s.unhook = context.AfterFunc(ctx, s.shutdown)
	return s, nil
}

// URL returns the server's root, such as "http://127.0.0.1:41234", without a path
// and without a trailing slash.
func (s *Server) URL() string { return s.url }

// Close stops listening, lets requests in flight finish for a moment, then cuts them off. A
// client that is still sending gets no answer. Requests that are withheld on purpose
// are cut off at once. Further calls return the first call's error.
func (s *Server) Close() error {
	s.unhook()
	s.shutdown()
	return s.closed
}

// shutdown ends the server once; callers that come meanwhile wait for the end.
func (s *Server) shutdown() {
	s.once.Do(func() { s.closed = s.drain() })
}

// drain stops the listener, waits for the handlers and then for Serve itself.
func (s *Server) drain() error {
	s.release()
	ctx, cancel := context.WithTimeout(context.Background(), closeTimeout)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	if err != nil {
		return fmt.Errorf("stub server: close: %w", err)
	}
	return nil
}
