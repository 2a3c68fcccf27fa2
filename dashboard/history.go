package dashboard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/run/playback"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// The bounds of a history in memory, beside its bytes.
const (
	worldsMax = 1024
	// worldsRecent is how many worlds that were asked for are kept.
	worldsRecent = 4
	// tickBytes is what a tick takes in the columns of an index.
	tickBytes = 80
)

// history is a run while somebody looks at it: the world at any tick, and what happened in each.
// It reads the trace once, in the background, and follows it while it grows. Prompts are not
// kept.
//
// Invariant: everything it holds is of whole ticks, 1 to done.
type history struct {
	dir    run.Source
	header trace.Header
	// changed is called after ticks were added.
	changed func()
	cancel  context.CancelFunc
	// gone says that the run was removed; the lock of the server guards it.
	gone bool
	// readOnce is closed when the trace was read to its end for the first time.
	readOnce chan struct{}

	// ahead is what was asked ahead as of aheadFile, the log that was read last; both under aheadMu.
	aheadMu   sync.Mutex
	ahead     *aheadView
	aheadFile os.FileInfo

	mu sync.RWMutex
	// index knows where each tick begins. Its columns only grow: a copy of it stays good.
	index *state.Index
	done  int64
	// end is how the run ended; nil while it has not.
	end *trace.RunEnd
	// err is why nothing more is read, differs why there is no world from a tick on.
	err error
	// failedAt is the size of the trace that could not be read.
	failedAt string
	differs  error
	// worlds are those after every tick that every divides, tick 0 first, recent the last that
	// were asked for. None of them is ever written: they are forked.
	worlds []*world.World
	every  int64
	recent []*world.World
	// played is the last tick with a world; the ticks between two worlds are read from the trace again.
	played int64
	// bytesMax bounds what is kept of worlds and agents. worldBytes is about what one world takes,
	// openBytes what was read of the open tick.
	bytesMax, worldBytes, openBytes int64

	figures  *explain.Figures
	agents   explain.Lanes
	contacts explain.Contacts
	marks    []explain.Mark
	// open is the tick that is not whole, started when the process that plays the run began, as far as its
	// records say, and pace how fast it goes.
	open    openTick
	started time.Time
	pace    pace
	prices  explain.Prices

	// The rest is of the reading goroutine alone. count and tick hold what was read of the open tick;
	play  *playback.Playback
	count *state.Count
	tick  explain.Tick
	// told is when watchers were told last, written when the trace was written to before it was read.
	told, written time.Time
}

// openHistory begins to read the run in dir.
func openHistory(dir run.Source, changed func()) (*history, error) {
	h, x, err := dir.Begin()
	if err != nil {
		return nil, err
	}
	of := &history{dir: dir, header: h, changed: changed, readOnce: make(chan struct{}), every: 8,
		index: x, count: state.NewCount(x, h),
		bytesMax: historyBytesMax, figures: explain.NewFigures(h), agents: explain.NewLanes(h),
		prices: explain.PricesOf(h.Latest()), open: openTick{turns: map[string]*openTurn{}}}
	if h.Timing != nil {
		if at, err := time.Parse(time.RFC3339, h.Timing.StartedAt); err == nil {
			of.started = at
			of.pace.begin(at, 0)
			of.open.began = at
		}
	}
	of.figures.Scorer = report.Scorer(h)
	of.play, err = playback.Begin(h)
	if err != nil {
		of.differs = err
	} else {
		of.worlds, of.worldBytes = []*world.World{of.play.World().Fork()}, bytesOf(of.play.World())
	}
	ctx, cancel := context.WithCancel(context.Background())
	of.cancel = cancel
	go of.follow(ctx)
	return of, nil
}

// followEvery is how often a growing trace is looked at.
const followEvery = 400 * time.Millisecond

// follow reads the trace, and continues whenever it has grown, until ctx ends or it is damaged.
func (h *history) follow(ctx context.Context) {
	first := true
	seen := ""
	for {
		if now := traceSize(h.dir.Dir); now != seen {
			seen = now
			if info, err := os.Lstat(filepath.Join(string(h.dir.Dir), run.TraceFile)); err == nil {
				h.written = info.ModTime()
			}
			if err := h.read(ctx); err != nil && ctx.Err() == nil {
				h.mu.Lock()
				h.err, h.failedAt = err, now
				h.mu.Unlock()
			}
			h.changed()
		}
		if first {
			first = false
			close(h.readOnce)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(followEvery):
		}
		if h.failed() != nil {
			return
		}
	}
}

