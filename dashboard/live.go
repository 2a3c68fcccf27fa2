package dashboard

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"example.com/agentworld/engine/ahead"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/serve/catalog"
	"example.com/agentworld/trace"
)

// openTick is what the records say of the tick that a run plays.
type openTick struct {
	// began is when the tick before was written.
	began time.Time
	turns map[string]*openTurn
	// due are the agents that decide in it, nil before somebody asked.
	due []string
}

// openTurn is how far the turn of an agent is.
type openTurn struct {
	calls int
	// stage and failure are those of the last call that was answered, at when that was written.
	stage   trace.Stage
	failure string
	at      time.Time
}

// pace is how fast a run goes: what was done by some moments, the oldest first.
type pace struct {
	samples []paceSample
	// done is what was done by now, resumed the tick after which a process went on with the run.
	done paceSample
}

type paceSample struct {
	at                       time.Time
	tick, tokens, costMicros int64
}

// paceOver is about the time over which a pace is taken, paceSamplesMax bounds its samples.
const (
	paceOver       = 3 * time.Minute
	paceSamplesMax = 600
)

// begin begins a pace anew where a process begins to play.
func (p *pace) begin(at time.Time, tick int64) {
	p.done.at, p.done.tick = at, tick
	p.samples = []paceSample{p.done}
}

// spend adds what a call took.
func (p *pace) spend(u llmclient.Usage, costMicros int64) {
	p.done.tokens += u.Input + u.Output
	p.done.costMicros += costMicros
}

// reach notes that a tick was written.
func (p *pace) reach(at time.Time, tick int64) {
	p.done.at, p.done.tick = at, tick
	n := len(p.samples)
	if n > 0 && at.Sub(p.samples[n-1].at) < paceOver/paceSamplesMax {
		return
	}
	p.samples = append(p.samples, p.done)
	for len(p.samples) > 2 && at.Sub(p.samples[1].at) > paceOver || len(p.samples) > paceSamplesMax {
		p.samples = p.samples[1:]
	}
}

// liveView is a run that a process plays now. Times are in milliseconds before the answer.
type liveView struct {
	// Tick is the one that is played.
	Tick int64 `json:"tick"`
	// BeganMS is how long it is played, StartedMS how long the process is at the run, both -1 if nobody
	// knows.
	BeganMS   int64 `json:"began_ms"`
	StartedMS int64 `json:"started_ms"`
	// Turns are those of the tick, at most liveTurnsMax, Due counts them all, Waiting those of which an
	// answer is awaited.
	Turns   []liveTurn `json:"turns"`
	Due     int        `json:"due"`
	Waiting int        `json:"waiting"`
	// TokensPerMinute, MicrosPerMinute and LeftMS are from the pace of the last minutes; LeftMS is -1
	// where none is known.
	TokensPerMinute int64 `json:"tokens_per_minute"`
	MicrosPerMinute int64 `json:"micros_per_minute"`
	LeftMS          int64 `json:"left_ms"`
	// Ahead is what was asked ahead so far, null where nothing was.
	Ahead *aheadView `json:"ahead"`
}

// aheadView is what became of calls that were asked ahead of the run.
type aheadView struct {
	Asked  int64 `json:"asked"`
	Used   int64 `json:"used"`
	Wasted int64 `json:"wasted"`
	// WastedTokens and WastedMicros are what those in vain took, the latter at the prices of their models.
	WastedTokens int64 `json:"wasted_tokens"`
	WastedMicros int64 `json:"wasted_micros"`
	// SavedMS is by how much ticks were shorter than the answers of their slowest turns took, in milliseconds.
	SavedMS int64 `json:"saved_ms"`
}

// askedAhead is what was asked ahead of the run, nil where nothing was or nobody knows.
func (h *history) askedAhead() *aheadView {
	f, err := h.dir.OpenAhead()
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	h.aheadMu.Lock()
	defer h.aheadMu.Unlock()
	if h.aheadFile != nil && h.aheadFile.Size() == info.Size() && h.aheadFile.ModTime().Equal(info.ModTime()) {
		return h.ahead
	}
	c, known, err := ahead.LastCounts(h.dir.OpenAhead, trace.Chain(h.index.Run))
	if err != nil {
		return nil
	}
	h.aheadFile, h.ahead = info, nil
	if known {
		h.ahead = &aheadView{c.Asked, c.Used, c.Wasted, c.WastedUsage.Input + c.WastedUsage.Output,
			c.WastedCost.Micros(), c.SavedMS}
	}
	return h.ahead
}

// liveTurn is how far the turn of an agent is.
type liveTurn struct {
	Agent string `json:"agent"`
	// State is asked before the first answer, thinking after one of several, failed after a call that
	// brought no answer, decided after its last stage.
	State string `json:"state"`
	// Stage is that of the last answer, Failure why there was none.
	Stage   trace.Stage `json:"stage,omitempty"`
	Failure string      `json:"failure,omitempty"`
	Calls   int         `json:"calls"`
	// SinceMS is how long it is in this state, -1 if nobody knows.
	SinceMS int64 `json:"since_ms"`
}

const liveTurnsMax = 200

// The states of a turn.
const (
	turnAsked    = "asked"
	turnThinking = "thinking"
	turnFailed   = "failed"
	turnDecided  = "decided"
)

