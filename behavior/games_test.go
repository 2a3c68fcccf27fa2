package behavior

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/behavior/policy"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// randomModel answers at random what a model may answer, in the words of a protocol.
type randomModel struct {
	*rand.Rand
	lean  bool
	place string
}

func (r randomModel) one(of ...string) string { return of[r.IntN(len(of))] }

func (r randomModel) action() string {
	return r.one(`{"action":"harvest_radiation","amount":5}`, `{"action":"harvest_radiation","amount":null}`, `{"action":"harvest_radiation","amount":5,"max_ticks":4}`,
		`{"action":"wait"}`, `{"action":"wait","max_ticks":3}`, `{"action":"wait_ticks","amount":2}`, `{"action":"mine_compound","amount":100}`, `{"action":"refine_compound","amount":100}`,
		`{"action":"move_agent","to":"`+r.place+`"}`, `{"action":"move_agent","to":"`+r.place+`","max_ticks":3}`, `{"action":"post_note","text":"n"}`, `{"action":"nonsense"}`,
		`{"action":"send_message","to":"agent-2","text":null}`, `{"action":"send_message","to":"agent-2","text":"hi"}`, `{"action":"request","to":"agent-2","what":"data","amount":1,"for_ticks":null}`,
		`{"action":"transfer_resource","to":"agent-2","what":"hardware","amount":1}`, `{"action":"transfer_resource","to":"agent-2","what":"data","amount":null}`,
		`{"action":"transfer_resource","to":"agent-9","what":"data","amount":1}`)
}

func (r randomModel) actions(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = r.action()
	}
	return strings.Join(list, ",")
}

func (r randomModel) answer() string {
	plan := `plan {"goal":"g","steps":[` + r.one("", "", "", `{"kind":"reason"}`, `{"kind":"call"}`, `{"kind":"skip"}`, `{"kind":"call"},{"kind":"reason"}`) + `],"actions":[` + r.actions(r.IntN(4)) + `]}`
	draft := `decision_draft {"candidates":[` + r.actions(1+r.IntN(2)) + `]}`
	decision := r.one(`decision {"candidate":1}`, `decision {"candidate":2}`, `decision {"action":`+r.action()+`}`,
		`decision {"candidate":1,"execute_until":{"until":[{"event":"job_done","value":null}],"max_ticks":3,"ignore":["message_received"]},"why":"","sources_used":[]}`)
	if r.lean {
		draft = `turn {"plan":{"goal":"g"},"candidates":[` + r.actions(r.IntN(3)) + `]` + r.one("", `,"decision":{"candidate":1}`, `,"decision":{"candidate":1}`, `,"decision":{"candidate":2}`, `,"candidate":1`) + `}`
		decision = draft
	}
	return r.one(plan, plan, plan, draft, draft, decision, decision, draft+"\n"+decision, plan+"\n"+draft, decision+"\n"+`decision {"action":`+r.action()+`}`,
		someProse, someProse, timedOut, `environment_current_observation {"section":"inbox"}`)
}

// watched is a game of agent-1 beside agent-2, which writes in each tick, and in some games asks and
// offers. faults are what went wrong, by kind.
type watched struct {
	bench
	answers      []string
	lost, rounds []int64
	faults       []string
}

func (g *watched) fault(format string, args ...any) {
	g.faults = append(g.faults, fmt.Sprintf("tick %d: ", g.w.Tick())+fmt.Sprintf(format, args...))
}

// counts adds a tick to a list, and returns how many of the last fifty are in it.
func counts(ticks *[]int64, now int64) (n int64) {
	*ticks = append(*ticks, now)
	for _, tick := range *ticks {
		if tick > now-policy.DeviationWindow {
			n++
		}
	}
	return n
}

// secret is in every text of agent-2, and in no answer.
const secret = "swordfish"

// decision plays a turn, and once more as it would be without any text or terms of others.
func (g *watched) decision() Decision {
	turn := g.m.Begin(g.w.View(0))
	var sent strings.Builder
	d := g.plays(turn, g.answers, func(ask Ask) {
		text := fmt.Sprint(ask.Request.Input)
		sent.WriteString(text)
		if len(turn.plan.actions) == 0 && !turn.plan.made && strings.Contains(text, secret) {
			g.fault("a text is shown before anything is planned, in request %d", ask.Number)
		}
	})
	blind := g.m.Begin(g.w.View(0))
	o := &blind.exposure.opening
	o.withheld, o.fresh, o.shown, o.untrusted = texts{}, 0, nil, false
	o.seen.Requests, o.seen.Offers, o.seen.Here.Offers, o.seen.Inbox = nil, nil, nil, nil
	if g.m.cfg.Protocol == ProtocolLean {
		blind.protocol.stage = trace.StageLean
	}
	twin := g.plays(blind, g.answers, func(Ask) {})

	under, now := 0, g.w.Tick()
	if turn.exposure.taintedAt > 0 {
		under = turn.conversation.asks - turn.exposure.taintedAt + 1
	}
	switch further := under - requestsUnderTexts - turn.plan.requests; {
	case further > 1:
		g.fault("%d requests under texts, with %d steps", under, turn.plan.requests)
	case further == 1 && counts(&g.rounds, now) > policy.RoundsMax:
		g.fault("a further round in too many ticks")
	}
	if by := d.Authority; givesAway(d.Executed) && turn.exposure.tainted() && (by == nil || by.By != trace.AuthorityPlan && by.By != trace.AuthorityRule) {
		g.fault("%s by %+v", world.EncodeAction(d.Executed), by)
	}
	for _, s := range d.SourcesRetrieved {
		if s.Kind == trace.KindMessage && !strings.Contains(sent.String(), s.ID) {
			g.fault("%s counts as retrieved, and was never sent", s.ID)
		}
	}
	waits := func(d Decision) bool { _, is := d.Executed.(world.Wait); return is }
	chosen := d.DecidedBy == trace.ByModel && d.FailedBy == "" && (!turn.exposure.tainted() || d.By == "" && d.Authority.By == trace.AuthorityPlan)
	if work := turn.possibleWork(); waits(d) && !waits(twin) && !chosen && work != "" && counts(&g.lost, now) > policy.DeviationsMax {
		g.fault("it waits, since %q, by %+v, though it planned %s; without texts it does %s", d.FailedBy+d.WaitReason, d.Authority, work, world.EncodeAction(twin.Executed))
	}
	return d
}

