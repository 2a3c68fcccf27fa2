package jetstream

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"example.com/agentworld"
	"example.com/agentworld/batch"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// Extension is this package as an extension of the program: the command worker, and --nats of "batch run".
func Extension() agentworld.Extension {
	return agentworld.Extension{
		Name: "jetstream", Version: "0.1.0",
		Commands: []agentworld.Command{{Use: "worker --nats URL", Short: "play cells of batches for a coordinator elsewhere",
			Long: workerHelp, New: newWorker}},
		Stores: []agentworld.BatchStore{{Name: "nats", New: func(flags *flag.FlagSet) agentworld.BatchPlayers {
			c := &coordinatorFlags{}
			c.add(flags, `hand cells out to workers over this NATS server; "embedded" starts one here`)
			flags.StringVar(&c.listen, "nats-listen", "",
				"start the embedded NATS server, at this address (default of --nats embedded "+listenDefault+")")
			return c
		}}},
	}
}

// connectFlags say where a NATS server is, and how to be let in. They name files; what is in those is
// never printed.
type connectFlags struct {
	url, creds, nkey, ca, cert, key string
}

// embedded is the value of --nats for a server in the process itself.
const embedded = "embedded"

// listenDefault is where the embedded server listens.
const listenDefault = "127.0.0.1:4222"

func (f *connectFlags) add(flags *flag.FlagSet, usage string) {
	flags.StringVar(&f.url, "nats", "", usage)
	flags.StringVar(&f.creds, "nats-creds", "", "file with NATS credentials (JWT and key)")
	flags.StringVar(&f.nkey, "nats-nkey", "", "file with a NATS key, such as the "+KeyFile+" of a batch directory")
	flags.StringVar(&f.ca, "nats-ca", "", "file with certificates to trust for NATS (default the system's)")
	flags.StringVar(&f.cert, "nats-cert", "",
		"file with the TLS certificate: the embedded server's, or our own for another server")
	flags.StringVar(&f.key, "nats-key", "", "file with the key of that certificate")
}

// check refuses what cannot work.
func (f *connectFlags) check() error {
	if (f.cert == "") != (f.key == "") {
		return agentworld.Refused("--nats-cert and --nats-key belong together; give both or none")
	}
	// A password in an argument could be read by every user of the machine.
	if at := strings.Index(f.url, "@"); at >= 0 {
		return agentworld.Refused("--nats: a user or a password in the URL can be read by others; allowed: --nats-creds or " +
			"--nats-nkey with a file")
	}
	return nil
}

// connect opens a connection to a server, or to the one given. A worker that leaves once the batch
// is done says so.
func (f *connectFlags) connect(p agentworld.Program, server *Server, leaves bool) (*Link, error) {
	path := func(name string) string {
		if name == "" {
			return ""
		}
		return p.Path(name)
	}
	o := ConnectOptions{URL: f.url, Server: server, CredsFile: path(f.creds), NkeyFile: path(f.nkey), Leaves: leaves,
		Notice: p.Note}
	if server == nil {
		o.CAFile = path(f.ca)
		o.CertFile = path(f.cert)
		o.KeyFile = path(f.key)
	}
	l, err := Connect(o)
	if err != nil {
		return nil, agentworld.Refused("%w; allowed: the URL of a NATS server that lets us in", err)
	}
	return l, nil
}

// workerHelp is the long help of the worker.
const workerHelp = `Play cells of batches for a coordinator on another machine.

"batch run FILE --nats URL" hands cells out over a NATS server with JetStream; with
"--nats embedded" it starts one. A worker takes one cell at a time and sends the run back.
Settings come with the cell. Keys do not: they come from this machine's environment or
config.toml, and go only to endpoints that it names or has used before. docs/workers.md has
an example with two machines.

Ctrl-C takes the answers in flight, sends no further call and gives the cells back; a second one
breaks the calls off. A worker that is killed loses at most the calls in flight. Exit codes: 0 nothing is left to do, 2 bad input,
130 interrupted.`

// workerFlags are the flags of the command worker.
type workerFlags struct {
	connectFlags
	jobs      int
	dir       string
	untilDone bool
}

// newWorker declares the command worker.
func newWorker(flags *flag.FlagSet) func(context.Context, agentworld.Program) error {
	f := &workerFlags{}
	f.add(flags, "URL of the NATS server, such as tls://host:4222")
	flags.IntVar(&f.jobs, "jobs", 1, "runs at the same time, 1 to 256")
	flags.StringVar(&f.dir, "dir", "", "directory for runs in work (default a temporary one)")
	flags.BoolVar(&f.untilDone, "until-done", false, "end when the batch is done, instead of waiting for another")
	return f.work
}

