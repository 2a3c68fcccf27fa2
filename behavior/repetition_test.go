package behavior

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
	"example.com/agentworld/world/scenario"
)

// choiceNamed is a decision by one letter: w and W wait, o waits by an order, x is a
// turn without an answer, a full stop a tick of a standing order; any other letter
// is an action of its own, refused by the world when it is a capital, by the guard
// after a minus.
func choiceNamed(name string) (d Decision, accepted bool) {
	letter := name[len(name)-1]
	d, accepted = Decision{Decision: trace.Decision{DecidedBy: trace.ByModel}}, true
	switch letter {
	case 'w':
		d.Proposed = world.Wait{}
	case 'W':
		d.Proposed = world.WaitTicks{Ticks: 7}
	case 'o':
		d.Proposed = world.ExecuteUntil{Do: world.Wait{}, Until: []world.Condition{{Event: world.StopJobDone}}, MaxTicks: 6}
	case 'x':
		return Decision{Decision: trace.Decision{DecidedBy: trace.ByEngine, WaitReason: "llm_error:timeout"}, Executed: world.Wait{}}, true
	case '.':
		return Decision{Decision: trace.Decision{DecidedBy: trace.ByStanding}, Proposed: world.Mine{MassG: 1}, Executed: world.Mine{MassG: 1}}, true
	default:
		d.Proposed = world.Mine{MassG: int64(letter | 0x20)}
		accepted = letter >= 'a'
	}
	d.Executed = d.Proposed
	if name[0] == '-' {
		d.DecidedBy, d.Executed, d.WaitReason, accepted = trace.ByEngine, world.Wait{}, trace.WaitGuardRejected, true
	}
	return d, accepted
}

// advised lists the advice that is due after each choice of a life, in words.
func advised(life string, after int) []string {
	var r repetition
	var told []string
	for i, name := range strings.Fields(life) {
		d, accepted := choiceNamed(name)
		r.learn(d, accepted, after)
		if a := r.advice; a != nil {
			told = append(told, fmt.Sprintf("%d: %s %d, %d refused", i+1, a.Kind, a.Times, a.Refused))
		}
	}
	return told
}

func TestRepetition(t *testing.T) {
	for _, c := range []struct {
		what, life string
		after      int
		want       []string
	}{
		{"at the threshold and each doubling", strings.Repeat("a ", 17), 4,
			[]string{"4: same_action 4, 0 refused", "8: same_action 8, 0 refused", "16: same_action 16, 0 refused"}},
		{"another action restarts the count", "a a a b a a a b b b b", 4, []string{"11: same_action 4, 0 refused"}},
		{"refusals by world and guard count", "A a -a A", 4, []string{"4: same_action 4, 3 refused"}},
		{"refusals of other actions do not", "B A a a a", 4, []string{"5: same_action 4, 1 refused"}},
		{"waits of all lengths", "w W w W", 4, []string{"4: waiting 4, 0 refused"}},
		{"an order of waits is an order", "w W w o w W w", 4, nil},
		{"equal waits are waiting", "w w w w w", 4, []string{"4: waiting 4, 0 refused"}},
		{"two in turn, three rounds", "a b a b a b a b", 4, []string{"6: cycle_of_two 3, 0 refused"}},
		{"a cycle with a wait and a refusal", "w A w a w A", 4, []string{"6: cycle_of_two 3, 0 refused"}},
		{"three in turn, three rounds and six", strings.Repeat("a b w ", 6), 4,
			[]string{"9: cycle_of_three 3, 0 refused", "18: cycle_of_three 6, 0 refused"}},
		{"a broken round restarts the count", "a b a b a c a b a b a b", 4, []string{"12: cycle_of_two 3, 0 refused"}},
		{"four in turn are no circle", strings.Repeat("a b c d ", 9), 4, nil},
		{"a higher threshold", strings.Repeat("a ", 9) + strings.Repeat("b c ", 7), 8,
			[]string{"8: same_action 8, 0 refused", "23: cycle_of_two 7, 0 refused"}},
		{"twice is the least", "a a b a b", 1, []string{"2: same_action 2, 0 refused", "5: cycle_of_two 2, 0 refused"}},
		{"off", strings.Repeat("a ", 20), 0, nil},
		{"ticks of an order are no decisions", "a . . . . . a . . . . .", 2,
			[]string{"7: same_action 2, 0 refused", "8: same_action 2, 0 refused", "9: same_action 2, 0 refused",
				"10: same_action 2, 0 refused", "11: same_action 2, 0 refused", "12: same_action 2, 0 refused"}},
		{"a turn without an answer neither counts nor ends anything", "a x a x x a a x", 4,
			[]string{"7: same_action 4, 0 refused", "8: same_action 4, 0 refused"}},
	} {
		if diff := cmp.Diff(c.want, advised(c.life, c.after)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
}

// TestRepetitionAgreesWithNaiveTwin compares the running counts with a look at the
// whole life after every decision.
func TestRepetitionAgreesWithNaiveTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.IntRange(1, 6).Draw(t, "after")
		var r repetition
		var life []string
		// Runs and cycles, of different lengths, one after the other.
		for range rapid.IntRange(1, 5).Draw(t, "stretches") {
			cycle := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "A", "w", "W"}), 1, 4).Draw(t, "cycle")
			for i := range rapid.IntRange(1, 30).Draw(t, "length") {
				name := cycle[i%len(cycle)]
				life = append(life, name)
				d, accepted := choiceNamed(name)
				r.learn(d, accepted, after)
				if diff := cmp.Diff(naiveAdvice(life, after), r.advice); diff != "" {
					t.Fatalf("after %v (-naive +got):\n%s", life, diff)
				}
			}
		}
	})
}

