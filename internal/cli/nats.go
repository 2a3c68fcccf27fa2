package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"example.com/agentworld/batch"
	"example.com/agentworld/batch/jetstream"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// natsFlags say where a NATS server is, and how to be let in. They name files; what is in those is
// never printed.
type natsFlags struct {
	url, creds, nkey, ca, cert, key string
}

// natsEmbedded is the value of --nats for a server in the process itself.
const natsEmbedded = "embedded"

// natsListenDefault is where the embedded server listens.
const natsListenDefault = "127.0.0.1:4222"

func (f *natsFlags) add(flags *pflag.FlagSet, usage string) {
	flags.StringVar(&f.url, "nats", "", usage)
	flags.StringVar(&f.creds, "nats-creds", "", "file with NATS credentials (JWT and key)")
	flags.StringVar(&f.nkey, "nats-nkey", "",
		"file with a NATS key, such as the "+jetstream.KeyFile+" of a batch directory")
	flags.StringVar(&f.ca, "nats-ca", "", "file with certificates to trust for NATS (default the system's)")
	flags.StringVar(&f.cert, "nats-cert", "",
		"file with the TLS certificate: the embedded server's, or our own for another server")
	flags.StringVar(&f.key, "nats-key", "", "file with the key of that certificate")
}

// check refuses what cannot work.
func (f *natsFlags) check() error {
	if (f.cert == "") != (f.key == "") {
		return badInput("--nats-cert and --nats-key belong together; give both or none")
	}
	// A password in an argument could be read by every user of the machine.
	if at := strings.Index(f.url, "@"); at >= 0 {
		return badInput("--nats: a user or a password in the URL can be read by others; allowed: --nats-creds or " +
			"--nats-nkey with a file")
	}
	return nil
}

// connect opens a connection to a server, or to the one given. A worker that leaves once the batch
// is done says so.
func (m *Main) connect(f natsFlags, server *jetstream.Server, leaves bool) (*jetstream.Link, error) {
	path := func(name string) string {
		if name == "" {
			return ""
		}
		return m.path(name)
	}
	o := jetstream.ConnectOptions{
		URL: f.url, Server: server, CredsFile: path(f.creds), NkeyFile: path(f.nkey), CAFile: path(f.ca),
		CertFile: path(f.cert), KeyFile: path(f.key),
		Leaves: leaves, Notice: m.natsNotice,
	}
	if server != nil {
		o.CAFile = ""
		o.CertFile = ""
		o.KeyFile = ""
	}
	l, err := jetstream.Connect(o)
	if err != nil {
		return nil, badInput("%w; allowed: the URL of a NATS server that lets us in", err)
	}
	return l, nil
}

func (m *Main) natsNotice(text string) {
	plaintext.Fprintf(m.Stderr, "note: %s\n", plaintext.Line(text))
}

// leavePatience is how long an embedded server waits for the workers that leave once the batch is
// done.
const leavePatience = 10 * time.Second

