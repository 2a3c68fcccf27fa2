package dashboard

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/agentworld/report/wording"
	"example.com/agentworld/run"
	"example.com/agentworld/serve"
	"example.com/agentworld/serve/catalog"
)

//go:embed static
var files embed.FS

// Options are what a server shows and where.
type Options struct {
	// Dir is a directory of runs and batches, or one of them. It is only read.
	Dir string
	// Listen is the address, "127.0.0.1:0" if empty: a free port on loopback.
	Listen string
	// Hosts are names under which a proxy before the server is asked, and which it passes on.
	Hosts []string
	// Control, when set, lets one browser intervene in the run, which Dir is then the directory
	// of; see [Server.ControlURL]. Without it and Ask the page only shows.
	Control Control
	// Ask, when set, puts a question of that browser to an agent and keeps the answer with the
	// run, where the page finds it. The error says for people why there is none.
	Ask func(context.Context, Question) error
}

// Server serves the page of a directory.
type Server struct {
	catalog  *catalog.Catalog
	hub      *hub
	listener net.Listener
	http     *http.Server
	// operator takes what the page asks of the run, asks puts its questions to agents; both are
	// nil where it only shows. door lets it in.
	operator Control
	asks     func(context.Context, Question) error
	door     *door
	// done is closed when the server stops.
	done chan struct{}

	mu sync.Mutex
	// open are the histories of the runs that somebody looked at, seen when last. They are to take at
	// most bytesMax.
	open     map[string]*history
	seen     map[string]time.Time
	bytesMax int64
}

const (
	// historyBytesMax is about what all histories may take in memory.
	historyBytesMax = 512 << 20
	// idleAfter is after what time a run that no one asked about is not looked at any more, openMax how
	// many runs are open before such ones are closed: each is polled.
	idleAfter = time.Minute
	openMax   = 32
)

// New opens the directory and the address. The error says which of them cannot be had.
func New(o Options) (*Server, error) {
	c, err := catalog.Open(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of runs: %w", err)
	}
	address := o.Listen
	if address == "" {
		address = "127.0.0.1:0"
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen for the page: %w", err), c.Close())
	}
	s := &Server{catalog: c, hub: newHub(), listener: l, done: make(chan struct{}), open: map[string]*history{},
		seen: map[string]time.Time{}, bytesMax: historyBytesMax}
	var posts []string
	s.operator, s.asks = o.Control, o.Ask
	if o.Control != nil || o.Ask != nil {
		s.door = newDoor(l.Addr())
		posts = append(posts, enterPath)
	}
	if o.Control != nil {
		posts = append(posts, controlPath)
	}
	if o.Ask != nil {
		posts = append(posts, askPath)
	}
	s.http = &http.Server{Handler: guarded(serve.NewGate(l.Addr(), "", o.Hosts...), posts, s.routes()),
		ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	return s, nil
}

// URL is where the page is.
func (s *Server) URL() string { return "http://" + s.listener.Addr().String() + "/" }

// ControlURL is the address that lets one browser control the run and ask its agents, once: it has
// a token, which the page exchanges for a cookie. It is empty where the page only shows.
func (s *Server) ControlURL() string {
	switch {
	case s.door == nil:
		return ""
	case s.operator == nil: // of many runs perhaps
		return s.URL() + "#/?control=" + s.door.token
	}
	return s.URL() + "#/run?id=.&control=" + s.door.token
}

// Serve answers until ctx ends. The error says why it cannot.
func (s *Server) Serve(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { _ = s.http.Close() })
	defer stop()
	go s.watchList()
	err := s.http.Serve(s.listener)
	_ = s.listener.Close() // of a server that was stopped before it began
	close(s.done)
	s.mu.Lock()
	for _, h := range s.open {
		h.cancel()
	}
	s.mu.Unlock()
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, s.catalog.Close())
}

// listEvery is how often the list of runs is looked at while a page is open, at least; a long
// one less often.
const listEvery = time.Second

