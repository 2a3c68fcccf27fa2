package stub

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ratesMax is a rate of 100%, in millionths.
const ratesMax = 1_000_000

// latencyMax bounds a latency, so that a slip of the keyboard does not stop a run.
const latencyMax = 10 * time.Minute

// FaultPlan says which answers of the server go wrong, how, and how often. Make one
// with [ParseFaults]; the zero value injects nothing. It is a value and may be
// shared.
type FaultPlan struct {
	// rates are the kinds with their rates, in the order of the specification.
	rates []faultRate
	// latency is how long answers are withheld.
	latency Latency
	// agents are the agents whose requests may be faulty; none means all.
	agents []string
	// sweep goes through the corpus, one shape per tick.
	sweep bool
}

// faultRate is one kind or group and how often it is drawn, in millionths of the
// requests.
type faultRate struct {
	kind string
	ppm  int64
	// shapes are the corpus shapes of the kind; nil for a transport fault.
	shapes []Shape
}

// shapeGroup is a name for several shapes of the corpus.
type shapeGroup struct {
	name, doc, effect string
	has               func(Shape) bool
}

// shapeGroups are the groups a specification may name. Within a group every shape
// is as likely as any other.
var shapeGroups = []shapeGroup{
	{"repairable", "a shape of the corpus that keeps its meaning for every call", "read, and counted by name",
		func(s Shape) bool { return s.Universal && s.Ends == EndsRepaired }},
	{"unusable", "a shape of the corpus that ends as an error", "one more call, then a wait",
		func(s Shape) bool { return s.Ends == EndsError }},
	{"any_shape", "any shape of the corpus", "as the corpus says", func(Shape) bool { return true }},
}

// ParseFaults reads a specification of faults: items separated by commas, in any
// order, each kind at most once, white space around them ignored.
//
//	repairable=20%,http_429=2%,reset=5‰,latency=20ms..400ms,agent=agent-3
//
//	KIND=RATE        a kind of fault, a shape of the corpus or a group, and how many
//	                 of the requests get it: a number with % or ‰, as fine as 0.0001%
//	latency=A        every answer is withheld for A, such as 250ms or 1.5s
//	latency=A..B     for a time drawn evenly from A to B
//	latency=p50:A..p99:B
//	                 for a time with median A and 99th percentile B, with a long tail
//	agent=ID         only this agent's requests; may be repeated
//	sweep            the first request of a turn in tick t gets shape t of the corpus,
//	                 round by round, see [SweepShape]; excludes rates
//
// An empty specification injects nothing. The error names what is wrong and what
// is allowed.
func ParseFaults(spec string) (FaultPlan, error) {
	var p FaultPlan
	if strings.TrimSpace(spec) == "" {
		return p, nil
	}
	for item := range strings.SplitSeq(spec, ",") {
		if err := p.add(strings.TrimSpace(item)); err != nil {
			return FaultPlan{}, err
		}
	}
	if sum := p.sum(); sum > ratesMax {
		return FaultPlan{}, fmt.Errorf("the rates add up to %s%%; allowed: at most 100%%",
			strconv.FormatFloat(float64(sum)/10_000, 'f', -1, 64))
	}
	if p.sweep && len(p.rates) > 0 {
		return FaultPlan{}, fmt.Errorf("sweep stands beside %s=...; allowed: either a sweep or rates", p.rates[0].kind)
	}
	return p, nil
}

// Empty reports whether the plan injects nothing and holds nothing back.
func (p FaultPlan) Empty() bool { return len(p.rates) == 0 && !p.sweep && p.latency == Latency{} }

// Agents lists the agents whose answers may be spoilt; none means all of them.
func (p FaultPlan) Agents() []string { return slices.Clone(p.agents) }

// sum adds up the rates.
func (p FaultPlan) sum() (ppm int64) {
	for _, r := range p.rates {
		ppm += r.ppm
	}
	return ppm
}

// add reads one item of a specification into p.
func (p *FaultPlan) add(item string) error {
	key, text, assigned := strings.Cut(item, "=")
	key, text = strings.TrimSpace(key), strings.TrimSpace(text)
	switch {
	case key == "sweep" && !assigned:
		p.sweep = true
		return nil
	case !assigned || text == "":
		return fmt.Errorf("%q is not an item; allowed: KIND=RATE, latency=A..B, agent=ID and sweep, separated by commas",
			item)
	case key == "agent":
		p.agents = append(p.agents, text)
		return nil
	case key == "latency":
		if p.latency != (Latency{}) {
			return fmt.Errorf("latency stands twice; allowed: once")
		}
		return p.latency.parse(text)
	}
	return p.addRate(key, text)
}

