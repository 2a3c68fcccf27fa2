package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	nats_js "github.com/nats-io/nats.go/jetstream"
)

// The names on a NATS server. Batches share them; their keys begin with the batch's id.
const (
	keyBucket  = "AGENTWORLD_BATCHES"
	fileBucket = "AGENTWORLD_FILES"
)

// messageBytesMax is the size from which on the text of an entry goes through the object store; a
// server accepts 1 MiB by default.
const messageBytesMax = 512 << 10

// requestTimeout bounds one request to the server; requests are repeated.
const requestTimeout = 5 * time.Second

// ConnectOptions say where the NATS server is and who we are. Nothing in them is printed.
type ConnectOptions struct {
	// URL is the server's, such as tls://host:4222, or several between commas. Server is
	// used instead if it is set, without a network.
	URL    string
	Server *Server
	// CredsFile holds a JWT and its key, NkeyFile a seed such as [KeyFile].
	CredsFile, NkeyFile string
	// CAFile holds certificates to trust in, CertFile and KeyFile are the client's own.
	CAFile, CertFile, KeyFile string
	// Leaves says that the worker leaves once the batch is done: an embedded server waits for that.
	Leaves bool
	// Notice is told when the connection is lost and found again; nil drops it.
	Notice func(string)
}

// Link is a connection to a NATS server. It reconnects for ever.
type Link struct {
	nc     *nats.Conn
	js     nats_js.JetStream
	keys   nats_js.KeyValue
	files  nats_js.ObjectStore
	notice func(string)

	mu sync.Mutex
	// lost is closed when the connection is lost: what was asked for then is not answered any more.
	lost chan struct{}
}

// Connect opens a connection. The error says why the first attempt failed.
func Connect(o ConnectOptions) (*Link, error) {
	notice := o.Notice
	if notice == nil {
		notice = func(string) {}
	}
	l := &Link{notice: notice, lost: make(chan struct{})}
	name := "agentworld"
	if o.Leaves {
		name = leavingName
	}
	options := []nats.Option{
		nats.Name(name), nats.MaxReconnects(-1), nats.ReconnectWait(reconnectWait), nats.Timeout(10 * time.Second),
		// What could not be sent is sent again by those who wait for its answer.
		nats.ReconnectBufSize(-1), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			l.mu.Lock()
			close(l.lost)
			l.lost = make(chan struct{})
			l.mu.Unlock()
			if err != nil {
				notice("NATS connection lost: " + err.Error())
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { notice("NATS connection is back") }),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}),
		nats.IgnoreAuthErrorAbort(),
	}
	url := o.URL
	if o.Server != nil {
		url = nats.DefaultURL
		options = append(options, nats.InProcessServer(o.Server.s))
		if key := o.NkeyFile; key == "" && o.Server.Addr() != "" {
			return nil, errors.New("connect to NATS: a server that listens wants its key")
		}
	}
	if o.CredsFile != "" {
		options = append(options, nats.UserCredentials(o.CredsFile))
	}
	if o.NkeyFile != "" {
		key, err := nats.NkeyOptionFromSeed(o.NkeyFile)
		if err != nil {
			return nil, fmt.Errorf("connect to NATS: read the key %s: %w", o.NkeyFile, err)
		}
		options = append(options, key)
	}
	if o.CAFile != "" {
		options = append(options, nats.RootCAs(strings.Split(o.CAFile, ",")...))
	}
	if o.CertFile != "" {
		options = append(options, nats.ClientCert(o.CertFile, o.KeyFile))
	}
	nc, err := nats.Connect(url, options...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	js, err := nats_js.New(nc, nats_js.WithDefaultTimeout(requestTimeout))
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	l.nc, l.js = nc, js
	return l, nil
}

// Close ends the connection.
func (l *Link) Close() { l.nc.Close() }

// open finds what a coordinator has made on the server.
func (l *Link) open(ctx context.Context) (err error) {
	l.keys, err = l.js.KeyValue(ctx, keyBucket)
	if err != nil {
		return err
	}
	l.files, err = l.js.ObjectStore(ctx, fileBucket)
	return err
}

// make makes what is missing on the server.
func (l *Link) make(ctx context.Context) (err error) {
	l.keys, err = l.js.CreateOrUpdateKeyValue(ctx, nats_js.KeyValueConfig{Bucket: keyBucket, Storage: nats_js.FileStorage})
	if err != nil {
		return fmt.Errorf("make bucket %s: %w", keyBucket, err)
	}
	l.files, err = l.js.CreateOrUpdateObjectStore(ctx,
		nats_js.ObjectStoreConfig{Bucket: fileBucket, Storage: nats_js.FileStorage})
	if err != nil {
		return fmt.Errorf("make bucket %s: %w", fileBucket, err)
	}
	return nil
}

// errFinal marks an error that another attempt would not mend.
type errFinal struct{ error }

func (e errFinal) Unwrap() error { return e.error }

// while is a context that ends with the connection as it is now: what was asked over it is not answered
// over another.
func (l *Link) while(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	l.mu.Lock()
	lost := l.lost
	l.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, timeout)
	go func() {
		select {
		case <-lost:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// insist calls f until it succeeds, fails for good, or ctx ends.
func (l *Link) insist(ctx context.Context, what string, f func(context.Context) error) error {
	return l.insistFor(ctx, what, requestTimeout, f)
}

// insistFor is insist with a bound on each attempt.
func (l *Link) insistFor(ctx context.Context, what string, timeout time.Duration, f func(context.Context) error) error {
	pause := 50 * time.Millisecond
	begun := time.Now()
	told := time.Time{}
	for {
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx)
		}
		try, cancel := l.while(ctx, timeout)
		err := f(try)
		cancel()
		var final errFinal
		if errors.As(err, &final) {
			return final.error
		}
		if err == nil {
			return nil
		}
		if now := time.Now(); now.Sub(begun) > time.Minute && now.Sub(told) > time.Minute {
			l.notice(fmt.Sprintf("still trying to %s: %v", what, err))
			told = now
		}
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
		pause = min(2*pause, 2*time.Second)
	}
}

// The codes with which a server refuses a write because somebody else came first.
const (
	wrongLastSequence           = 10071
	wrongLastSequenceReplicated = 10164
)

// conflict says that somebody else has written what we wanted to write.
func conflict(err error) bool {
	if errors.Is(err, nats_js.ErrKeyExists) || errors.Is(err, nats_js.ErrKeyRevisionMismatch) {
		return true
	}
	var api *nats_js.APIError
	return errors.As(err, &api) && (api.ErrorCode == wrongLastSequence || api.ErrorCode == wrongLastSequenceReplicated)
}
