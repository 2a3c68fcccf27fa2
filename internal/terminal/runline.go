package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

// How often a run's line is drawn at most, how long a run is silent where there is no
// line but only lines, and after how long in a tick the agents are named whose turns it waits for.
const (
	redrawEvery = 250 * time.Millisecond
	silenceMax  = 10 * time.Second
	namedAfter  = 5 * time.Second
)

// RunLine is the progress of a run while it continues, as one line that also moves during a
// tick:
//
//	tick 12/30  3m05s  ETA 4m40s  2 calls 12s  waits for agent-3, agent-5 12s  0.42/1.00 USD
//
// It learns of the calls as an observer of the run. It may be used by several
// goroutines.
type RunLine struct {
	*Printer
	Now    func() time.Time
	Prices []price.Price
	// Traffic is what the calls do.
	Traffic func() access.Traffic

	mu sync.Mutex
	// began is when the first tick of this process began, after the tick first; ticked when
	// the last whole one ended, which left last.
	began, ticked time.Time
	first         int64
	last          engine.Progress
	// paused is when the run began to wait for its operator last.
	paused time.Time
	// tick is the one under way.
	tick int64
	// open is how many calls have no answer, also those not sent yet; calls and charged are
	// those since ticked.
	open    int
	calls   int64
	charged trace.Limit
	// turns are those under way, in the order in which they began.
	turns []openTurn
	// draining says that no call begins any more.
	draining bool
	// said is when the last line was printed or drawn.
	said time.Time
	stop func()
}

// openTurn is a turn that has not decided yet.
type openTurn struct {
	agent string
	began time.Time
}

// Start begins to show the run, whose state so far is p.
func (l *RunLine) Start(p engine.Progress) {
	l.began = l.Now()
	l.ticked = l.began
	l.said = l.began
	l.last = p
	l.first = p.Tick
	ended, done := make(chan struct{}), make(chan struct{})
	l.stop = func() { close(ended); <-done }
	go func() {
		defer close(done)
		moves := time.NewTicker(redrawEvery)
		defer moves.Stop()
		for {
			select {
			case <-ended:
				return
			case <-moves.C:
				l.move()
			}
		}
	}()
}

// move shows what has changed since the last tick.
func (l *RunLine) move() {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.Now()
	switch {
	case l.Quiet:
	case l.Terminal:
		l.redraw(now)
	case now.Sub(l.said) >= silenceMax:
		l.said = now
		plaintext.Fprintf(l.Screen, "%s\n", joined(l.parts(now)))
	}
}

// Show takes the state after a tick. It is called from the goroutine that runs the ticks.
func (l *RunLine) Show(p engine.Progress) {
	l.mu.Lock()
	now := l.Now()
	if p.Paused != l.last.Paused {
		l.pause(p, now)
		l.mu.Unlock()
		return
	}
	l.last = p
	l.ticked = now
	l.calls = 0
	l.charged = trace.Limit{}
	if p.Resuming {
		l.began, l.first = now, p.Tick
	}
	if l.Terminal && !l.Quiet && now.Sub(l.said) >= redrawEvery {
		l.redraw(now)
	}
	l.mu.Unlock()
	if !l.Terminal && !l.Quiet && !p.Resuming {
		before := l.shown
		if l.Update(ProgressText(p), p.Tick, p.Ticks); l.shown > before {
			l.mu.Lock()
			l.said = now
			l.mu.Unlock()
		}
	}
}

// pause shows that the run begins to wait for its operator or continues. The time of waiting is none
// of the ticks. The caller holds mu.
func (l *RunLine) pause(p engine.Progress, now time.Time) {
	if p.Paused {
		l.paused = now
	} else {
		l.began, l.ticked = l.began.Add(now.Sub(l.paused)), l.ticked.Add(now.Sub(l.paused))
	}
	l.last = p
	switch {
	case l.Quiet:
	case l.Terminal:
		l.redraw(now)
	case p.Paused:
		l.said = now
		plaintext.Fprintf(l.Screen, "paused before tick %d\n", p.Tick+1)
	}
}

// Finish shows the last state and ends the line.
func (l *RunLine) Finish() {
	l.stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last.Paused = false
	if l.Terminal && !l.Quiet && l.last.Tick > 0 {
		l.redraw(l.Now())
	}
	l.Printer.Finish()
}

// Drain says that the run was asked to stop, and what it waits for.
func (l *RunLine) Drain() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.draining = true
	l.Note(DrainText(l.Traffic()))
}

// BreakOff calls off, which breaks off the calls in flight, and says how many. It takes no lock
// before that, which a stream that takes nothing could hold.
func (l *RunLine) BreakOff(off func()) {
	n := l.Traffic().Sent
	off()
	l.Note(BreakOffText(n))
}