// watchList tells the clients when the list of runs has changed, and checks traces meanwhile, one at a
// time and with a fifth of the time at most.
func (s *Server) watchList() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-s.done
		cancel()
	}()
	// No one was told of a list before the first one.
	last, wait := map[string]string(nil), listEvery
	for {
		select {
		case <-s.done:
			return
		case <-time.After(wait):
		}
		if !s.hub.watched() {
			continue
		}
		began, now := time.Now(), map[string]string{}
		for _, e := range s.catalog.Entries() {
			now[e.ID] = s.stamp(e.ID)
			if was, known := last[e.ID]; known && was != now[e.ID] && !s.follows(e.ID) {
				s.hub.changed(e.ID)
			}
		}
		for id := range last {
			if _, is := now[id]; !is {
				s.hub.changed(id) // it was removed, or went elsewhere
			}
		}
		if last == nil || !maps.Equal(now, last) {
			s.hub.changed(listChanged)
			last = now
		}
		wait = max(listEvery, 20*time.Since(began))
		began = time.Now()
		for found, damaged := true, false; found && time.Since(began) < listEvery/5; {
			found, damaged = s.catalog.Check(ctx)
			if damaged {
				s.hub.changed(listChanged)
			}
		}
		wait = max(wait, 4*time.Since(began))
	}
}

// stamp changes whenever what the list says of a run or batch may have.
func (s *Server) stamp(id string) string {
	of := s.catalog.Stamp(id, run.TraceFile) + s.catalog.Stamp(id, run.ReportFile) + s.catalog.Stamp(id, "results.jsonl")
	if s.catalog.Last(id).Status == catalog.StatusRunning { // a process that is killed leaves its files as they are
		if row, err := s.catalog.Row(id); err == nil {
			of += row.Status
		}
	}
	return of
}

// errGone says that a run that was looked at is not there any more.
var errGone = errors.New("this run was removed while it was looked at")

// history returns the history of a run, which it begins if no one looked at the run lately. With
// [errGone] it returns what was read of a run that was removed.
func (s *Server) history(id string) (*history, error) {
	dir, err := s.catalog.Run(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.open[id]
	if h != nil && err != nil {
		h.cancel()
		h.gone, s.seen[id] = true, time.Now()
		return h, errGone
	}
	if err != nil {
		return nil, err
	}
	if h != nil && !h.gone && (h.failed() == nil || h.damaged()) {
		s.seen[id] = time.Now()
		return h, nil
	}
	if h != nil {
		h.cancel()
	}
	h, err = openHistory(dir.As(nil), func() {
		s.fit()
		s.hub.changed(id)
	})
	if err != nil {
		return nil, err
	}
	s.open[id], s.seen[id] = h, time.Now()
	return h, nil
}

// fit makes the histories take no more memory than they may. The runs that no one looks at go first,
// the one seen longest ago before others. If those that are looked at take too much, each that takes
// more than an equal part keeps less of its run, and reads the rest again when it is asked for.
func (s *Server) fit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids, taken := slices.Collect(maps.Keys(s.open)), int64(0)
	slices.SortFunc(ids, func(a, b string) int { return s.seen[a].Compare(s.seen[b]) })
	for _, h := range s.open {
		taken += h.bytes()
	}
	for _, id := range ids {
		if taken <= s.bytesMax && len(s.open) <= openMax || time.Since(s.seen[id]) < idleAfter {
			break
		}
		taken -= s.open[id].bytes()
		s.open[id].cancel()
		delete(s.open, id)
		delete(s.seen, id)
	}
	for _, h := range s.open {
		if part := s.bytesMax / int64(len(s.open)); taken <= s.bytesMax {
			h.limit(s.bytesMax)
		} else if h.bytes() > part {
			h.limit(part)
		}
	}
}

// follows reports whether a history of the run tells of its changes.
func (s *Server) follows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.open[id]
	return h != nil && h.failed() == nil
}

