package behavior

import (
	"fmt"
	"strings"
	"testing"

	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// These tests read a prompt, or the answer to a call, as a player would who sees nothing else.

// opens is what agent-1 reads when it is next due.
func (b bench) opens() string {
	b.Helper()
	b.comesTo()
	ask := b.m.Begin(b.w.View(0)).Next().(Ask)
	return fmt.Sprint(ask.Request.Input)
}

// TestNeedOfOthersIsSeen: who stands beside an agent that is short of power sees that it is.
func TestNeedOfOthersIsSeen(t *testing.T) {
	for language, want := range map[string]string{"en": "here agent-2 power low", "zh": "在此 agent-2 电力 不足"} {
		b := newBench(t, trace.Settings{Language: language})
		if strings.Contains(b.opens(), strings.TrimSuffix(want, "here")) {
			t.Errorf("%s: it is told before", language)
		}
		b.does(world.PlaceOrder{Side: "sell", Amount: 80, Price: 200})
		if text := b.opens(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// TestAJourneyWithoutChargeIsMarked: a place that the agent would reach shut down is not listed as the others.
func TestAJourneyWithoutChargeIsMarked(t *testing.T) {
	b := newBench(t, trace.Settings{})
	const mark = "you arrive shut down"
	if text := b.opens(); strings.Contains(text, mark) {
		t.Errorf("it has charge enough for each journey that it can pay:\n%s", text)
	}
	b.w.Apply([]world.Intent{{Agent: 0, Action: world.PlaceOrder{Side: "sell", Amount: 40, Price: 200}}})
	b.w.Advance()
	b.does(world.Offer{To: world.ToAnyone, Give: world.Hardware, GiveAmount: 1, Want: world.Data, WantAmount: 1, Ticks: 30})
	b.w.Apply([]world.Intent{{Agent: 0, Action: world.WaitTicks{Ticks: 6}}})
	for range 6 {
		b.w.Advance()
	}
	if text := b.opens(); !strings.Contains(text, "base-b 40 4 ? ?, "+mark) {
		t.Errorf("it is not marked:\n%s", text)
	}
}

// TestAnOfferOutOfReachIsMarked: an offer at a place that the agent cannot reach in time, or only without
// charge, is not listed as the others.
func TestAnOfferOutOfReachIsMarked(t *testing.T) {
	offer := world.Terms{ID: "offer-1", Give: "data", Want: "hardware", From: "agent-2", To: "agent-1", Place: "far", ExpiresIn: 9}
	for _, c := range []struct {
		charge, cost, ticks int64
		place               string
		reached             bool
	}{
		{100, 40, 4, "far", true}, {40, 40, 4, "far", false}, {44, 40, 4, "far", false}, {39, 40, 4, "far", false},
		{100, 40, 9, "far", false}, {100, 40, 4, "elsewhere", false},
	} {
		var seen visibleObservation
		seen.Self = world.Self{Place: "here", Electricity: c.charge}
		seen.Places = []world.Sight{{ID: c.place, MoveCost: c.cost, MoveTicks: c.ticks}}
		seen.idleDraw = 1
		s := observationWriter{visibleObservation: &seen, words: wordsOf(nil)}
		s.entry(&offer, false)
		if marked := strings.Contains(string(s.out), ", out of reach"); marked == c.reached {
			t.Errorf("%+v: %s", c, s.out)
		}
	}
}

// TestAPriceHasBounds: a price that no trade can have is refused with its bounds when it is drafted, in a
// later step too.
func TestAPriceHasBounds(t *testing.T) {
	b := newBench(t, trace.Settings{ChainSteps: 3})
	for _, price := range []string{"null", "0"} {
		buy := `{"action":"place_power_order","what":"buy","amount":10,"price":` + price + `,"then":null}`
		for _, candidate := range []string{buy, `{"action":"wait","then":[` + buy + `]}`} {
			turn := b.m.Begin(b.w.View(0))
			told, _ := answers(t, turn, "decision_draft", `{"candidates":[`+candidate+`]}`)
			if next := fmt.Sprint(turn.draft.faults); !strings.Contains(told, "200") || !strings.Contains(next, "1..200") &&
				!strings.Contains(next, "1-200") {
				t.Errorf("%s: %s, and then %s", candidate, told, next)
			}
		}
	}
}
