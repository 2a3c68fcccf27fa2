package stub

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"example.com/agentworld/llmclient"
)

// Injector decides for every request which fault its answer gets, and counts what
// it injected. One injector serves one server; it may be used concurrently.
//
// Which fault a request gets is a function of the fault seed, the request and the
// attempt: a repeated request may fare better. So a run with the same seeds gets the
// same faults, for any number of agents that decide at once and any order of their
// requests. A client that counts its attempts in the header
// X-Stainless-Retry-Count, as OpenAI's do, is believed: then nothing depends on what
// this server has seen, and a run that another process resumes gets the same faults
// too. For other clients the injector counts how often the request has come.
//
// A request that may not call tools never gets a shape: text is the right answer to
// it, and a malformed call would mean nothing. It can get a fault of the transport.
type Injector struct {
	plan FaultPlan
	seed uint64

	mu sync.Mutex
	// attempts counts the requests whose client does not, by requestKey.
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
	// hold is how long the answer is withheld.
	hold time.Duration
	// transport is set for a fault outside of the answer, shape for one within it. A
	// clean answer has neither.
	transport *transportFault
	shape     *Shape
}

// retryCount is the header by which a client says how often it has sent this request
// before.
const retryCount = "X-Stainless-Retry-Count"

// spoils reports whether the fault is one within the answer, and the answer one that
// can have it.
func (f fault) spoils(result Result) bool {
	return f.shape != nil && len(result.exchange.answer.calls) > 0
}

// next draws the fault of a request that has just arrived; retries is what its
// header said. A nil injector injects nothing.
func (i *Injector) next(r request, retries string) fault {
	if i == nil || i.plan.Empty() || !i.concerns(r) {
		return fault{}
	}
	key := requestKey(r.body)
	if n, err := strconv.ParseUint(retries, 10, 16); err == nil { // the header counts from 0
		return i.drawn(key, int(n)+1, r)
	}
	i.mu.Lock()
	i.attempts[key]++
	attempt := int(i.attempts[key])
	i.mu.Unlock()
	return i.drawn(key, attempt, r)
}

// drawn is the fault of one attempt, which nothing else decides.
func (i *Injector) drawn(key uint64, attempt int, r request) fault {
	return i.plan.draw(chance{mix(mix(i.seed) ^ key)}.after(attempt), r)
}

// requestKey identifies a request.
func requestKey(body []byte) uint64 {
	hash := sha256.Sum256(body)
	return binary.BigEndian.Uint64(hash[:])
}

// Recount counts what a server with these options and their injector injected into the
// first attempts of a request, without answering it. It is for a run that continues
// from recorded answers: its counts then are those of a run that never stopped.
func (o Options) Recount(body []byte, attempts int) {
	i := o.Faults
	r, refused := parseRequest(body)
	if i.plan.Empty() || refused != nil || !i.concerns(r) {
		return
	}
	for attempt := 1; attempt <= attempts; attempt++ {
		f := i.drawn(requestKey(body), attempt, r)
		if f.transport != nil {
			i.count(f.transport.name)
		}
		if f.shape == nil {
			continue
		}
		if f.spoils(o.decide(r)) {
			i.count(f.shape.Name)
		}
	}
}

// concerns reports whether the request comes from an agent the plan is about.
func (i *Injector) concerns(r request) bool {
	return len(i.plan.agents) == 0 || slices.Contains(i.plan.agents, r.agent())
}

// count notes that a fault was injected.
func (i *Injector) count(kind string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.counts[kind]++
}

// draw picks a fault by chances that belong to one attempt of one request.
func (p FaultPlan) draw(c chance, r request) fault {
	f := fault{hold: p.latency.Draw(c.unit("latency"), c.unit("latency too"))}
	if p.sweep {
		// Only the first request of a turn gets a shape, which is known by having nothing
		// after the observation.
		opening := readPrompt(r.input).turnStart == len(r.input)
		if tick := newStage(0, r).see.Tick; opening && tick >= 1 && r.choice.Mode != llmclient.ChoiceNone {
			shape := SweepShape(tick)
			f.shape = &shape
		}
		return f
	}
	at := int64(c.draw("kind", ratesMax))
	for _, rate := range p.rates {
		at -= rate.ppm
		if at >= 0 {
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
