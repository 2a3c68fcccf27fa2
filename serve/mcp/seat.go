package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/behavior/words"
	"example.com/agentworld/engine"
	"example.com/agentworld/modules"
	"example.com/agentworld/session"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// The seat of an assistant, as records have it. The version grows when a move means something else.
const (
	seatName    = "assistant"
	seatVersion = "1"
)

const (
	deadlineDefault = 120
	deadlineLeast   = 5
	deadlineMost    = 600
	// missedMax is how many turns in a row an assistant may miss before it has left.
	missedMax = 2
)

// player is an assistant that plays an agent. It is shown no texts of other agents, so that nobody in the world can
// instruct it. The run asks on one goroutine, and calls of clients come on others.
type player struct {
	agent    string
	deadline time.Duration
	game     *game

	mu sync.Mutex
	// turn waits for a move, nil if none does. missed counts the turns in a row that got none.
	turn   *turn
	missed int
	// changed is closed, and replaced, when turn changes.
	changed chan struct{}
}

// turn is a turn that waits for its move.
type turn struct {
	seat.Observation
	text  string
	until time.Time
	move  chan seat.Move
}

// sit has the assistant play its agent in a run.
func (p *player) sit(c *session.Config, g *game) {
	p.game = g
	c.Settings.Seats = trace.Seated(c.Settings.Seats, []trace.AgentSeat{{Agent: p.agent, Seat: seatName}})
	c.SeatTimeoutMS = p.deadline.Milliseconds()
	c.Seats = append(slices.Clone(c.Seats), engine.Seat{Name: seatName, Version: seatVersion, Words: true,
		New: func(engine.Brief) engine.Player { return engine.Act(p.play) }})
}

var errLeft = errors.New("the assistant has left its seat")

// play is the seat: it waits for the move of the assistant.
func (p *player) play(ctx context.Context, o seat.Observation) (seat.Move, error) {
	p.mu.Lock()
	left := p.missed >= missedMax
	p.mu.Unlock()
	if left {
		return seat.Move{}, errLeft
	}
	t := &turn{Observation: o, text: o.InWords(), until: time.Now().Add(p.deadline), move: make(chan seat.Move, 1)}
	p.show(t)
	select {
	case m := <-t.move:
		return m, nil
	case <-ctx.Done():
	case <-p.game.drain.Done():
	}
	p.show(nil)
	select {
	case m := <-t.move: // of the same moment
		return m, nil
	default:
	}
	p.mu.Lock()
	p.missed++
	gone := p.missed >= missedMax
	p.mu.Unlock()
	if gone {
		p.game.leave() // nobody waits for the rest of the run
	}
	return seat.Move{}, errors.New("the assistant made no move")
}

// show makes a turn the one that waits.
func (p *player) show(t *turn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.turn = t
	close(p.changed)
	p.changed = make(chan struct{})
}

// await waits for a turn; it is nil if none came in time, or the run is over.
func (p *player) await(ctx context.Context, most time.Duration) *turn {
	limit := time.After(most)
	for {
		p.mu.Lock()
		t, changed := p.turn, p.changed
		p.mu.Unlock()
		if t != nil {
			return t
		}
		select {
		case <-changed:
		case <-p.game.over:
			return nil
		case <-limit:
			return nil
		case <-ctx.Done():
			return nil
		}
	}
}

// answer makes a move in the turn that waits. The error says why it is none; the turn then waits on.
func (p *player) answer(move json.RawMessage) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turn == nil {
		return refuse("no turn of your agent waits for a move; observe waits for one")
	}
	names := answer.NamesIn(&p.turn.Observation.Observation, p.turn.View.Industry())
	action, why, fault := answer.ReadMove(string(move), names, world.ThenMax)
	if fault != nil {
		return refuse("that is no move, and the turn still waits: %s", fault.Error())
	}
	p.turn.move <- seat.Move{Action: action, Why: why}
	p.turn = nil
	p.missed = 0
	return nil
}

type seatArguments struct {
	startArguments
	Agent    string `json:"agent,omitempty" jsonschema:"agent to play, by default the scenario's first"`
	Deadline int    `json:"deadline_s,omitempty" jsonschema:"seconds for each move, 120 by default, 5 to 600"`
}

// situation is what an assistant sees of its agent.
type situation struct {
	Seat string `json:"seat"`
	played
	Agent string `json:"agent_id"`
	// Turn says whether a move is waited for.
	Turn bool `json:"your_turn"`
	// Deadline is what is left of the time for it.
	Deadline int64 `json:"deadline_s,omitempty"`
	// Moves says how a move is written.
	Moves *Text `json:"moves,omitempty"`
	// Observed is the situation in words, Last the outcome of the last move.
	Observed *Text          `json:"observation,omitempty"`
	Last     *world.Outcome `json:"outcome,omitempty"`
}