func givesAway(a world.Action) bool {
	switch repeated(a).(type) {
	case world.Transfer, world.Offer, world.AcceptOffer:
		return true
	}
	return false
}

// possibleWork is an action that the turn planned or drafted before texts, is possible and gives nothing;
// empty if there is none. What the model left open, but for an amount, is left out.
func (t *Turn) possibleWork() string {
	for _, i := range slices.Concat(t.plan.ends, t.plan.drafted) {
		do, isOpen := i.do[0], len(i.open) > 0
		if i.waits() > 0 || givesAway(do) || len(i.open) > 1 || isOpen && (i.open[0] != world.SlotAmount || len(policy.Missing(do, i.open)) > 0) {
			continue
		}
		if isOpen {
			do = policy.WithGreatestAmount(do)
		}
		if _, waits := repeated(do).(world.Wait); waits {
			continue
		}
		if a, _ := t.view.Clamp(do); t.view.Check(a).Status == world.CheckAccepted {
			return string(world.EncodeAction(a))
		}
	}
	return ""
}

// randomGame plays a model that answers every turn alike, but for one in eight, over seventy ticks.
func randomGame(t *testing.T, seed uint64) (faults []string) {
	r := randomModel{Rand: rand.New(rand.NewPCG(seed, 0))}
	var s trace.Settings
	if r.lean = r.IntN(2) == 0; r.lean {
		s.Protocol = ProtocolLean
	}
	if r.IntN(2) == 0 {
		s.Commit = trace.CommitOneStep
	}
	asks := r.IntN(3)
	var rules []world.PolicyRule
	if asks == 2 {
		rules = append(rules, mayAsk("transfer_resource", func(p *world.PolicyRule) { p.Most, p.What = 2, world.Hardware }), mayAsk("accept_offer"))
	}
	g := &watched{bench: newBench(t, s, rules...)}
	r.place = g.w.View(0).Observe().Places[0].ID
	usual := make([]string, 5)
	for i := range usual {
		usual[i] = r.answer()
	}
	for range 70 {
		tick := g.w.Tick()
		intents := []world.Intent{{Agent: 1, Action: world.SendMessage{To: "agent-1", Text: fmt.Sprint(secret, " ", tick)}}}
		switch {
		case asks == 0 || r.IntN(3) > 0:
		case r.IntN(3) > 0:
			intents[0].Action = world.Request{To: "agent-1", Resource: world.Hardware, Amount: 2, Ticks: 15}
		default:
			intents[0].Action = world.Offer{To: "agent-1", Give: world.Hardware, GiveAmount: 3, Want: world.Data, WantAmount: 2, Ticks: 9}
		}
		due := slices.Contains(g.w.Due(), 0)
		var d Decision
		if _, goesOn := g.w.View(0).Standing(); due && goesOn {
			d, _ = g.m.Continue(g.w.View(0))
		} else if due {
			if g.answers = slices.Clone(usual); r.IntN(8) == 0 {
				g.answers[r.IntN(len(usual))] = r.answer()
			}
			d = g.decision()
		}
		if due {
			intents = append([]world.Intent{{Agent: 0, Action: d.Executed, Parents: d.Parents}}, intents...)
		}
		g.w.Apply(intents)
		if o, ok := g.w.LastOutcome(0); ok && due {
			g.m.Learn(tick, d, o)
		}
		g.w.Advance()
	}
	return g.faults
}

// TestRandomGames: whatever a model answers, and whatever others write to it, texts are shown after a plan
// only, cost it three ticks and six further rounds in fifty, and bring it to give nothing away.
func TestRandomGames(t *testing.T) {
	if testing.Short() {
		t.Skip("plays many games")
	}
	games := uint64(20)
	if os.Getenv("AGENT_WORLD_LONG") != "" {
		games = 1000
	}
	for seed := range games {
		if faults := randomGame(t, seed); len(faults) > 0 {
			t.Errorf("seed %d: %d faults, first %s", seed, len(faults), faults[0])
		}
	}
}
