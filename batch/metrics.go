package batch

import (
	"bytes"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Metrics are the figures of a run by name; the zero value has none. It is a value: what is changed in a copy is
// not changed elsewhere. A batch has many that differ in nothing but values, so it takes a third of the memory of a
// map, and those that are read of one file share their names.
type Metrics struct {
	names  []string // sorted
	values []float64
}

// MetricsOf are figures by name.
func MetricsOf(figures map[string]float64) Metrics {
	var m Metrics
	for _, name := range slices.Sorted(maps.Keys(figures)) {
		m.names = append(m.names, name)
		m.values = append(m.values, figures[name])
	}
	return m
}

// Get is a figure, and whether the run has it.
func (m Metrics) Get(name string) (value float64, known bool) {
	at, known := slices.BinarySearch(m.names, name)
	if known {
		value = m.values[at]
	}
	return value, known
}

// column is a figure of many runs by its name. Those that were read of one file share their names, so where the
// figure is among them is looked up once.
type column struct {
	name  string
	names []string // those that at and known are about
	at    int
	known bool
}

// of is the figure of a run, and whether the run has it.
func (c *column) of(m Metrics) (value float64, known bool) {
	if len(m.names) == 0 {
		return 0, false
	}
	if len(c.names) != len(m.names) || &c.names[0] != &m.names[0] {
		c.names = m.names
		c.at, c.known = slices.BinarySearch(m.names, c.name)
	}
	if c.known {
		value = m.values[c.at]
	}
	return value, c.known
}

// Empty says that the run has no figures.
func (m Metrics) Empty() bool { return len(m.names) == 0 }

// With are the figures and one more, or another value of one that is there.
func (m Metrics) With(name string, value float64) Metrics {
	figures := m.Map()
	figures[name] = value
	return MetricsOf(figures)
}

// All are the figures in the order of their names.
func (m Metrics) All() iter.Seq2[string, float64] {
	return func(yield func(string, float64) bool) {
		for i, name := range m.names {
			if !yield(name, m.values[i]) {
				return
			}
		}
	}
}

// Map are the figures by name, in a map of its own.
func (m Metrics) Map() map[string]float64 { return maps.Collect(m.All()) }

// MarshalJSON writes an object.
func (m Metrics) MarshalJSON() ([]byte, error) { return json.Marshal(m.Map()) }

// UnmarshalJSON reads an object.
func (m *Metrics) UnmarshalJSON(data []byte) error {
	var figures map[string]float64
	if err := json.Unmarshal(data, &figures); err != nil {
		return err
	}
	*m = MetricsOf(figures)
	return nil
}

// metricsReader reads the metrics of many results, which share their names. The zero value is ready.
type metricsReader struct {
	// names are the lists that were read, by their names between line feeds.
	names  map[string][]string
	joined []byte
	values []float64
	rest   []byte
}

// cut takes the metrics out of a line of results.jsonl, of which they are more than a half. Those that are not in
// the form in which [Metrics.MarshalJSON] writes them stay in the rest. The rest is good until the next call.
func (r *metricsReader) cut(line []byte) (rest []byte, m Metrics) {
	const key = `"metrics":`
	at := bytes.Index(line, []byte(key+"{")) // in no text, where quotes are escaped
	if at < 0 {
		return line, m
	}
	before, object := line[:at+len(key)], line[at+len(key):]
	end := bytes.IndexByte(object, '}') + 1
	if mayHaveMetrics(object[end:]) || !r.scan(object[:end]) || len(r.values) == 0 {
		return line, m
	}
	names := r.names[string(r.joined)]
	if names == nil {
		names = strings.Split(string(r.joined), "\n")
		if !plainNames(names) {
			return line, m
		}
		if r.names == nil {
			r.names = map[string][]string{}
		}
		r.names[strings.Join(names, "\n")] = names
	}
	r.rest = append(append(append(r.rest[:0], before...), "null"...), object[end:]...)
	return r.rest, Metrics{names, slices.Clone(r.values)}
}

// mayHaveMetrics reports whether the rest of a line may have metrics again, of which encoding/json takes the last:
// under a key in any case, with a long s or with escapes.
func mayHaveMetrics(rest []byte) bool {
	return bytes.Contains(rest, []byte(`\u`)) || bytes.Contains(bytes.ToLower(rest), []byte("metric"))
}

// plainNames says that names are sorted, that none is there twice, and that all are texts without control characters.
func plainNames(names []string) bool {
	for i, name := range names {
		control := func(c rune) bool { return c < ' ' }
		if i > 0 && names[i-1] >= name || !utf8.ValidString(name) || strings.ContainsFunc(name, control) {
			return false
		}
	}
	return true
}

// scan takes apart an object of the plainest form: names without escapes, and numbers, with nothing between. It
// reports false for any other, which is for encoding/json to read.
func (r *metricsReader) scan(object []byte) bool {
	r.joined = r.joined[:0]
	r.values = r.values[:0]
	rest, opened := bytes.CutPrefix(object, []byte("{"))
	rest, closed := bytes.CutSuffix(rest, []byte("}"))
	if !opened || !closed {
		return false
	}
	for len(rest) > 0 {
		named, after, found := bytes.Cut(rest, []byte(`":`))
		name, quoted := bytes.CutPrefix(named, []byte(`"`))
		if !found || !quoted || bytes.ContainsAny(name, "\"\\\n") {
			return false
		}
		number, next, more := bytes.Cut(after, []byte(","))
		value, err := strconv.ParseFloat(string(number), 64)
		if err != nil || !json.Valid(number) || more && len(next) == 0 {
			return false
		}
		if len(r.values) > 0 {
			r.joined = append(r.joined, '\n')
		}
		r.joined = append(r.joined, name...)
		r.values = append(r.values, value)
		rest = next
	}
	return true
}
