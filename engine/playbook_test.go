package engine_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
)

// seedBook is a playbook whose bullets fit what agents of llm_bootstrap are after.
const seedBook = `format = 2
version = 1
last = 3
bullet = [
  {id = 'nav-00001', helpful = 2, harmful = 0, content = "Mine compound where the agent stands before moving on."},
  {id = 'res-00002', helpful = 0, harmful = 1, neutral = 0, content = "Refine compound into hardware to build an assembler."},
  {id = 'res-00003', helpful = 4, harmful = 0, neutral = 0, content = "Harvest radiation while power is low."},
]
`

// withLessons is a run whose agents start with the playbook.
func withLessons(t *testing.T, ticks int64) engine.Options {
	o := options(t, "llm_bootstrap", ticks)
	o.Playbook, o.PlaybookBullets, o.FreezePlaybook = seedBook, 2, true
	return o
}

// decisionsOf lists the decisions by models.
func decisionsOf(t *testing.T, dir string) (list []trace.Decision) {
	t.Helper()
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, dir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := record.(trace.Decision); ok && d.DecidedBy == trace.ByModel {
			list = append(list, d)
		}
	}
	return list
}

// TestLessonsAreRecordedAndReplayed: the header holds the playbook byte for byte,
// decisions record which bullets they had in view, with scores and trust, and a
// replay needs nothing but the trace.
func TestLessonsAreRecordedAndReplayed(t *testing.T) {
	o := withLessons(t, 6)
	run(t, o)
	h, err := rundir.Dir(o.RunDir).Header()
	if err != nil {
		t.Fatal(err)
	}
	if h.Settings.Playbook != seedBook || h.Settings.PlaybookBullets != 2 || !h.Settings.FreezePlaybook || h.Settings.LearnEvery != 0 {
		t.Errorf("the header has %+v and the playbook %q", h.Settings, h.Settings.Playbook)
	}
	offered := map[string]int{}
	for _, d := range decisionsOf(t, o.RunDir) {
		bullets := 0
		for _, s := range d.SourcesRetrieved {
			if s.Kind != trace.KindBullet {
				continue
			}
			bullets++
			offered[s.ID]++
			if s.Score <= 0 || s.Trust != trace.TrustSelfObservation || s.Chars == 0 {
				t.Errorf("tick %d: source %+v", d.Tick, s)
			}
		}
		if bullets > 2 {
			t.Errorf("tick %d, %s: %d bullets, at most 2 are allowed", d.Tick, d.AgentID, bullets)
		}
	}
	if offered["res-00002"] == 0 {
		t.Errorf("bullets offered: %v", offered)
	}
	result, err := engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
	if err != nil || !result.Equal {
		t.Errorf("replay: %+v, %v", result, err)
	}
}

// TestRetrievalOff: a playbook that is not retrieved changes nothing but the header.
func TestRetrievalOff(t *testing.T) {
	with, without := withLessons(t, 4), options(t, "llm_bootstrap", 4)
	with.PlaybookBullets, without.BaseURL, without.Source = 0, with.BaseURL, with.Source
	run(t, with)
	run(t, without)
	_, a, _ := strings.Cut(string(canonical(t, with.RunDir)), "\n")
	_, b, _ := strings.Cut(string(canonical(t, without.RunDir)), "\n")
	if a != b {
		t.Error("a playbook changes the run although retrieval is off")
	}
}