// Begin implements [engine.Observer]: it counts the calls, and what they cost.
func (l *RunLine) Begin(ctx context.Context, s engine.Span) (context.Context, func(engine.Ending)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tick = max(l.tick, s.Tick)
	switch s.Kind {
	case engine.SpanTurn:
		return ctx, l.beginTurn(s.Agent)
	case engine.SpanModelCall:
	default:
		return ctx, func(engine.Ending) {}
	}
	l.open++
	return ctx, func(e engine.Ending) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.open--
		l.calls++
		if e.Answer == nil || e.Answer.Reply == nil {
			return
		}
		u := e.Answer.Reply.Usage
		l.charged.Tokens += u.Input + u.Output
		if at := slices.IndexFunc(l.Prices, func(p price.Price) bool { return p.Model == s.Model }); at >= 0 {
			l.charged.Cost = l.charged.Cost.Plus(l.Prices[at].Cost(u))
		}
	}
}

// beginTurn notes whose turn is under way, until it ends. The caller holds mu.
func (l *RunLine) beginTurn(agent string) func(engine.Ending) {
	l.turns = append(l.turns, openTurn{agent, l.Now()})
	return func(engine.Ending) {
		l.mu.Lock()
		defer l.mu.Unlock()
		at := slices.IndexFunc(l.turns, func(t openTurn) bool { return t.agent == agent })
		l.turns = slices.Delete(l.turns, at, at+1)
	}
}

// awaited says whose turns the tick waits for, and for how long; nothing while it is a short one.
func (l *RunLine) awaited(now time.Time) part {
	if len(l.turns) == 0 || l.last.Paused || now.Sub(l.turns[0].began) < namedAfter {
		return nil
	}
	took := " " + Brief(now.Sub(l.turns[0].began))
	short := plaintext.Count(len(l.turns), "agent") + took
	names := plaintext.Line(l.turns[0].agent)
	switch more := len(l.turns) - 1; {
	case more == 1:
		names += ", " + plaintext.Line(l.turns[1].agent)
	case more > 1:
		names += fmt.Sprintf(" and %d more", more)
	}
	return part{{rankAwaited, "waits for " + names + took}, {rankAwaitedShort, "waits for " + short}}
}

// part is a part of the line in its forms, the longest first.
type part []form

// form is a text of a part. Those of the lowest rank are shown first, where there is room.
type form struct {
	rank int
	text string
}

// redraw shows the line. The caller holds mu.
func (l *RunLine) redraw(now time.Time) {
	l.said = now
	parts := l.parts(now)
	l.Draw(func(columns int) string { return fitted(parts, columns) })
}

// fitted are the forms that fit, the most important ones taken first.
func fitted(parts []part, columns int) string {
	shown := make([]part, len(parts))
	for rank := range rankLast + 1 {
		for i, p := range parts {
			for k, f := range p {
				if f.rank != rank {
					continue
				}
				before := shown[i]
				shown[i] = p[k:]
				if rank > rankAlways && plaintext.Cells(joined(shown)) > columns {
					shown[i] = before
				}
			}
		}
	}
	return plaintext.Fit(joined(shown), columns)
}

func joined(parts []part) string {
	var texts []string
	for _, p := range parts {
		if len(p) > 0 {
			texts = append(texts, p[0].text)
		}
	}
	return strings.Join(texts, "  ")
}

// The ranks of forms, the most important first.
const (
	rankAlways = iota
	rankCalls
	rankNearestCap
	rankAwaitedShort
	rankAwaited
	rankWaits
	rankShares
	rankElapsed
	rankWaitsWhole
	rankCaps
	rankETA
	rankQueued
	rankErrors
	rankTurns
	rankLast
)

// capUse is what is spent of a cap: in full, and as a share in percent.
type capUse struct {
	text, unit string
	percent    int64
}

func capOf(text, unit string, spent, limit int64) capUse {
	return capUse{text + " " + unit, unit, int64(100 * float64(spent) / float64(limit))}
}

func (c capUse) share() string { return fmt.Sprintf("%d%% %s", c.percent, c.unit) }

// capsPart shows the use of caps: in full, as shares, or only the greatest share, whose cap ends
// the run first.
func capsPart(caps []capUse) part {
	var texts, shares []string
	nearest := caps[0]
	for _, c := range caps {
		texts, shares = append(texts, plaintext.Line(c.text)), append(shares, plaintext.Line(c.share()))
		if c.percent > nearest.percent {
			nearest = c
		}
	}
	return part{{rankCaps, strings.Join(texts, "  ")}, {rankShares, strings.Join(shares, " ")},
		{rankNearestCap, plaintext.Line(nearest.share())}}
}