// awaitRead is how long a request waits for a trace to be read for the first time.
const awaitRead = 400 * time.Millisecond

// await waits until the trace was read once, or not much longer than a person notices: most
// traces are short, and their first view is then whole.
func (h *history) await(ctx context.Context) {
	select {
	case <-h.readOnce:
	case <-ctx.Done():
	case <-time.After(awaitRead):
	}
}

func (h *history) failed() error {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.err
}

// damaged reports that the trace could not be read and has not changed since, so that another
// reading would fail too.
func (h *history) damaged() bool {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.err != nil && h.err != run.ErrReplaced && h.failedAt == traceSize(h.dir.Dir)
}

// notifyEvery is how often watchers are told while a long trace is read: what they ask for then
// takes time from the reading.
const notifyEvery = time.Second

// read reads what follows what was read. A trace that ends inside a tick is as good as one that ends
// before.
func (h *history) read(ctx context.Context) (err error) {
	// The trace may be anybody's, and the process may be playing a run that is paid for.
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("the page cannot show this trace: %v", bug)
		}
	}()
	h.told = time.Now()
	for line, err := range h.dir.Until(ctx).Follow(h.index, h.count, decode, h.forgetOpen) {
		err = cmp.Or(err, ctx.Err())
		if err == nil && line.Err != nil {
			err = line.Failed(line.Err)
		}
		if err == nil {
			err = h.add(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// forgetOpen forgets what was read after the last whole tick: it has changed since.
func (h *history) forgetOpen() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.count = state.NewCount(h.index, h.header)
	h.tick = explain.Tick{}
	h.end = nil
	h.openBytes = 0
	h.open.turns = map[string]*openTurn{}
	if h.play != nil {
		h.play.Reopen()
	}
}

// add takes the next line. What a tick changes becomes visible at its end, at once.
func (h *history) add(line state.Line) error {
	end, ended := line.Record.(trace.TickEnd)
	var played bool
	if line.Record != nil {
		h.mu.Lock()
		h.openBytes += int64(line.Size)
		h.heard(line.Record)
		h.mu.Unlock()
		h.tick.Add(line.Record)
		played = h.replay(line.Record)
	}
	_, header := line.Record.(trace.Header)
	_, last := line.Record.(trace.RunEnd)
	if header || ended || last || h.end != nil {
		h.mu.Lock()
		defer h.mu.Unlock()
	}
	whole, err := h.count.Add(line)
	if err != nil {
		return err
	}
	if end := h.count.State.End; h.end != end {
		h.end = end // the lock is held for each record that changes it
	}
	if !whole {
		return nil
	}
	var after *world.World
	if played {
		after = h.play.World()
		h.tick.Events = h.play.Happened()
		h.contacts.Add(end.Tick, h.tick.Events, after)
		h.keep()
	}
	h.done = end.Tick
	h.open = openTick{began: h.written, turns: map[string]*openTurn{}}
	h.pace.reach(h.written, h.done)
	h.marks = h.tick.Marks(h.marks)
	h.figures.Add(&h.tick)
	h.agents.Add(&h.tick, after)
	h.tick, h.openBytes = explain.Tick{}, 0
	h.fit()
	if time.Since(h.told) >= notifyEvery {
		h.told = time.Now()
		go h.changed()
	}
	return nil
}

// replay plays a record in the world, as long as that is the one of the run; played says that it
// ended a tick.
func (h *history) replay(record trace.Record) (played bool) {
	if h.play == nil || h.differs != nil {
		return false
	}
	played, err := h.play.Add(record)
	if err != nil {
		h.mu.Lock()
		h.differs = err
		h.mu.Unlock()
	}
	return played
}

// keep keeps the world now and then.
func (h *history) keep() {
	w := h.play.World()
	h.played = w.Tick()
	if w.Tick()%h.every == 0 {
		h.worlds, h.worldBytes = append(h.worlds, w.Fork()), bytesOf(w)
	}
}

// fit drops every second world while there are too many. The first one always stays. The lock is held.
func (h *history) fit() {
	most := h.bytesMax * 3 / 4 / max(h.worldBytes, 1)
	for len(h.recent) > 1 && int64(len(h.recent)) > most/2 {
		h.recent = slices.Delete(h.recent, 0, 1)
	}
	for len(h.worlds) > 1 && int64(len(h.worlds)) > min(worldsMax, most-int64(len(h.recent))) {
		h.every *= 2
		h.worlds = slices.DeleteFunc(h.worlds, func(w *world.World) bool { return w.Tick()%h.every != 0 })
	}
	h.agents.Fit(h.bytesMax / 4)
	h.contacts.Fit(h.bytesMax / 16)
}

// limit sets how much may be kept, and drops what is more.
func (h *history) limit(bytesMax int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bytesMax = bytesMax
	if h.done > 0 {
		h.fit()
	}
}

// bytes is about what the history takes in memory.
func (h *history) bytes() int64 {
	h.mu.RLock()
	defer h.mu.RUnlock()
	n := int64(len(h.header.Settings.ScenarioTOML)) + 1000*int64(len(h.header.Agents)) + 64<<10
	n += int64(len(h.worlds)+len(h.recent)) * h.worldBytes
	return n + 3*h.openBytes + h.agents.Bytes + h.contacts.Bytes + h.done*tickBytes
}

// bytesOf is about what a world takes in memory.
func bytesOf(w *world.World) int64 {
	places := 0
	for range w.Places() {
		places++
	}
	return 64<<10 + 3000*int64(w.Agents()) + 250*int64(places)
}

// errNoWorld says that a tick has no world: it is not read yet, or cannot be played again.
var errNoWorld = errors.New("there is no world of this tick")

// at returns the world after a tick, for reading alone.
func (h *history) at(tick int64) (*world.World, error) {
	h.mu.RLock()
	best, err := h.nearest(tick)
	if err != nil || best.Tick() == tick {
		h.mu.RUnlock()
		return best, err
	}
	index := *h.index
	h.mu.RUnlock()
	w := best.Fork()
	if err := h.reread(&index, w, tick); err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recent = append(h.recent, w)
	if len(h.recent) > worldsRecent {
		h.recent = slices.Delete(h.recent, 0, 1)
	}
	h.fit()
	return w, nil
}

// nearest is the last world kept at or before a tick.
func (h *history) nearest(tick int64) (*world.World, error) {
	if len(h.worlds) == 0 || tick < 0 || tick > h.played {
		return nil, cmp.Or(h.differs, errNoWorld)
	}
	best := h.worlds[min(tick/h.every, int64(len(h.worlds)-1))]
	for _, w := range h.recent {
		if w.Tick() <= tick && w.Tick() > best.Tick() {
			best = w
		}
	}
	return best, nil
}

// reread plays the ticks after w's up to a tick from the trace.
func (h *history) reread(x *state.Index, w *world.World, tick int64) error {
	p := playback.Continue(w)
	for record, err := range explain.Records(h.dir, x, w.Tick()+1, trace.TypeFork, trace.TypeControl, trace.TypeResume,
		trace.TypeDecision, trace.TypeEvent, trace.TypeTickEnd) {
		if err != nil {
			return fmt.Errorf("read tick %d again: %w", w.Tick()+1, err)
		}
		if _, err := p.Add(record); err != nil {
			return err
		}
		if w.Tick() == tick {
			return nil
		}
	}
	return fmt.Errorf("read tick %d again: %w", w.Tick()+1, errNoWorld)
}

// reach is how far the run is known.
type reach struct {
	Tick int64 `json:"tick"`
	// Reading says that the trace was not read to its end yet.
	Reading bool `json:"reading"`
	// World is the last tick with a world, -1 if there is none.
	World int64 `json:"world"`
	// Differs says why there is no world, Damage why nothing more can be read; empty mostly.
	Differs string `json:"differs,omitempty"`
	Damage  string `json:"damage,omitempty"`
}

func (h *history) reached() reach {
	h.mu.RLock()
	defer h.mu.RUnlock()
	r := reach{Tick: h.done, World: -1}
	if len(h.worlds) > 0 {
		r.World = h.played
	}
	select {
	case <-h.readOnce:
	default:
		r.Reading = true
	}
	if h.differs != nil {
		r.Differs = h.differs.Error()
	}
	if h.err != nil {
		r.Damage = h.err.Error()
	}
	return r
}

// traceSize changes whenever a trace grows, or a question is put.
func traceSize(dir run.Dir) string {
	files, err := dir.Files()
	if err != nil {
		return err.Error()
	}
	last := ""
	if len(files) > 0 {
		last = files[len(files)-1]
	}
	info, err := os.Lstat(filepath.Join(string(dir), run.TraceFile))
	if err != nil {
		return err.Error()
	}
	asks := ""
	if of, err := os.Lstat(filepath.Join(string(dir), run.AsksFile)); err == nil {
		asks = number(of.Size())
	}
	return strings.Join([]string{number(int64(len(files))), last, number(info.Size()), asks}, " ")
}

// number is a number in digits.
func number(n int64) string { return strconv.FormatInt(n, 10) }