// addRate reads KIND=RATE.
func (p *FaultPlan) addRate(kind, text string) error {
	shapes, known := shapesOf(kind)
	if !known {
		return fmt.Errorf("there is no fault %q; allowed: %s, or one of the %d shapes of malformed answers, such as %s", kind,
			strings.Join(kindsListed(), ", "), len(Corpus()), Corpus()[0].Name)
	}
	if slices.ContainsFunc(p.rates, func(r faultRate) bool { return r.kind == kind }) {
		return fmt.Errorf("%s stands twice; allowed: each kind once", kind)
	}
	ppm, ok := parseRate(text)
	if !ok {
		return fmt.Errorf("%s=%s: %q is not a rate; allowed: 0%% to 100%%, such as 20%%, 0.5%% or 5‰", kind, text, text)
	}
	p.rates = append(p.rates, faultRate{kind, ppm, shapes})
	return nil
}

// shapesOf returns the corpus shapes of a kind, none for a fault of the
// transport. known is false when there is no such kind.
func shapesOf(kind string) (shapes []Shape, known bool) {
	for _, g := range shapeGroups {
		if g.name == kind {
			return slices.DeleteFunc(slices.Clone(Corpus()), func(s Shape) bool { return !g.has(s) }), true
		}
	}
	for _, s := range Corpus() {
		if s.Name == kind {
			return []Shape{s}, true
		}
	}
	_, known = findTransport(kind)
	return nil, known
}

// kindsListed lists the groups and the faults of the transport. The shapes of the
// corpus are too many to be listed in an error.
func kindsListed() []string {
	var kinds []string
	for _, g := range shapeGroups {
		kinds = append(kinds, g.name)
	}
	return append(kinds, TransportFaults()...)
}

// parseRate reads a number with % or ‰ as millionths. What is finer than a
// millionth is refused rather than rounded.
func parseRate(text string) (ppm int64, ok bool) {
	number, unit := strings.CutSuffix(text, "%")
	scale := 10_000.0
	if !unit {
		number, unit = strings.CutSuffix(text, "‰")
		scale = 1_000
	}
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !unit || err != nil || math.IsNaN(value) || value < 0 || value*scale > ratesMax {
		return 0, false
	}
	ppm = int64(math.Round(value * scale))
	return ppm, math.Abs(value*scale-float64(ppm)) < 1e-6
}

// Latency is a distribution of times. Without a tail it is even from low to high;
// with one, low is the median and high the 99th percentile.
type Latency struct {
	low, high time.Duration
	tail      bool
}

// ParseLatency reads A, A..B or p50:A..p99:B, with durations such as 250ms, as a [FaultPlan] has it. The error
// says what is wrong and what is allowed.
func ParseLatency(text string) (l Latency, err error) {
	err = l.parse(text)
	return l, err
}

// parse reads A, A..B or p50:A..p99:B.
func (l *Latency) parse(text string) error {
	low, high, ranged := strings.Cut(text, "..")
	if !ranged {
		high = low
	}
	low, median := strings.CutPrefix(strings.TrimSpace(low), "p50:")
	high, tail := strings.CutPrefix(strings.TrimSpace(high), "p99:")
	a, errA := time.ParseDuration(low)
	b, errB := time.ParseDuration(high)
	wrong := errA != nil || errB != nil || median != tail || a < 0 || b < a || b > latencyMax || median && a == 0
	if wrong {
		return fmt.Errorf("latency=%s is not understood; allowed: A, A..B or p50:A..p99:B with durations such as 20ms or "+
			"1.5s, A at most B, B at most %s", text, latencyMax)
	}
	*l = Latency{low: a, high: b, tail: tail}
	return nil
}

// z99 is how many standard deviations the 99th percentile of a normal distribution
// lies above its median.
const z99 = 2.3263478740408408

// Draw returns the time that belongs to two numbers in [0, 1).
func (l Latency) Draw(u, v float64) time.Duration {
	if !l.tail {
		return l.low + time.Duration(u*float64(l.high-l.low))
	}
	// Two even numbers make a normal one, whose exponential has the long tail that
	// answering times have.
	normal := math.Sqrt(-2*math.Log(1-u)) * math.Cos(2*math.Pi*v)
	sigma := math.Log(float64(l.high)/float64(l.low)) / z99
	// Bounded before the conversion: the tail can be longer than a Duration holds.
	return time.Duration(min(float64(latencyMax), float64(l.low)*math.Exp(sigma*normal)))
}
