package ahead

import "testing"

// TestARecordIsTheAgentsOwn: predictions that fail end the trust in that certainty of that agent, and it
// gets another chance after some ticks.
func TestARecordIsTheAgentsOwn(t *testing.T) {
	p := &Planner{records: make([]record, 2)}
	for range 5 {
		p.records[0].note(settledAsSeen, false)
	}
	if c := p.records[0].chance(settledAsSeen); c >= chanceMin {
		t.Errorf("after five failures the chance is %d", c)
	}
	for n, c := range []certainty{settledInSight, settledAsSeen} {
		if got := p.records[n].chance(c); got < chanceMin {
			t.Errorf("agent %d, certainty %d: the chance is %d though nothing of the kind failed", n, c, got)
		}
	}
	for range 40 {
		p.settle(0)
	}
	if c := p.records[0].chance(settledAsSeen); c < chanceMin {
		t.Errorf("forty ticks later the chance is still %d", c)
	}
}