// heard notes a record of the open tick. The lock is held.
func (h *history) heard(record trace.Record) {
	switch r := record.(type) {
	case trace.ModelCall:
		h.pace.spend(r.Answer.Usage, h.prices.Micros(r.Model, r.Answer.Usage))
		of := &openTurn{calls: 1, stage: r.Stage, at: h.written}
		if was := h.open.turns[r.AgentID]; was != nil {
			of.calls += was.calls
		}
		if f := r.Answer.Failure; f != nil {
			of.failure = string(f.Kind)
		}
		h.open.turns[r.AgentID] = of
	case trace.Resume:
		at := h.written
		if r.Timing != nil {
			if on, err := time.Parse(time.RFC3339, r.Timing.ResumedAt); err == nil {
				at = on
			}
		}
		h.started = at
		h.pace.begin(at, r.Tick)
		h.open.began = at
	}
}

// since is a time in milliseconds before now, -1 if it is not known.
func since(at, now time.Time) int64 {
	if at.IsZero() {
		return -1
	}
	return max(0, now.Sub(at).Milliseconds())
}

// live is how the run goes on while a process plays it.
func (h *history) live(now time.Time) *liveView {
	due, asked := h.dueNow(), h.askedAhead()
	h.mu.RLock()
	defer h.mu.RUnlock()
	v := &liveView{Tick: h.done + 1, BeganMS: since(h.open.began, now), StartedMS: since(h.started, now), LeftMS: -1,
		Ahead: asked}
	all := map[string]bool{}
	for _, id := range due {
		all[id] = true
	}
	for id := range h.open.turns {
		all[id] = true
	}
	v.Due = len(all)
	for _, id := range slices.Sorted(maps.Keys(all)) {
		of := liveTurn{Agent: id, State: turnAsked, SinceMS: v.BeganMS}
		if t := h.open.turns[id]; t != nil {
			of = liveTurn{id, turnThinking, t.stage, t.failure, t.calls, since(t.at, now)}
			switch {
			case t.failure != "":
				of.State = turnFailed
			case t.stage == trace.StageDecision || t.stage == trace.StageLean || t.stage == trace.StageSeat:
				of.State = turnDecided
			}
		}
		if of.State == turnAsked || of.State == turnThinking {
			v.Waiting++
		}
		v.Turns = append(v.Turns, of)
	}
	slices.SortStableFunc(v.Turns, func(a, b liveTurn) int { return cmp.Compare(rank(a.State), rank(b.State)) })
	v.Turns = append([]liveTurn{}, v.Turns[:min(len(v.Turns), liveTurnsMax)]...)
	h.paced(v, now)
	return v
}

// rank puts those that are waited for first.
func rank(state string) int {
	return slices.Index([]string{turnAsked, turnThinking, turnFailed, turnDecided}, state)
}

// paced adds the pace of a run to what is shown. The lock is held.
func (h *history) paced(v *liveView, now time.Time) {
	if len(h.pace.samples) == 0 {
		return
	}
	first, last := h.pace.samples[0], h.pace.done
	took := now.Sub(first.at)
	if took < time.Second {
		return
	}
	v.TokensPerMinute = int64(float64(last.tokens-first.tokens) / took.Minutes())
	v.MicrosPerMinute = int64(float64(last.costMicros-first.costMicros) / took.Minutes())
	v.LeftMS = h.left(now)
}

// left is how long the run takes from now at the pace of the last minutes, -1 if nobody knows. The lock is held.
func (h *history) left(now time.Time) int64 {
	if len(h.pace.samples) == 0 {
		return -1
	}
	first, last := h.pace.samples[0], h.pace.done
	return timeLeft(last.tick-first.tick, last.at.Sub(first.at), h.count.State.Asked-last.tick, now.Sub(last.at))
}

// timeLeft is how long so many ticks take, in milliseconds, if others took a time and the last of them ended a time
// ago; -1 if nobody knows.
func timeLeft(played int64, took time.Duration, ticks int64, ago time.Duration) int64 {
	if played <= 0 || took <= 0 || ticks <= 0 {
		return -1
	}
	return max(0, (took/time.Duration(played)*time.Duration(ticks) - ago).Milliseconds())
}

// left is how long a run takes from now, in milliseconds: at the pace of its last minutes where somebody looks at it,
// else at that since its start; -1 if nobody knows.
func (s *Server) left(row catalog.Row, now time.Time) int64 {
	s.mu.Lock()
	h := s.open[row.ID]
	s.mu.Unlock()
	if h != nil {
		h.mu.RLock()
		defer h.mu.RUnlock()
		if ms := h.left(now); ms >= 0 {
			return ms
		}
	}
	began, err := time.Parse(time.RFC3339, row.StartedAt)
	if err != nil {
		return -1
	}
	return timeLeft(row.Ticks, now.Sub(began), row.Asked-row.Ticks, 0)
}

// dueNow are the agents that decide in the open tick, as far as the world before it says.
func (h *history) dueNow() []string {
	h.mu.RLock()
	due, done := h.open.due, h.done
	h.mu.RUnlock()
	if due != nil {
		return due
	}
	w, err := h.at(done)
	if err != nil {
		return nil
	}
	w = w.Fork()
	w.Advance()
	due = []string{}
	for _, n := range w.Due() {
		due = append(due, w.AgentID(n))
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.done == done {
		h.open.due = due
	}
	return due
}