// coordinate plays a batch with the workers that join over NATS, and with o.Jobs of its own, until
// o.Drain ends; the end of ctx breaks off its own calls.
func (m *Main) coordinate(ctx context.Context, o batch.Options, f natsFlags, listen string,
	limit trace.Limit) (ending batch.Ending, err error) {
	var server *jetstream.Server
	if f.url == natsEmbedded {
		if listen == "" {
			listen = natsListenDefault
		}
		server, err = jetstream.Serve(o.Drain,
			jetstream.ServerOptions{Dir: string(o.Dir), Listen: listen, CertFile: f.cert, KeyFile: f.key})
		switch _, held := errors.AsType[*run.LockedError](err); {
		case err != nil && o.Drain.Err() != nil:
			return batch.Interrupted, nil
		case held:
			return "", badInput("%w, or play cells for it: worker with the address that it printed", err)
		case errors.Is(err, jetstream.ErrListen):
			return "", badInput("%w; allowed: --nats-listen with a free address", err)
		case err != nil:
			return "", badInput("%w", err)
		}
		defer func() { server.Close(leavePatience) }()
		f.nkey = filepath.Join(string(o.Dir), jetstream.KeyFile)
		m.announceServer(server.Addr(), f)
	}
	l, err := m.connect(f, server, false)
	if err != nil {
		return "", err
	}
	defer l.Close()
	if o.Jobs > 0 {
		own, err := m.connect(f, server, false)
		if err != nil {
			return "", err
		}
		defer own.Close()
		working, stop := context.WithCancel(o.Drain)
		var done sync.WaitGroup
		done.Go(func() {
			w := jetstream.WorkerOptions{Play: o.Play, Jobs: o.Jobs, Dir: filepath.Join(string(o.Dir), "work"), Drain: working,
				Notice: m.natsNotice}
			if err := jetstream.Work(ctx, own, w); err != nil {
				m.natsNotice(err.Error())
			}
		})
		defer done.Wait()
		defer stop()
	}
	spent, err := o.Dir.Leased()
	if err != nil {
		return "", err
	}
	ending, err = m.handOut(o.Drain, l, o, jetstream.CoordinatorOptions{
		Dir: string(o.Dir), Retries: o.Retries, Limit: budget.AmountOf(limit), Spent: spent, Lease: o.Lease,
		Notice: m.natsNotice,
	})
	return ending, err
}

// handOut coordinates until the batch is done, interrupted or decided.
func (m *Main) handOut(ctx context.Context, l *jetstream.Link, o batch.Options,
	c jetstream.CoordinatorOptions) (batch.Ending, error) {
	var cells []batch.Cell
	for _, p := range o.Cells {
		cells = append(cells, p.Cell)
		c.Jobs = append(c.Jobs, jetstream.Job{Cell: p.Cell, Settings: p.Settings})
	}
	results, err := o.Dir.Results(cells)
	if err != nil {
		return "", err
	}
	decided, err := batch.Decided(o.Compare, cells, results)
	if err != nil {
		return "", err
	}
	before, places := map[batch.ID]bool{}, map[batch.ID]int{}
	for i, r := range results {
		before[r.ID], places[r.ID] = o.Dir.Done(r.ID), i
	}
	playing := map[batch.ID]engine.Progress{}
	o.Progress(batch.Progress{Results: results})
	c.Playing = func(cells map[batch.ID]int64) {
		clear(playing)
		for id := range cells {
			playing[id] = engine.Progress{} // how far they are only their workers know
		}
		o.Progress(batch.Progress{Results: results, Playing: playing})
	}
	c.Done = func(r batch.Result) (enough bool) {
		if before[r.ID] {
			return decided
		}
		if at, failed := places[r.ID]; failed {
			results[at] = r
		} else {
			places[r.ID] = len(results)
			results = append(results, r)
		}
		delete(playing, r.ID)
		o.Progress(batch.Progress{Results: results, Playing: playing, Ended: &r})
		enough, err := batch.Decided(o.Compare, cells, results)
		return err == nil && enough
	}
	out, err := jetstream.Coordinate(ctx, l, c)
	for id, reason := range out.Failed {
		m.natsNotice(fmt.Sprintf("cell %s failed: %s", id, reason))
	}
	if results, err := o.Dir.Results(cells); err == nil {
		_ = o.Dir.WriteResults(results)
	}
	switch {
	case ctx.Err() != nil:
		return batch.Interrupted, nil
	case err != nil:
		return "", err
	case out.Decided:
		return batch.DecidedEarly, nil
	case out.Exhausted:
		return batch.BudgetReached, nil
	}
	return batch.Complete, nil
}

// announceServer says how to join, and warns if the traffic can be read on its way.
func (m *Main) announceServer(address string, f natsFlags) {
	scheme := "nats"
	if f.cert != "" {
		scheme = "tls"
	}
	plaintext.Fprintf(m.Stderr, "nats: %s://%s\n", scheme, address)
	m.printAdvice(m.Stderr, joinAdvice(scheme+"://"+address, m.shownPath(f.nkey)))
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); f.cert == "" && (ip == nil || !ip.IsLoopback()) {
		plaintext.Fprintf(m.Stderr, "WARNING: without --nats-cert and --nats-key, prompts and answers can be read on the "+
			"network\n")
	}
}