// work plays cells until nothing is left. At the end of ctx it takes the answers in flight.
func (f *workerFlags) work(ctx context.Context, p agentworld.Program) error {
	switch {
	case f.url == "" || f.url == embedded:
		return agentworld.Refused("a worker needs a NATS server; allowed: --nats with its URL, such as nats://127.0.0.1:4222")
	case f.jobs < 1 || f.jobs > 256:
		return agentworld.Refused("--jobs %d is out of range; allowed: 1 to 256", f.jobs)
	}
	if err := f.check(); err != nil {
		return err
	}
	play, calls, done, err := p.Cells(ctx, f.jobs)
	if err != nil {
		return err
	}
	defer done()
	dir := f.dir
	if dir == "" {
		dir, err = os.MkdirTemp("", "agentworld-worker-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	l, err := f.connect(p, nil, f.untilDone)
	if err != nil {
		return err
	}
	defer l.Close()
	p.Say(fmt.Sprintf("worker: up to %s at a time", plaintext.Count(f.jobs, "cell")))
	return Work(calls, l, WorkerOptions{
		Jobs: f.jobs, Dir: p.Path(dir), Drain: ctx, UntilDone: f.untilDone, Notice: p.Note,
		Play: func(ctx context.Context, a batch.Attempt) (batch.Result, error) {
			if err := otherVersion(a.Cell, a.Settings); err != nil {
				return batch.Result{}, err
			}
			p.Say(fmt.Sprintf("cell %s: %s, attempt %d", a.Cell.ID, plaintext.Line(a.Cell.Name()), a.Number))
			return play(ctx, a)
		},
	})
}

// coordinatorFlags are those of "batch run".
type coordinatorFlags struct {
	connectFlags
	listen string
}

// Wanted implements [agentworld.BatchPlayers].
func (f *coordinatorFlags) Wanted() bool { return f.url != "" || f.listen != "" }

// Check implements [agentworld.BatchPlayers].
func (f *coordinatorFlags) Check() error {
	if f.listen != "" && f.url == "" {
		f.url = embedded
	}
	if f.listen != "" && f.url != embedded {
		return agentworld.Refused("--nats-listen is for the embedded server; allowed: --nats embedded with it")
	}
	return f.check()
}

// leavePatience is how long an embedded server waits for the workers that leave once the batch is
// done.
const leavePatience = 10 * time.Second

// Play implements [agentworld.BatchPlayers].
func (f *coordinatorFlags) Play(ctx context.Context, p agentworld.Program, o batch.Options,
	limit trace.Limit) (batch.Ending, error) {
	var server *Server
	var err error
	if f.url == embedded {
		if f.listen == "" {
			f.listen = listenDefault
		}
		server, err = Serve(o.Drain,
			ServerOptions{Dir: string(o.Dir), Listen: f.listen, CertFile: f.cert, KeyFile: f.key})
		switch _, held := errors.AsType[*run.LockedError](err); {
		case err != nil && o.Drain.Err() != nil:
			return batch.Interrupted, nil
		case held:
			return "", agentworld.Refused("%w, or play cells for it: worker with the address that it printed", err)
		case errors.Is(err, ErrListen):
			return "", agentworld.Refused("%w; allowed: --nats-listen with a free address", err)
		case err != nil:
			return "", agentworld.Refused("%w", err)
		}
		defer func() { server.Close(leavePatience) }()
		f.nkey = filepath.Join(string(o.Dir), KeyFile)
		f.announce(p, server.Addr())
	}
	l, err := f.connect(p, server, false)
	if err != nil {
		return "", err
	}
	defer l.Close()
	if o.Jobs > 0 {
		own, err := f.connect(p, server, false)
		if err != nil {
			return "", err
		}
		defer own.Close()
		working, stop := context.WithCancel(o.Drain)
		var done sync.WaitGroup
		done.Go(func() {
			w := WorkerOptions{Play: o.Play, Jobs: o.Jobs, Dir: filepath.Join(string(o.Dir), "work"), Drain: working,
				Notice: p.Note}
			if err := Work(ctx, own, w); err != nil {
				p.Note(err.Error())
			}
		})
		defer done.Wait()
		defer stop()
	}
	return Coordinate(l, o, limit, p.Note)
}

// announce says how to join, and warns if the traffic can be read on its way.
func (f *coordinatorFlags) announce(p agentworld.Program, address string) {
	scheme := "nats"
	if f.cert != "" {
		scheme = "tls"
	}
	url := scheme + "://" + address
	p.Say("nats: " + url)
	key := p.Shown(f.nkey)
	if strings.HasPrefix(key, "-") {
		key = "." + string(filepath.Separator) + key
	}
	p.Advise("joins, also on another machine that has the key", "worker", "--nats", url, "--nats-nkey", key)
	host, _, _ := net.SplitHostPort(address)
	if ip := net.ParseIP(host); f.cert == "" && (ip == nil || !ip.IsLoopback()) {
		p.Say("WARNING: without --nats-cert and --nats-key, prompts and answers can be read on the network")
	}
}

// otherVersion says that a cell is not what it would be here: another version of the program has planned
// it, and its runs would not be those of the batch.
func otherVersion(c batch.Cell, s trace.Settings) error {
	v := batch.VersionsOf(s)
	if batch.IDOf(s, v, c.Repeat) == c.ID {
		return nil
	}
	return fmt.Errorf("%w: the coordinator is another version of the program; here: engine %s, rules %s, prompt %s",
		batch.ErrNotHere, v.Engine, v.Rules, v.Prompt)
}