func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	static, err := fs.Sub(files, "static")
	if err != nil {
		panic("dashboard: the page is missing: " + err.Error())
	}
	m.HandleFunc("/", assets(static))
	m.HandleFunc("/api/runs", s.getRuns)
	m.HandleFunc("/api/run", s.answerRun)
	m.HandleFunc("/api/chart", s.ofRun(s.getChart))
	m.HandleFunc("/api/world", s.ofRun(s.getWorld))
	m.HandleFunc("/api/agent", s.ofRun(s.getAgent))
	m.HandleFunc("/api/turn", s.ofRun(s.getTurn))
	m.HandleFunc("/api/prompt", s.ofRun(s.getPrompt))
	m.HandleFunc("/api/log", s.ofRun(s.getLog))
	m.HandleFunc("/api/asks", s.ofRun(s.getAsks))
	m.HandleFunc("/api/contacts", s.ofRun(s.getContacts))
	m.HandleFunc("/api/words", func(w http.ResponseWriter, _ *http.Request) { serve.Answer(w, wording.All()) })
	m.HandleFunc("/api/shown", func(w http.ResponseWriter, r *http.Request) {
		s.hub.show(r.URL.Query().Get("of"))
		serve.Answer(w, map[string]bool{"shown": true})
	})
	m.HandleFunc("/api/compare", s.getCompare)
	m.HandleFunc("/api/batch", s.getBatch)
	m.HandleFunc(controlPath, s.control)
	if s.door != nil {
		m.HandleFunc("POST "+enterPath, s.postEnter)
	}
	if s.asks != nil {
		m.HandleFunc("POST "+askPath, s.postAsk)
	}
	m.HandleFunc("/api/stream", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		go func() {
			select {
			case <-s.done:
				cancel()
			case <-ctx.Done():
			}
		}()
		s.hub.serve(ctx, w, r.URL.Query().Get("of"))
	})
	return m
}

// badQuery is a query that cannot be answered.
type badQuery string

func (b badQuery) Error() string { return string(b) }

// ofRun finds the history that a request is about, and writes what get returns.
func (s *Server) ofRun(get func(*history, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h, err := s.history(r.URL.Query().Get("run"))
		if err != nil {
			s.fail(w, err)
			return
		}
		h.await(r.Context())
		v, err := get(h, r)
		if err != nil {
			s.fail(w, err)
			return
		}
		serve.Answer(w, v)
	}
}

// fail says what is wrong, with paths relative to the directory.
func (s *Server) fail(w http.ResponseWriter, err error) {
	fail(w, shownError{err, s.catalog.Shown(err.Error())})
}

// shownError is an error as the page shows it.
type shownError struct {
	error
	text string
}

func (e shownError) Error() string { return e.text }

func (e shownError) Unwrap() error { return e.error }

// fail says what is wrong. A path on this machine is no one's business.
func fail(w http.ResponseWriter, err error) {
	var bad badQuery
	var path *fs.PathError
	switch {
	case errors.As(err, &bad):
		serve.Problem(w, http.StatusBadRequest, bad.Error())
	case errors.Is(err, catalog.ErrNoSuch), errors.Is(err, run.ErrNoRun), errors.As(err, &path):
		serve.Problem(w, http.StatusNotFound, catalog.ErrNoSuch.Error())
	case errors.Is(err, errGone):
		serve.Problem(w, http.StatusGone, err.Error())
	case errors.Is(err, errNoWorld), errors.Is(err, errNoCall):
		serve.Problem(w, http.StatusNotFound, err.Error())
	default:
		serve.Problem(w, http.StatusUnprocessableEntity, err.Error())
	}
}

// queryTick is the tick in a query.
func queryTick(r *http.Request) (int64, error) {
	text := r.URL.Query().Get("tick")
	tick, err := strconv.ParseInt(text, 10, 64)
	if err != nil || tick < 0 {
		return 0, badQuery("tick: allowed is a number from 0")
	}
	return tick, nil
}

// listedRun is a run in the list. LeftMS is how long it takes from now, in milliseconds, -1 if it is not played or
// nobody knows.
type listedRun struct {
	catalog.Row
	LeftMS int64 `json:"left_ms"`
}

func (s *Server) getRuns(w http.ResponseWriter, r *http.Request) {
	rows, batches := s.catalog.Runs()
	runs := make([]listedRun, len(rows))
	for i, row := range rows {
		runs[i] = listedRun{s.known(row), -1}
		if row.Status == catalog.StatusRunning {
			runs[i].LeftMS = s.left(row, time.Now())
		}
	}
	serve.Answer(w, map[string]any{"runs": runs, "batches": batches})
}
