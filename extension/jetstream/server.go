package jetstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"example.com/agentworld/internal/folder"
	"example.com/agentworld/run"
)

// KeyFile is the name of the key that the embedded server makes beside its store. A worker
// needs a copy of it.
const KeyFile = "jetstream.nkey"

// ServerOptions are the embedded server.
type ServerOptions struct {
	// Dir is the batch directory. The store goes into its jetstream directory, which may be
	// deleted while no server runs.
	Dir string
	// Listen is the address for workers, such as 127.0.0.1:4222; port 0 takes a free one.
	// Empty opens no port.
	Listen string
	// CertFile and KeyFile are the TLS certificate and its key; empty for no TLS.
	CertFile, KeyFile string
}

// Server is an embedded NATS server.
type Server struct {
	s      *server.Server
	unlock func() error
	// began is when workers could reach it first.
	began time.Time
}

// startTimeout bounds how long a server takes to read its store; startPause is how often it is looked
// at meanwhile.
const (
	startTimeout = 30 * time.Second
	startPause   = 100 * time.Millisecond
)

// ErrListen is in the error about an address that a server cannot listen on.
var ErrListen = errors.New("listen")

// Serve starts a server that syncs each write. With an address it accepts those who hold
// the key in [KeyFile], which it makes if it is missing. The error is a [*run.LockedError] if another
// process uses the store, [ErrListen], that of ctx if it ends first, or another.
func Serve(ctx context.Context, o ServerOptions) (*Server, error) {
	config := &server.Options{
		ServerName: "agentworld", JetStream: true, StoreDir: filepath.Join(o.Dir, "jetstream"), SyncAlways: true,
		DontListen: o.Listen == "", NoSigs: true, NoLog: true, DisableJetStreamBanner: true,
	}
	if o.Listen != "" {
		host, port, err := net.SplitHostPort(o.Listen)
		if err != nil {
			return nil, fmt.Errorf("NATS server: %w on %q: %w", ErrListen, o.Listen, err)
		}
		config.Host = host
		config.Port, err = strconv.Atoi(port)
		if err != nil {
			return nil, fmt.Errorf("NATS server: %w on %q: the port is no number", ErrListen, o.Listen)
		}
		if config.Port == 0 {
			config.Port = server.RANDOM_PORT
		}
		public, err := publicKey(folder.Dir(o.Dir))
		if err != nil {
			return nil, err
		}
		config.Nkeys = []*server.NkeyUser{{Nkey: public}}
		if o.CertFile != "" {
			pair, err := tls.LoadX509KeyPair(o.CertFile, o.KeyFile)
			if err != nil {
				return nil, fmt.Errorf("NATS server: certificate: %w", err)
			}
			config.TLS, config.TLSTimeout = true, 5
			config.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
		}
	}
	if err := os.MkdirAll(config.StoreDir, 0o700); err != nil {
		return nil, fmt.Errorf("NATS server: %w", err)
	}
	unlock, err := run.Dir(config.StoreDir).Lock()
	if err != nil {
		return nil, fmt.Errorf("NATS server: %w", err)
	}
	if err := probe(ctx, o.Listen); err != nil {
		return nil, errors.Join(err, unlock())
	}
	s, err := server.NewServer(config)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("NATS server: %w", err), unlock())
	}
	s.Start()
	began := time.Now()
	for err = ctx.Err(); err == nil && !s.ReadyForConnections(startPause); {
		err = ctx.Err()
		if err == nil && time.Since(began) > startTimeout {
			err = fmt.Errorf("not ready after %s", startTimeout)
		}
	}
	if err != nil {
		s.Shutdown()
		return nil, errors.Join(fmt.Errorf("NATS server: %w", err), unlock())
	}
	return &Server{s, unlock, time.Now()}, nil
}

// probe says whether an address is free: a server tries one that is not until its time is over.
func probe(ctx context.Context, address string) error {
	if address == "" {
		return nil
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err == nil {
		err = l.Close()
	}
	if err == nil {
		return nil
	}
	if op, ok := errors.AsType[*net.OpError](err); ok { // it repeats the address
		err = op.Err
	}
	return fmt.Errorf("NATS server: %w on %q: %w", ErrListen, address, err)
}

// Addr is the address that the server listens on; empty if it does not.
func (s *Server) Addr() string {
	if a := s.s.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// leavingName is the name of a connection whose worker leaves once the batch is done.
const leavingName = "agentworld, until done"

// leaving counts those connections.
func (s *Server) leaving() (n int) {
	all, err := s.s.Connz(nil)
	if err != nil {
		return 0
	}
	for _, c := range all.Conns {
		if c.Name == leavingName {
			n++
		}
	}
	return n
}

// reconnectWait is how long a connection that was lost waits before it is tried again. A server is
// there for rejoinTime at least: workers of a coordinator that was killed come back meanwhile, and
// would wait for ever for one that had nothing left to do and was gone before.
const (
	reconnectWait = 250 * time.Millisecond
	rejoinTime    = 6 * reconnectWait
)

// Close stops the server. It first waits, up to a time, for the workers that leave once the
// batch is done, and for those that may still come back to hear it.
func (s *Server) Close(patience time.Duration) {
	reached := s.Addr() != ""
	for end := time.Now().Add(patience); (s.leaving() > 0 || reached && time.Since(s.began) < rejoinTime) &&
		time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	s.s.Shutdown()
	s.s.WaitForShutdown()
	_ = s.unlock()
}

// publicKey is the public half of the key in [KeyFile], which is made if there is none.
func publicKey(dir folder.Dir) (string, error) {
	seed, err := dir.Read(KeyFile, fileBytesMax)
	if errors.Is(err, os.ErrNotExist) {
		pair, err := nkeys.CreateUser()
		if err != nil {
			return "", fmt.Errorf("make a NATS key: %w", err)
		}
		seed, err = pair.Seed()
		if err != nil {
			return "", fmt.Errorf("make a NATS key: %w", err)
		}
		if err := os.MkdirAll(string(dir), 0o700); err != nil {
			return "", fmt.Errorf("keep the NATS key: %w", err)
		}
		if err := dir.Replace(KeyFile, folder.Content(append(seed, '\n'))); err != nil {
			return "", fmt.Errorf("keep the NATS key: %w", err)
		}
	} else if err != nil {
		return "", fmt.Errorf("read the NATS key: %w", err)
	}
	pair, err := nkeys.ParseDecoratedNKey(seed)
	if err != nil {
		return "", fmt.Errorf("read the NATS key %s: %w", filepath.Join(string(dir), KeyFile), err)
	}
	return pair.PublicKey()
}
