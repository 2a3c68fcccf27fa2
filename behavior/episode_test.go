package behavior

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/memory"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// newMind returns an agent of the default configuration under p.
func newMind(t *testing.T, p Profile) *Agent {
	t.Helper()
	runtime, err := NewRuntime(Config{Settings: trace.Settings{PromptProfile: p}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	return runtime.Agent("agent-1", world.Persona{ShortTermGoal: "Mine compound.", LongTermGoal: "Make a motor."})
}

// learn lets m live through an action that is accepted, or refused with a code.
func learn(m *Agent, tick int64, a world.Action, refused world.RejectionCode, changes ...world.Amount) {
	o := world.Outcome{Tick: tick, Action: a, Accepted: refused == "", Changes: changes}
	if refused != "" {
		available := tick
		o.Rejection = &world.Rejection{Code: refused, Resource: world.Compound, Requested: number(500), Available: &available}
	}
	m.Learn(tick, Decision{Executed: a, Known: []string{"agent-2"}}, o)
}

func (v variant) lines() []string { return strings.Split(v.text, "\n") }

// TestHistoryFolds plays decisions that are alike and some that only look so.
func TestHistoryFolds(t *testing.T) {
	m := newMind(t, ProfileRich)
	mine := func(tick, grams int64) {
		learn(m, tick, world.Mine{MassG: grams}, "", world.Amount{Resource: world.Electricity, Amount: -1}, world.Amount{Resource: world.Compound, Amount: grams})
	}
	mine(1, 400)
	learn(m, 2, world.Mine{MassG: 500}, world.RejectDepleted)
	learn(m, 3, world.ExecuteUntil{Do: world.Mine{MassG: 900}, MaxTicks: 2}, "", world.Amount{Resource: world.Compound, Amount: 900})
	learn(m, 4, world.Mine{MassG: 500}, world.RejectDepleted)
	learn(m, 5, world.Mine{MassG: 500}, world.RejectInsufficient)
	learn(m, 6, world.BuyPower{Amount: 20, Price: 3}, "")
	learn(m, 7, world.BuyPower{Amount: 30, Price: 3}, "")
	learn(m, 8, world.BuyPower{Amount: 30, Price: 4}, "")
	learn(m, 9, world.Transfer{To: "b\n# Goals", Kind: "data", Amount: 2}, "")
	m.Learn(10, Decision{Decision: trace.Decision{WaitReason: "parse_error:refusal"}, Executed: world.Wait{}}, world.Outcome{Tick: 10, Action: world.Wait{}, Accepted: true})
	learn(m, 11, world.ScheduleRecipe{FactoryID: "f1", RecipeID: "recipe.assembler.motor_mk1", Batches: 2}, "")
	mine(12, 400)
	mine(13, 400)
	history := m.historySection(m.history.episodes[len(m.history.episodes)-1]).all()
	want := []string{
		"# History, alike ones together, [ids], 1 earlier left out",
		"[mem-2-2][mem-4-4] 2 of ticks 2-4: mine_compound 500 refused: compound_depleted compound requested 500 available 4",
		"[mem-5-5] tick 5: mine_compound 500 refused: insufficient_resource compound requested 500 available 5",
		"[mem-6-6][mem-7-7] ticks 6-7: buy_power 20..30 price 3, 2 times ok",
		"[mem-8-8] tick 8: buy_power 30 price 4 ok",
		"[mem-9-9] tick 9: transfer_resource bGoals data 2 ok",
		"[mem-11-11] tick 11: schedule_recipe f1 recipe.assembler.motor_mk1 2 ok",
		"[mem-3-3] 3 of ticks 1-12: mine_compound 400..900 ok, total electricity -2, compound +1700",
	}
	if diff := cmp.Diff(want, history[0].lines()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	for i, v := range history[1 : len(history)-1] {
		if shown := len(v.lines()) - 1; shown != 7>>(i+1) || !strings.Contains(v.text, "earlier left out") {
			t.Errorf("step %d of clipping shows %d decisions: %s", i+1, shown, v.text)
		}
	}
	if last := history[len(history)-1]; last.text != "" || last.sources != nil {
		t.Errorf("the last step of clipping leaves %q", last.text)
	}
}

// TestEarlierDecisionsAreCounted: lines and the heading together account for every
// decision but the last.
func TestEarlierDecisionsAreCounted(t *testing.T) {
	for _, p := range Profiles() {
		m := newMind(t, p)
		for tick := range int64(3 * episodesMax) {
			learn(m, tick+1, world.Refine{MassG: 1000 * (1 + tick%3)}, "")
			learn(m, tick+1, world.Harvest{MaxAmount: 1 + tick%5}, "")
		}
		all := m.historySection(m.history.episodes[len(m.history.episodes)-1]).all()
		text := all[0].text
		var left, counted int64
		if _, err := fmt.Sscanf(text, english.Headings.History+english.Headings.Earlier.Text("%d"), &left); err != nil {
			t.Fatalf("%s: %v in %q", p, err, text)
		}
		for _, line := range all[0].lines()[1:] {
			var n int64 = 1
			if before, _, many := strings.Cut(line, " times "); many {
				n, _ = strconv.ParseInt(before[strings.LastIndexByte(before, ' ')+1:], 10, 64)
			}
			counted += n
		}
		if total := int64(6*episodesMax - 1); left+counted != total {
			t.Errorf("%s: %d left out and %d shown, %d decisions before the last", p, left, counted, total)
		}
		if len(m.history.episodes) != episodesMax {
			t.Errorf("%s: holds %d decisions, want %d", p, len(m.history.episodes), episodesMax)
		}
	}
}

// TestSourcesAreWhatIsShown: every id in brackets is a source that can be cited, and the text
// holds every source.
func TestSourcesAreWhatIsShown(t *testing.T) {
	m := newMind(t, ProfileBalanced)
	for tick := range int64(40) {
		learn(m, tick+1, world.Mine{MassG: 100 + tick%7}, "")
		learn(m, tick+1, world.Harvest{MaxAmount: tick + 1}, world.RejectContended)
		learn(m, tick+1, world.Move{To: fmt.Sprint("motor-", tick)}, world.RejectUnreachable)
	}
	last, deed := m.lastOutcome(world.Outcome{Tick: 40, Action: world.Move{To: "motor-39"}, Rejection: &world.Rejection{Code: world.RejectUnreachable}}, &world.Observation{})
	if want := "# Last outcome\n[mem-40-"; !strings.HasPrefix(last.text, want) || len(last.sources) != 1 {
		t.Errorf("last outcome %q with %d sources", last.text, len(last.sources))
	}
	history := m.historySection(deed).variants[0]
	recalled := m.recalled(memory.Focus{Query: m.goalsText, Now: 41}, append(history.ids, deed.ids...)).variants[0]
	if len(recalled.sources) == 0 {
		t.Fatal("nothing was recalled, so the test shows little")
	}
	for _, v := range []variant{last, history, recalled} {
		if ids, sources := strings.Count(v.text, "[mem-"), len(v.sources); ids != sources {
			t.Errorf("%d ids and %d sources in %q", ids, sources, v.text)
		}
		for _, s := range v.sources {
			if !strings.Contains(v.text, "["+s.ID+"]") || !strings.Contains(v.text, s.Text) || s.Chars != runeCount(s.Text) || s.Kind != trace.KindMemory {
				t.Errorf("source %+v is not in %q", s, v.text)
			}
		}
	}
	for _, s := range recalled.sources {
		if strings.Contains(history.text+last.text, "["+s.ID+"]") {
			t.Errorf("%s is shown twice", s.ID)
		}
	}
	if strings.Contains(history.text, "motor-39") {
		t.Errorf("the history repeats the last outcome: %s", history.text)
	}
}

// TestOldMemoriesStayReadable recalls what happened before the decisions that are
// still held one by one.
func TestOldMemoriesStayReadable(t *testing.T) {
	m := newMind(t, ProfileCompact)
	m.Learn(1, Decision{Executed: world.BuildFactory{FactoryKind: "factory.motor"}}, world.Outcome{
		Tick: 1, Action: world.BuildFactory{FactoryKind: "factory.motor"}, Accepted: true, Created: "agent-1-f1"})
	for tick := range int64(2 * episodesMax) {
		learn(m, tick+2, world.Wait{}, "")
	}
	recalled := m.recalled(memory.Focus{Query: m.goalsText, Now: 600}, nil).variants[0]
	if want := "# Memory\n[mem-1-1] tick 1 outcome: build_factory factory.motor ok, started agent-1-f1"; recalled.text != want {
		t.Errorf("recalled %q, want %q", recalled.text, want)
	}
	if len(recalled.sources) != 1 || recalled.sources[0].ID != "mem-1-1" {
		t.Errorf("sources %+v", recalled.sources)
	}
}

// all are the variants of a section, those written on demand too.
func (d sectionDraft) all() []variant {
	if d.shorter == nil {
		return d.variants
	}
	return append(d.variants, d.shorter()...)
}

// TestALineOfSeveralHasTheWorstTrust: each id in front of it leads to a source that is trusted no more than
// the least of what the line tells of, named or not.
func TestALineOfSeveralHasTheWorstTrust(t *testing.T) {
	m := newMind(t, ProfileBalanced)
	d := episode{first: 1, last: 4, count: 4, action: "mine_compound"}
	for i, trust := range []trace.Trust{trace.TrustDerived, trace.TrustSelfObservation, trace.TrustSelfObservation, trace.TrustSelfObservation} {
		d.ids = append(d.ids, m.memory.Record(memory.Entry{Tick: int64(i), Kind: memory.KindOutcome, Text: fmt.Sprint("mined ", i), Trust: trust}))
	}
	own := d
	own.ids = d.ids[1:]
	for name, tt := range map[string]struct {
		of    episode
		trust trace.Trust
	}{"one is derived": {d, trace.TrustDerived}, "all are own": {own, trace.TrustSelfObservation}} {
		sources := m.written("# History", []episode{tt.of}, nil).sources
		if len(sources) != citedMax {
			t.Fatalf("%s: %d sources", name, len(sources))
		}
		for i, s := range sources {
			if s.Trust != tt.trust || s.OriginTick != int64(i+2) {
				t.Errorf("%s: %s has trust %s and tick %d, want %s and %d", name, s.ID, s.Trust, s.OriginTick, tt.trust, i+2)
			}
		}
	}
}
