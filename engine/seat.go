package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"example.com/agentworld/baseline"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Seat is who answers for agents without a prompt: code that is given observations and answers with moves.
// Its answers are recorded, so that a replay, a resume and every reader do without it.
type Seat struct {
	// Name is what it is called in settings, scenarios and records: letters, digits, dots, dashes and
	// underscores. Version says which code it is; a resume takes no other one.
	Name, Version string
	// ReadsTexts says that it is shown what other agents write and ask for, after a plan. What it sends
	// then has them all as parents. A seat that does not read is never shown any of it.
	ReadsTexts bool
	// Words says that it wants its observations in words, too, see [seat.Observation].
	Words bool
	// New makes the player of one agent in one run. Several runs may have players at the same time.
	New func(Brief) Player
}

// Player plays one agent of one run. Act is called in one turn after the other, never twice at a time, and
// players of different agents at the same time. ctx ends when the time for the move is over; a later answer
// is dropped, and the player is asked again once it has returned.
type Player interface {
	Act(ctx context.Context, o seat.Observation) (seat.Move, error)
}

// Act is a [Player] that is one function.
type Act func(ctx context.Context, o seat.Observation) (seat.Move, error)

// Act implements [Player].
func (a Act) Act(ctx context.Context, o seat.Observation) (seat.Move, error) { return a(ctx, o) }

// Recaller is a [Player] that remembers. In a run that is resumed or forked, Recall is called in place of
// Act for every turn whose move is recorded, in their order, so that the player knows what it would know
// if it had been asked.
type Recaller interface {
	Recall(o seat.Observation, m seat.Move)
}

// Brief is what a player may know before the run.
type Brief struct {
	// Agent is the agent that is played.
	Agent string
	baseline.Brief
}

// SeatTimeout is how long a move may take unless the settings say otherwise.
const SeatTimeout = time.Minute

// seatName is the form of a seat's name.
var seatName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// Check reports a seat that cannot be one.
func (s Seat) Check() error {
	switch {
	case !seatName.MatchString(s.Name):
		return fmt.Errorf("seat %q: its name is none; allowed: up to 64 letters, digits, dots, dashes and underscores",
			plaintext.Clip(s.Name, 64))
	case s.Name == trace.ModelSeat:
		return fmt.Errorf("seat %q: that is the name of the model", s.Name)
	case s.New == nil:
		return fmt.Errorf("seat %q: it has no player", s.Name)
	}
	return nil
}

// Seats are the seats that a process knows, with the players of one run.
type Seats struct {
	known   []Seat
	timeout time.Duration
	brief   baseline.Brief
	mu      sync.Mutex
	// players are by agent; that of an agent is replaced with its seat.
	players map[string]*seated
}

// seated is the player of an agent.
type seated struct {
	who   string
	words bool
	ask   Player
	busy  chan struct{} // holds one while the player has not returned
}

// NewSeats returns the seats of one run. A timeout of 0 is [SeatTimeout].
func NewSeats(known []Seat, timeout time.Duration) *Seats {
	if timeout <= 0 {
		timeout = SeatTimeout
	}
	return &Seats{known: known, timeout: timeout, players: map[string]*seated{}}
}

// Over returns a source that asks players with what is for a seat, and models with anything else.
func (s *Seats) Over(models Source) Source { return overModels{s, models} }

type overModels struct {
	seats  *Seats
	models Source
}

// Respond implements [Source].
func (o overModels) Respond(ctx context.Context, key trace.CallKey, r llmclient.Request) llmclient.Answer {
	if q, is := questionOf(ctx); is {
		q.asked = true
		return o.seats.respond(ctx, key.Agent, r.Model, *q)
	}
	return o.models.Respond(ctx, key, r)
}

// question is an observation on its way to a player.
type question struct {
	observation seat.Observation
	// asked says that a player was asked. Else the answer is recorded.
	asked bool
}

type questionKey struct{}

// withQuestion lets a source that is many layers down know the observation behind a request, which has
// only its text.
func withQuestion(ctx context.Context, q *question) context.Context {
	return context.WithValue(ctx, questionKey{}, q)
}

func questionOf(ctx context.Context) (q *question, is bool) {
	q, is = ctx.Value(questionKey{}).(*question)
	return q, is
}

// ForSeat reports whether a request in ctx is for a seat: it costs nothing and nobody else may answer it.
func ForSeat(ctx context.Context) bool {
	_, is := questionOf(ctx)
	return is
}

// player returns the player of an agent, nil if the seat is not known.
func (s *Seats) player(agent, who string) *seated {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.players[agent]; p != nil && p.who == who {
		return p
	}
	at := slices.IndexFunc(s.known, func(k Seat) bool {
		return trace.AgentSeat{Seat: k.Name, Version: k.Version}.Who() == who
	})
	if at < 0 {
		return nil
	}
	brief := Brief{agent, s.brief}
	brief.Goals = slices.Clone(brief.Goals)
	brief.Places = slices.Clone(brief.Places)
	p := &seated{who: who, words: s.known[at].Words, busy: make(chan struct{}, 1),
		ask: &lazy{make: s.known[at].New, brief: brief}}
	s.players[agent] = p
	return p
}