// parts are those of the line, in the order in which they are shown. The caller holds mu.
func (l *RunLine) parts(now time.Time) (parts []part) {
	add := func(rank int, format string, args ...any) {
		// A currency is a text of others.
		parts = append(parts, part{{rank, plaintext.Line(fmt.Sprintf(format, args...))}})
	}
	p := l.last
	if p.Resuming {
		add(rankAlways, "resuming: tick %d/%d derived again", p.Tick, p.Ticks)
		return parts
	}
	switch {
	case l.draining:
		add(rankAlways, "stopping")
	case p.Paused:
		add(rankAlways, "paused")
	}
	add(rankAlways, "tick %d/%d", max(l.tick, p.Tick), p.Ticks)
	add(rankElapsed, "%s", Brief(now.Sub(l.began)))
	if eta, known := l.eta(now); known {
		add(rankETA, "ETA %s", Brief(eta))
	}
	t := l.Traffic()
	if t.Sent > 0 {
		add(rankCalls, "%s %s", plaintext.Count(t.Sent, "call"), Brief(now.Sub(t.Since)))
	}
	if waits := l.awaited(now); waits != nil {
		parts = append(parts, waits)
	}
	if queued := l.open - t.Sent; queued > 0 {
		if t.Until.After(now) {
			who, wait := "endpoint ", "waits "+Brief(t.Until.Sub(now))
			if t.Own {
				who, wait = "own ", "rate limit "+Brief(t.Until.Sub(now))
			}
			parts = append(parts, part{{rankWaitsWhole, who + wait}, {rankWaits, wait}})
		}
		add(rankQueued, "%d queued", queued)
	}
	charged := trace.Limit{Calls: p.Charged.Calls + l.calls, Tokens: p.Charged.Tokens + l.charged.Tokens,
		Cost: p.Charged.Cost.Plus(l.charged.Cost)}
	var caps []capUse
	if p.Cap.Calls > 0 {
		caps = append(caps, capOf(fmt.Sprintf("%d/%d", charged.Calls, p.Cap.Calls), "calls", charged.Calls, p.Cap.Calls))
	}
	if p.Cap.Cost > 0 {
		caps = append(caps, capOf(fmt.Sprintf("%s/%s", charged.Cost, p.Cap.Cost), p.Currency, int64(charged.Cost),
			int64(p.Cap.Cost)))
	}
	if p.Cap.Tokens > 0 {
		text := plaintext.Thousands(charged.Tokens) + "/" + plaintext.Thousands(p.Cap.Tokens)
		caps = append(caps, capOf(text, "tokens", charged.Tokens, p.Cap.Tokens))
	}
	if len(caps) > 0 {
		parts = append(parts, capsPart(caps))
	}
	if p.Cap.Cost == 0 && p.Currency != "" {
		add(rankCaps, "%s %s", charged.Cost, p.Currency)
	}
	if p.Cap.Tokens == 0 && charged.Tokens > 0 {
		add(rankQueued, "%s tokens", plaintext.Thousands(charged.Tokens))
	}
	if p.Errors > 0 {
		add(rankErrors, "%s", plaintext.Count(p.Errors, "error"))
	}
	add(rankTurns, "%s", plaintext.Count(p.Decisions, "turn"))
	if p.Rejected > 0 {
		add(rankLast, "%d rejected", p.Rejected)
	}
	return parts
}

// eta is how long the run will take from now on, if each tick takes as long as those that this
// process played. It is unknown before the first one, and once a tick takes longer.
func (l *RunLine) eta(now time.Time) (time.Duration, bool) {
	played := l.last.Tick - l.first
	if played < 1 || l.draining || l.last.Paused {
		return 0, false
	}
	each, took := l.ticked.Sub(l.began)/time.Duration(played), now.Sub(l.ticked)
	return each*time.Duration(l.last.Ticks-l.last.Tick) - took, took <= each
}

// Brief is a duration with two units at most: 45s, 3m05s, 2h10m, 3d04h.
func Brief(d time.Duration) string {
	s := int64(max(0, d) / time.Second)
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	case s < 86400:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
	return fmt.Sprintf("%dd%02dh", s/86400, s/3600%24)
}

// DrainText says that no call begins any more, how many are awaited, and for how long at most.
func DrainText(t access.Traffic) string {
	if t.Sent == 0 {
		return "interrupted: no call is in flight, and none is sent any more"
	}
	most := time.Until(t.Ends) + time.Second - 1 // in whole seconds it is no less
	return fmt.Sprintf("interrupted: %s in flight awaited, up to %s; those that wait are dropped; Ctrl-C again breaks off",
		plaintext.Count(t.Sent, "call"), Brief(most))
}

// BreakOffText says how many calls were broken off.
func BreakOffText(sent int) string {
	switch sent {
	case 0:
		return "interrupted again: no call was in flight"
	case 1:
		return "interrupted again: 1 call broken off, its answer is lost"
	}
	return fmt.Sprintf("interrupted again: %d calls broken off, their answers are lost", sent)
}