// naiveAdvice counts back from the end of a life, for one kind after the other.
func naiveAdvice(life []string, after int) *advice {
	after = max(after, 2)
	// A capital is the same action refused, except in waits.
	action := func(i int) string { return strings.ReplaceAll(life[i], "A", "a") }
	last := len(life) - 1
	length := func(goes func(i int) bool) int {
		n := 0
		for i := last; i >= 0 && goes(i); i-- {
			n++
		}
		return n
	}
	inCycle := func(period int) int {
		return length(func(i int) bool { return i > last-period || action(i) == action(i+period) })
	}
	waits := length(func(i int) bool { return strings.EqualFold(life[i], "w") })
	if waits >= after {
		return naiveDue(advice{RepeatWaiting, waits, 0}, after, 1, waits)
	}
	if n := inCycle(1); n >= after {
		refused := 0
		for _, name := range life[len(life)-n:] {
			if name == "A" {
				refused++
			}
		}
		return naiveDue(advice{RepeatSame, n, refused}, after, 1, n)
	}
	rounds := max(after-1, 2)
	for period := 2; period <= 3; period++ {
		if n := inCycle(period); n/period >= rounds {
			return naiveDue(advice{[]RepetitionKind{2: RepeatTwo, 3: RepeatThree}[period], n / period, 0}, rounds, period, n)
		}
	}
	return nil
}

// naiveDue keeps advice on whole rounds whose number is a threshold doubled.
func naiveDue(a advice, threshold, period, length int) *advice {
	if length%period != 0 {
		return nil
	}
	for n := threshold; n <= a.Times; n *= 2 {
		if n == a.Times {
			return &a
		}
	}
	return nil
}

// TestAdviceIsSaidNotedAndDropped follows one line of advice through the turns of an agent. The
// prompt shows it once, with a note, and it changes nothing else.
func TestAdviceIsSaidNotedAndDropped(t *testing.T) {
	runtime, err := NewRuntime(Config{Settings: trace.Settings{RepeatAdviceAfter: 2}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	s, _, _ := scenario.Embedded("minimal")
	w, err := world.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	w.Advance()
	mind := runtime.Agent(w.AgentID(0), w.Persona(0))
	look := func() (section string, notes []trace.Step) {
		turn := mind.Begin(w.View(0))
		ask := turn.Next().(Ask)
		for _, it := range ask.Request.Input {
			if _, rest, ok := strings.Cut(it.Text, english.Headings.Advice); ok {
				section = english.Headings.Advice + rest
			}
		}
		if listed := slices.ContainsFunc(ask.Sections, func(s trace.Section) bool { return s.Name == sectionAdvice && !s.Clipped }); listed != (section != "") {
			t.Errorf("sections %+v, advice %q", ask.Sections, section)
		}
		return section, turn.Steps()
	}
	learn := func(name string) {
		d, accepted := choiceNamed(name)
		mind.Learn(1, d, world.Outcome{Tick: 1, Action: d.Executed, Accepted: accepted, Rejection: &world.Rejection{Code: world.RejectDepleted}})
	}
	learn("A")
	if section, notes := look(); section != "" || len(notes) > 0 {
		t.Errorf("after one action the prompt says %q, notes are %v", section, notes)
	}
	learn("A")
	section, notes := look()
	if want := english.Headings.Advice + "\nYou decided the same action 2 times in a row, 2 of them refused."; !strings.HasPrefix(section, want) {
		t.Errorf("the prompt says %q, want %q", section, want)
	}
	want := []trace.Step{{Tick: 1, AgentID: "agent-1", Kind: trace.StepAdvice, Status: trace.StatusOK, Name: "same_action", Detail: llmclient.Marshal(advice{RepeatSame, 2, 2})}}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if learn("b"); mind.repetition.advice != nil {
		t.Error("advice stays after the agent did something else")
	}
	if section, _ := look(); section != "" {
		t.Errorf("the next prompt still says %q", section)
	}
}

// TestAdviceIsShortAndOnOneLine holds for every kind; a new kind needs its wording.
func TestAdviceIsShortAndOnOneLine(t *testing.T) {
	for _, kind := range []RepetitionKind{RepeatWaiting, RepeatSame, RepeatTwo, RepeatThree} {
		text := (&advice{kind, 1 << 20, 1 << 20}).text(english)
		if body := strings.TrimPrefix(text, english.Headings.Advice+"\n"); len(body) > 200 || strings.ContainsAny(body, "\n%") {
			t.Errorf("%s: %d characters: %s", kind, len(body), body)
		}
	}
}
