package scripted

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"agentworld/llmclient"
)

// Injector decides for every request which fault its answer gets, and counts what
// it injected. One injector serves one server; it may be used concurrently.
//
// Which fault a request gets is a function of the fault seed, the request and the
// number of times this very request has come: a repeated request may fare better.
// So a run with the same seeds gets the same faults, however many agents decide at
// once and in whatever order their requests arrive.
//
// A request that may not call tools never gets a shape: text is the right answer to
// it, and a malformed call would mean nothing. It can get a fault of the transport.
type Injector struct {
	plan FaultPlan
	seed uint64

	mu sync.Mutex
	// attempts counts the requests by the first bytes of their hash.
	attempts map[uint64]uint64
	counts   map[string]int64
}

// NewInjector returns an injector of the plan's faults. Any seed is fine.
func NewInjector(plan FaultPlan, seed uint64) *Injector {
	return &Injector{plan: plan, seed: seed, attempts: map[uint64]uint64{}, counts: map[string]int64{}}
}

// Counts returns how often each kind was injected so far, without kinds that were
// not. A drawn group counts under the name of the shape it came to. The map is the
// caller's.
func (i *Injector) Counts() map[string]int64 {
	i.mu.Lock()
	defer i.mu.Unlock()
	return maps.Clone(i.counts)
}

// fault is what happens to one answer.
type fault struct {
	// hold is how long the answer is held back.
	hold time.Duration
	// transport is set for a fault beside the answer, shape for one within it; a
	// clean answer has neither.
	transport *transportFault
	shape     *Shape
}

// next draws the fault of a request that has just arrived. A nil injector injects
// nothing.
func (i *Injector) next(body []byte) fault {
	if i == nil || i.plan.Empty() {
		return fault{}
	}
	r, refused := parseRequest(body)
	if refused != nil || !i.concerns(body) {
		return fault{}
	}
	hash := sha256.Sum256(body)
	key := binary.BigEndian.Uint64(hash[:])
	i.mu.Lock()
	i.attempts[key]++
	attempt := i.attempts[key]
	i.mu.Unlock()
	return i.plan.draw(chance{mix(mix(i.seed) ^ key)}.after(int(attempt)), r)
}

// concerns reports whether the request comes from an agent the plan is about. An
// agent is known by its cache key, which is its id.
func (i *Injector) concerns(body []byte) bool {
	var from struct {
		Agent string `json:"prompt_cache_key"`
	}
	return len(i.plan.agents) == 0 || json.Unmarshal(body, &from) == nil && slices.Contains(i.plan.agents, from.Agent)
}

// count notes that a fault was injected.
func (i *Injector) count(kind string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts[kind]++
}

// draw picks a fault by chances that belong to one attempt of one request.
func (p FaultPlan) draw(c chance, r request) fault {
	f := fault{hold: p.latency.draw(c.unit("latency"), c.unit("latency too"))}
	if p.sweep {
		f.shape = sweepShape(r)
		return f
	}
	at := int64(c.draw("kind", ratesMax))
	for _, rate := range p.rates {
		if at -= rate.ppm; at >= 0 {
			continue
		}
		switch {
		case rate.shapes == nil:
			kind, _ := findTransport(rate.kind)
			f.transport = &kind
		case len(rate.shapes) > 0 && r.choice.Mode != llmclient.ChoiceNone:
			f.shape = &rate.shapes[c.draw("shape", len(rate.shapes))]
		}
		break
	}
	return f
}

// unit draws a number in [0, 1).
func (c chance) unit(purpose string) float64 {
	const fine = 1 << 53
	return float64(c.draw(purpose, fine)) / fine
}

// SweepShape is the shape that a sweep gives to turns that open in a tick, which counts
// from 1. Round by round every shape has its tick: in the first round in the order of
// the corpus, so that shape number t comes in tick t; in later ones in other orders,
// because a shape that makes an agent sleep hides the one after it.
func SweepShape(tick int64) Shape {
	all := Corpus()
	round, at := uint64(tick-1)/uint64(len(all)), uint64(tick-1)%uint64(len(all))
	if round == 0 {
		return all[at]
	}
	numbers := make([]uint64, len(all))
	for i := range numbers {
		numbers[i] = uint64(i)
	}
	slices.SortFunc(numbers, func(a, b uint64) int { return cmp.Compare(mix(round^mix(a)), mix(round^mix(b))) })
	return all[numbers[at]]
}

// sweepShape is the shape a request gets in a sweep. It is nil for all requests of a
// turn but the first, which is known by having nothing behind the observation.
func sweepShape(r request) *Shape {
	opening := readPrompt(r.input).turnStart == len(r.input)
	tick := newStage(0, r).industry.see.Tick
	if !opening || tick < 1 || r.choice.Mode == llmclient.ChoiceNone {
		return nil
	}
	shape := SweepShape(tick)
	return &shape
}