// lazy makes a player when it is first asked, since making one may fail as a move may.
type lazy struct {
	make   func(Brief) Player
	brief  Brief
	player Player
}

func (l *lazy) made() Player {
	if l.player == nil {
		l.player = l.make(l.brief)
	}
	return l.player
}

func (l *lazy) Act(ctx context.Context, o seat.Observation) (seat.Move, error) {
	return l.made().Act(ctx, o)
}

func (l *lazy) Recall(o seat.Observation, m seat.Move) {
	if r, remembers := l.made().(Recaller); remembers {
		r.Recall(o, m)
	}
}

// respond asks the player of an agent for its move.
func (s *Seats) respond(ctx context.Context, agent, who string, q question) llmclient.Answer {
	p := s.player(agent, who)
	if p == nil {
		return noMove(seat.Missing, fmt.Sprintf("there is no seat %q", who))
	}
	// A player that is late may still look at its observation while the agent has gone on.
	text := ""
	if p.words {
		text = q.observation.InWords()
	}
	q.observation.InWords = func() string { return text }
	began := time.Now()
	answer := s.within(ctx, p, func(ctx context.Context) llmclient.Answer {
		move, err := p.ask.Act(ctx, q.observation)
		if err != nil {
			return noMove(seat.Failed, err.Error())
		}
		text, err := move.Encode(q.observation.Ask)
		if err != nil {
			return noMove(seat.Nonsense, err.Error())
		}
		return llmclient.Answer{Reply: &llmclient.Reply{Model: who, Status: "completed",
			Items: []llmclient.Item{llmclient.Message("assistant", string(text))}}}
	})
	answer.LatencyMS = time.Since(began).Milliseconds()
	return answer
}

// recall tells the player of an agent of a turn whose answer is recorded.
func (s *Seats) recall(ctx context.Context, agent, who string, q question, a llmclient.Answer) {
	p := s.player(agent, who)
	if p == nil || a.Reply == nil || len(a.Reply.Items) != 1 {
		return
	}
	move, err := seat.Decode([]byte(a.Reply.Items[0].Text), q.observation.Ask)
	if err != nil {
		return
	}
	s.within(ctx, p, func(context.Context) llmclient.Answer {
		p.ask.(Recaller).Recall(q.observation, move)
		return llmclient.Answer{}
	})
}

// within calls a player, for as long as a move may take. What the player does after that is awaited by
// nobody: until it returns, the agent loses its turns.
func (s *Seats) within(ctx context.Context, p *seated, call func(context.Context) llmclient.Answer) llmclient.Answer {
	select {
	case p.busy <- struct{}{}:
	default:
		return noMove(seat.Busy, "it has not answered an earlier turn yet")
	}
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	answered := make(chan llmclient.Answer, 1)
	go func() {
		answer := noMove(seat.Failed, "it ended its goroutine")
		defer func() {
			if why := recover(); why != nil {
				answer = noMove(seat.Panicked, fmt.Sprint(why)+crashedAt())
			}
			<-p.busy
			answered <- answer
		}()
		answer = call(limited)
	}()
	select {
	case answer := <-answered:
		return s.unless(ctx, answer)
	case <-limited.Done():
	}
	// An answer of the same moment counts.
	select {
	case answer := <-answered:
		return s.unless(ctx, answer)
	default:
	}
	return s.unless(ctx, noMove(seat.Late, fmt.Sprintf("it did not answer within %s", s.timeout)))
}

// crashedAt is where the panic began that its caller recovers from, such as " at main.go:22": the first function
// on the stack that is not of the runtime. It is recorded, so no directory is in it.
func crashedAt() string {
	pcs := make([]uintptr, 64)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for panicked, more := false, true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		switch {
		case f.Function == "runtime.gopanic":
			panicked = true
		case panicked && !strings.HasPrefix(f.Function, "runtime."):
			return fmt.Sprintf(" at %s:%d", filepath.Base(f.File), f.Line)
		}
	}
	return ""
}

// unless is an answer, unless the run was interrupted: what a player then says is no move of its own.
func (s *Seats) unless(ctx context.Context, answer llmclient.Answer) llmclient.Answer {
	if answer.Failure != nil && errors.Is(ctx.Err(), context.Canceled) {
		return llmclient.Failed(llmclient.ErrInterrupted, "interrupted while a seat was asked")
	}
	return answer
}

// noMoveMost bounds what is kept of why there is no move, in characters.
const noMoveMost = 300

// noMove is the answer of a seat that makes no move.
func noMove(code, why string) llmclient.Answer {
	return llmclient.Answer{Failure: &llmclient.Failure{Kind: llmclient.ErrSeat, Code: code,
		Message: plaintext.Clip(plaintext.Line(plaintext.Head(why, 4*noMoveMost)), noMoveMost), Unsent: true}}
}
