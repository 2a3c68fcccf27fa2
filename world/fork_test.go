package world

import (
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

// TestForksAreIndependent forks worlds in the middle of random runs and continues one of
// the two: the other must not change. Then it continues the other in the same way: events
// and digests must be the same.
func TestForksAreIndependent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		tick := func(w *World) ([]Intent, string) {
			events := w.Advance()
			intents := intentsOf(t, w)
			return intents, mustJSON([][]Event{events, w.Apply(intents)}) + w.Digest().String()
		}
		for range rapid.IntRange(0, 20).Draw(t, "ticks before") {
			tick(w)
		}
		if rapid.Bool().Draw(t, "in the middle of a tick") {
			w.Advance()
			w.Apply(intentsOf(t, w))
		}
		fork := w.Fork()
		before := w.RecomputeDigest()
		if got := fork.RecomputeDigest(); got != before {
			t.Fatalf("a fork has digest %s, its origin %s", got, before)
		}
		first, second := w, fork
		if rapid.Bool().Draw(t, "the fork goes first") {
			first, second = fork, w
		}
		type step struct {
			intents []Intent
			told    string
		}
		var steps []step
		for range rapid.IntRange(1, 12).Draw(t, "ticks after") {
			intents, told := tick(first)
			steps = append(steps, step{intents, told})
		}
		if second.Digest() != before || second.RecomputeDigest() != before {
			t.Fatalf("what happened in one world changed the other")
		}
		for i, s := range steps {
			events := second.Advance()
			if told := mustJSON([][]Event{events, second.Apply(s.intents)}) + second.Digest().String(); told != s.told {
				t.Fatalf("step %d after the fork: the second world tells\n%s\nthe first told\n%s", i, told, s.told)
			}
		}
	})
}

// heldInCommon are the fields that a fork may share with its origin, since nothing
// writes through them.
var heldInCommon = []string{
	"World.scenario", "World.law", "World.geo", "World.numbers", "pursuit.goal", "pursuit.metric",
	"known.terms", "letter.terms", "heldOffer.terms", "agent.last", "standing.order", "standing.agents", "standing.places", "standing.parents",
	"letter.parents", "Note.Parents", "site.opening", "scene.present",
}

// TestForksShareNothingThatChanges walks through a world and its fork and finds no
// memory in common but the fields above: a new field that Fork forgets fails here.
func TestForksShareNothingThatChanges(t *testing.T) {
	s := mustScenario(t, "two_bases")
	s.Terms = true
	w, err := New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	run := swarmRun{w, 1}
	dealt := func() bool {
		of := func(has func(*agent) bool) bool { return has(&w.agents[0]) || has(&w.agents[1]) }
		return len(w.offers) > 0 && of(func(a *agent) bool { return len(a.mail.sent) > 0 }) && of(func(a *agent) bool { return len(a.mail.got) > 0 })
	}
	for w.Tick() < 40 || !dealt() {
		w.Advance()
		w.Apply(run.intents())
	}
	fork := run.w.Fork()
	for _, p := range sharedMemory(reflect.ValueOf(run.w).Elem(), reflect.ValueOf(fork).Elem(), "World") {
		t.Errorf("a fork shares %s with its origin", p)
	}
	run.w.agents[0].orders = append(run.w.agents[0].orders, 7)
	broken := run.w.Fork()
	broken.agents[0].orders = run.w.agents[0].orders
	if len(sharedMemory(reflect.ValueOf(run.w).Elem(), reflect.ValueOf(broken).Elem(), "World")) != 1 {
		t.Error("a shared list is not found")
	}
}

// sharedMemory lists the paths at which two values of a type hold the same memory.
func sharedMemory(a, b reflect.Value, path string) (shared []string) {
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map, reflect.Func:
		if a.IsNil() || b.IsNil() || a.Kind() == reflect.Slice && a.Cap() == 0 {
			return nil
		}
		if a.Pointer() == b.Pointer() {
			return []string{path}
		}
		if a.Kind() == reflect.Pointer {
			return sharedMemory(a.Elem(), b.Elem(), path)
		}
		for i := range min(a.Len(), b.Len()) {
			shared = append(shared, sharedMemory(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Array:
		for i := range a.Len() {
			shared = append(shared, sharedMemory(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i))...)
		}
	case reflect.Struct:
		for i := range a.NumField() {
			name := a.Type().Name() + "." + a.Type().Field(i).Name
			if !slices.Contains(heldInCommon, name) {
				shared = append(shared, sharedMemory(a.Field(i), b.Field(i), path+"."+a.Type().Field(i).Name)...)
			}
		}
	}
	return shared
}

// TestForksRunBesideTheirOrigin is for the race detector.
func TestForksRunBesideTheirOrigin(t *testing.T) {
	w := mustWorld(t, "two_bases", 3)
	worlds := []*World{w, w.Fork(), w.Fork()}
	digests := make([]Digest, len(worlds))
	var wg sync.WaitGroup
	for i, w := range worlds {
		wg.Go(func() {
			run := swarmRun{w, 3}
			for range 30 {
				w.Advance()
				w.Apply(run.intents())
				digests[i] = w.Digest()
			}
		})
	}
	wg.Wait()
	if digests[1] != digests[0] || digests[2] != digests[0] {
		t.Errorf("worlds that went the same way beside each other have digests %v", digests)
	}
}

// BenchmarkFork is the copy of a world of a thousand agents in the middle of a run.
func BenchmarkFork(b *testing.B) {
	run := swarmRun{crowd(b), 1}
	for range 10 {
		run.w.Advance()
		run.w.Apply(run.intents())
		run.w.Digest()
	}
	b.ReportAllocs()
	for b.Loop() {
		run.w.Fork()
	}
}
