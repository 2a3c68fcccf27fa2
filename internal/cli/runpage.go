package cli

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"time"

	"example.com/agentworld/dashboard"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/serve"
	"example.com/agentworld/trace"
)

// runPage is the page of a run that is served while it is played.
type runPage struct {
	server *dashboard.Server
	// controls are nil where the page only shows.
	controls *engine.Controls
	stop     context.CancelFunc
	ended    chan struct{}
	// dir keeps the address that lets the next browser in, empty where the page only shows: a
	// browser that lost its cookie would otherwise leave a paused run to no one.
	dir run.Dir
}

// checkAhead refuses a bound on calls asked ahead where none are. Where a file or the environment has one, 0 ticks may
// be said for this run.
func (c config) checkAhead() error {
	ahead := c.Values.Find("run.ahead")
	waste := c.Values.Find("run.ahead_waste")
	off := ahead.Origin.Rank != settings.FromDefault && waste.Origin.Rank != settings.FromFlag
	if c.Ahead > 0 || off || waste.Origin.Rank == settings.FromDefault {
		return nil
	}
	return badInput("%s: nothing is asked ahead; allowed: with --ahead, or %s where it is", waste.Where(),
		ahead.Setting.Key)
}

// checkPage says why the page of a run cannot be served as its settings want.
func (c config) checkPage() error {
	control := c.Values.Find("run.control")
	switch {
	case c.Control && !c.Dashboard:
		return badInput("%s: there is no page to control the run from; allowed: with --dashboard", control.Where())
	case c.Paused && !c.Control:
		return badInput("%s: nobody could let the run go on; allowed: with --control", c.Values.Find("run.paused").Where())
	case !c.Dashboard:
		return nil
	}
	if err := loopback(c.Values.Find("run.dashboard_listen").Where(), c.DashboardListen); err != nil {
		return err
	}
	_, err := proxiedHosts(c.Values.Find("run.dashboard_host").Where(), c.DashboardHost)
	return err
}

// proxiedHosts reads the names under which a proxy is asked. where is what gave them.
func proxiedHosts(where, list string) (hosts []string, err error) {
	if list == "" {
		return nil, nil
	}
	for _, name := range strings.Split(list, ",") {
		name = strings.TrimSpace(name)
		if !serve.HostName(name) {
			return nil, badInput("%s: %s is no name of a host; allowed: names without scheme, port and path, such as "+
				"runs.example.org, with commas between", where, shown(name))
		}
		hosts = append(hosts, name)
	}
	return hosts, nil
}

// loopback refuses an address to listen on that others could reach. where is what gave it.
func loopback(where, listen string) error {
	host, _, err := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); err != nil || host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return badInput("%s: %s is not allowed; allowed: a host:port of this machine alone, such as 127.0.0.1:8080", where,
			shown(listen))
	}
	return nil
}

// openPage serves the page of the run whose directory was made, if that is wanted; it is nil
// otherwise. It follows the files of the run, as any reader of them. The address of a page before lets
// no one in any more, and goes.
func openPage(m *Main, p plan) (*runPage, error) {
	dir := run.Dir(m.path(p.RunDir))
	dir.ForgetControl() // of a run that was killed
	if !p.Dashboard {
		return nil, nil
	}
	hosts, err := proxiedHosts("dashboard-host", p.DashboardHost)
	if err != nil {
		return nil, err
	}
	page := &runPage{ended: make(chan struct{})}
	o := dashboard.Options{Dir: m.path(p.RunDir), Listen: p.DashboardListen, Hosts: hosts}
	if p.Control {
		page.controls = engine.NewControls()
		o.Control = pageControls{page.controls}
		if p.Paused {
			if _, err := page.controls.Ask(trace.Control{Kind: trace.ControlPause}); err != nil {
				panic("cli: a run cannot begin paused: " + err.Error())
			}
		}
	}
	server, err := dashboard.New(o)
	if err != nil {
		return nil, badInput("the page cannot be served at %s: %w; allowed: a free port", shown(p.DashboardListen),
			cause(err))
	}
	page.server = server
	if page.controls != nil {
		page.dir = dir
		keep := func(address string) {
			if err := dir.KeepControl(address); err != nil {
				plaintext.Fprintf(m.Stderr, "note: the page has no address for another browser: %s\n", cause(err))
			}
		}
		keep(server.ControlURL())
		server.WhenEntered(keep)
	}
	// It outlives an interrupt: the end of the run is shown, too.
	ctx, stop := context.WithCancel(context.Background())
	page.stop = stop
	entrance := server.ControlURL()
	go func() {
		defer close(page.ended)
		_ = server.Serve(ctx) // the run goes on without its page
	}()
	if page.controls != nil {
		plaintext.Fprintf(m.Stderr, "page: %s (for one browser, which may control the run; for another: %s)\n", entrance,
			filepath.Join(p.RunDir, run.ControlFile))
	} else {
		plaintext.Fprintf(m.Stderr, "page: %s#/run?id=.\n", server.URL())
	}
	return page, nil
}

// showEndMax is how long the page of a run stays at most for browsers to show how it ended.
const showEndMax = time.Second

// close ends the page, once or more.
func (page *runPage) close() {
	if page == nil {
		return
	}
	page.server.AwaitShown(showEndMax)
	page.stop()
	<-page.ended
	if page.dir != "" {
		page.dir.ForgetControl()
	}
}

// stay lets somebody at a terminal look at the page of a run that ended by itself, until ctx ends.
// Anywhere else a program that does not end would be in the way.
func stay(ctx context.Context, m *Main, page *runPage) {
	if page == nil || !m.Terminal || ctx.Err() != nil {
		return
	}
	plaintext.Fprintf(m.Stderr, "page: the run has ended, its page stays until Ctrl-C\n")
	defer m.interrupt.during(func() {})()
	<-ctx.Done()
}

// pageControls are the controls of a run for its page.
type pageControls struct{ *engine.Controls }

// Status implements [dashboard.Control].
func (c pageControls) Status() dashboard.ControlStatus {
	s := c.Controls.Status()
	to := dashboard.ControlStatus{Tick: s.Tick, Caps: s.Caps, Paused: s.Paused, Ended: s.Ended,
		Requests: make([]dashboard.ControlRequest, len(s.Requests))}
	for i, r := range s.Requests {
		to.Requests[i] = dashboard.ControlRequest{Number: r.Number, What: r.Control.What(), Text: r.Control.Text,
			Tick: r.Control.Tick, Refused: r.Refused}
	}
	return to
}
