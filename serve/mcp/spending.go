package mcp

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// spender plays runs and puts questions within an allowance.
type spender struct {
	ledger ledger
	dir    string
	// ctx ends the runs under way in good order, once cancel is called.
	ctx    context.Context
	cancel context.CancelFunc
	// playing awaits them.
	playing sync.WaitGroup

	mu     sync.Mutex
	active int
	// seats are who plays, by the ids of their seats.
	seats map[string]*player
}

// The bounds of what is played.
const (
	// activeMax bounds the runs at a time.
	activeMax = 4
	ticksMax  = 1000
	// A call waits for its result waitDefault, or as long as it says up to waitMax: clients give up after a minute.
	waitDefault = 20 * time.Second
	waitMax     = 50 * time.Second
)

func newSpender(a *Allowance, dir string) *spender {
	s := &spender{ledger: ledger{of: *a}, dir: dir, seats: map[string]*player{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// about says what an assistant may do.
func (s *spender) about() string {
	return fmt.Sprintf("The user lets assistants start runs, play agents and ask agents: %d times in all, for %s in all.",
		s.ledger.of.Runs, s.ledger.money(s.ledger.of.Cost))
}

// close ends the runs under way and waits for them.
func (s *spender) close() {
	s.mu.Lock()
	s.cancel()
	s.mu.Unlock()
	s.playing.Wait()
}

// addSpending adds the tools that spend.
func (s *Server) addSpending() {
	add(s, tool{name: "ask_agent", title: "Ask an agent", spends: true,
		about: "Ask an agent of a run about what it did, as it was after a tick. Its model answers; the answer is kept " +
			"with the run, and the same question costs nothing again."}, s.askAgent)
	add(s, tool{name: "start_run", title: "Start a run", spends: true,
		about: "Start a run of a built-in scenario by its name, and wait some time for its end. read_run follows it."},
		s.startRun)
	add(s, tool{name: "take_seat", title: "Play an agent", spends: true,
		about: "Start a run of a built-in scenario in which you play one agent, and see its first situation. Answer with " +
			"act before the deadline; whoever misses two turns in a row has left, and the run ends."}, s.takeSeat)
	add(s, tool{name: "observe", title: "See the situation of your agent", spends: true,
		about: "Wait for the next turn of the agent that you play, and see its situation."}, s.observe)
	add(s, tool{name: "act", title: "Make a move", spends: true,
		about: "Make the move of the agent that you play, and wait for its next turn."}, s.act)
	add(s, tool{name: "leave_seat", title: "Leave your agent", spends: true,
		about: "End the run in which you play an agent."}, s.leaveSeat)
}

// played is how a run that was started here stands.
type played struct {
	Run      string `json:"run"`
	Status   string `json:"status"`
	Tick     int64  `json:"tick"`
	Ticks    int64  `json:"ticks"`
	Score    *int64 `json:"score,omitempty"`
	Problem  *Text  `json:"problem,omitempty"`
	CostLeft left   `json:"allowance"`
}

type startArguments struct {
	Scenario string `json:"scenario" jsonschema:"name of a built-in scenario, such as minimal"`
	Ticks    int64  `json:"ticks,omitempty" jsonschema:"how many ticks to play, by default those of the scenario's task"`
	Seed     uint64 `json:"seed,omitempty" jsonschema:"seed of the world, by default the scenario's"`
	Cost     string `json:"cap_cost,omitempty" jsonschema:"what this run may cost, by default all that is left"`
	Wait     int    `json:"wait_s,omitempty" jsonschema:"seconds to wait for its end, 20 by default and up to 50"`
}

func (s *Server) startRun(ctx context.Context, in startArguments) (any, error) {
	wait, err := waiting(in.Wait)
	if err != nil {
		return nil, err
	}
	g, err := s.spender.start(in, nil)
	if err != nil {
		return nil, err
	}
	g.ended(ctx, wait)
	return s.spender.standing(g), nil
}

// waiting is how long a call waits.
func waiting(seconds int) (time.Duration, error) {
	n, err := bounded("wait_s", seconds, int(waitDefault/time.Second), 1, int(waitMax/time.Second))
	return time.Duration(n) * time.Second, err
}

// money reads a sum, 0 for none.
func money(text string) (price.Money, error) {
	if text == "" {
		return 0, nil
	}
	m, err := price.ParseMoney(text)
	if err != nil {
		return 0, refuse("cap_cost is no sum; allowed: a number such as 0.50")
	}
	return m, nil
}

// runID names a run that is started here.
func runID(scenario string, now time.Time) string {
	random := make([]byte, 3)
	_, _ = rand.Read(random) // never fails
	return now.UTC().Format("20060102T150405Z") + "-" + scenario + "-" + hex.EncodeToString(random)
}

// place is the directory of a run.
func (s *spender) place(id string) string { return filepath.Join(s.dir, id) }

type askArguments struct {
	Run      string `json:"run" jsonschema:"id of the run"`
	Agent    string `json:"agent" jsonschema:"id of the agent"`
	Question string `json:"question" jsonschema:"what to ask"`
	Tick     int64  `json:"tick,omitempty" jsonschema:"last tick that the agent knows of, by default the last whole one"`
	Cost     string `json:"cap_cost,omitempty" jsonschema:"what the answer may cost, by default all that is left"`
}

// answered is an answer.
type answered struct {
	AgentID string           `json:"agent_id"`
	Tick    int64            `json:"tick"`
	Answer  string           `json:"answer"`
	Failure trace.WaitReason `json:"failure,omitempty"`
	Cited   []trace.Citation `json:"cited"`
	Cost    string           `json:"cost"`
	Left    left             `json:"allowance"`
}

func (s *Server) askAgent(ctx context.Context, in askArguments) (any, error) {
	dir, err := s.catalog.Run(in.Run)
	if err != nil {
		return nil, err
	}
	wanted, err := money(in.Cost)
	if err != nil {
		return nil, err
	}
	l := &s.spender.ledger
	if err := s.spender.enter(); err != nil {
		return nil, err
	}
	defer s.spender.exit()
	var g *grant // nil for what was answered before
	// An answer is paid for even if its client has gone.
	r, cost, err := l.of.Ask(context.WithoutCancel(ctx),
		Question{Dir: dir, Run: in.Run, Agent: in.Agent, Tick: in.Tick, Text: in.Question},
		func() (price.Money, error) {
			taken, err := l.take(wanted, l.of.Cost > 0)
			if err != nil {
				return 0, err
			}
			g = taken
			return g.most, nil
		})
	switch {
	case g == nil:
	case err != nil && cost == 0:
		g.undo()
	default:
		g.end(cost)
	}
	if err != nil {
		return nil, err
	}
	return answered{AgentID: r.AgentID, Tick: r.Tick, Answer: r.Text, Failure: r.Failure, Cited: r.Cited,
		Cost: cost.String(), Left: l.left()}, nil
}