func (s *Server) takeSeat(ctx context.Context, in seatArguments) (any, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	seconds, err := bounded("deadline_s", in.Deadline, deadlineDefault, deadlineLeast, deadlineMost)
	if err != nil {
		return nil, err
	}
	of, _, embedded := scenario.Embedded(in.Scenario)
	if embedded && in.Agent == "" {
		in.Agent = of.AgentIDs()[0]
	}
	if embedded && !slices.Contains(of.AgentIDs(), in.Agent) {
		return nil, refuse("the scenario has no such agent; allowed: %s", offered(of.AgentIDs()))
	}
	p := &player{agent: in.Agent, deadline: time.Duration(seconds) * time.Second, changed: make(chan struct{})}
	if _, err := s.spender.start(in.startArguments, p); err != nil {
		return nil, err
	}
	id := seatID()
	s.spender.mu.Lock()
	s.spender.seats[id] = p
	s.spender.mu.Unlock()
	now := s.situation(ctx, id, p, wait)
	if t := p.await(ctx, 0); t != nil {
		moves := own("%s", howToMove(t.View.Industry()))
		now.Moves = &moves
	}
	return now, nil
}

// seatID is a name that cannot be guessed, in the digits of a hash, which a result takes for a name.
func seatID() string {
	random := make([]byte, 16)
	_, _ = rand.Read(random) // never fails
	return hex.EncodeToString(random)
}

// howToMove says how moves are written in a world.
func howToMove(industry *world.Industry) string {
	english, err := words.With(words.English, "")
	if err != nil {
		panic("mcp: the program's own words cannot be read: " + err.Error())
	}
	return `A move is a JSON object: {"action": NAME, its arguments in the members to, id, what, amount, price and text, ` +
		`"reason": in a few words}. An action is repeated with "until": [{"event": EVENT}] and "max_ticks": N, and "then" ` +
		"has up to three moves that follow. The actions:\n" + modules.ActionText(english, industry)
}

// situation waits for the next turn of a seat.
func (s *Server) situation(ctx context.Context, id string, p *player, wait time.Duration) situation {
	t := p.await(ctx, wait)
	now := situation{Seat: id, played: s.spender.standing(p.game), Agent: p.agent}
	if t == nil {
		return now
	}
	now.Turn = true
	now.Tick = t.Tick
	now.Last = t.Last
	now.Deadline = max(0, int64(time.Until(t.until)/time.Second))
	observed := Text{Text: t.text, Author: worldAuthor, Trust: trace.TrustSelfObservation.String(), Note: mine}
	now.Observed = &observed
	return now
}

// player finds who has a seat, by its id.
func (s *spender) player(id string) (*player, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.seats[id]; p != nil {
		return p, nil
	}
	return nil, refuse("there is no such seat; take_seat gives one")
}

type observeArguments struct {
	Seat string `json:"seat" jsonschema:"your seat, as take_seat gave it"`
	Wait int    `json:"wait_s,omitempty" jsonschema:"seconds to wait for a turn, 20 by default and up to 50"`
}

// of is who has the seat, and how long to wait for its turn.
func (in observeArguments) of(s *spender) (p *player, wait time.Duration, err error) {
	wait, err = waiting(in.Wait)
	if err == nil {
		p, err = s.player(in.Seat)
	}
	return p, wait, err
}

func (s *Server) observe(ctx context.Context, in observeArguments) (any, error) {
	p, wait, err := in.of(s.spender)
	if err != nil {
		return nil, err
	}
	return s.situation(ctx, in.Seat, p, wait), nil
}

type actArguments struct {
	observeArguments
	Move map[string]any `json:"move" jsonschema:"the move, as take_seat describes it"`
}

func (s *Server) act(ctx context.Context, in actArguments) (any, error) {
	p, wait, err := in.of(s.spender)
	if err != nil {
		return nil, err
	}
	move, err := json.Marshal(in.Move)
	if err != nil {
		return nil, refuse("that is no move")
	}
	if err := p.answer(move); err != nil {
		return nil, err
	}
	return s.situation(ctx, in.Seat, p, wait), nil
}

type leaveArguments struct {
	Seat string `json:"seat" jsonschema:"your seat, as take_seat gave it"`
}

func (s *Server) leaveSeat(ctx context.Context, in leaveArguments) (any, error) {
	p, err := s.spender.player(in.Seat)
	if err != nil {
		return nil, err
	}
	p.game.leave()
	p.game.ended(ctx, waitMax)
	return s.spender.standing(p.game), nil
}
