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
}

// read reads a JSON object, as [Metrics.MarshalJSON] writes it or in any other way.
func (r *metricsReader) read(object []byte) (m Metrics, err error) {
	if !r.scan(object) {
		err = json.Unmarshal(object, &m)
		return m, err
	}
	if len(r.values) == 0 {
		return m, nil
	}
	names := r.names[string(r.joined)]
	if names == nil {
		names = strings.Split(string(r.joined), "\n")
		if !rising(names) || !utf8.Valid(r.joined) {
			err = json.Unmarshal(object, &m)
			return m, err
		}
		if r.names == nil {
			r.names = map[string][]string{}
		}
		r.names[strings.Join(names, "\n")] = names
	}
	return Metrics{names, slices.Clone(r.values)}, nil
}

// rising says that names are sorted, and none is there twice.
func rising(names []string) bool {
	for i := range names[1:] {
		if names[i] >= names[i+1] {
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
		if err != nil || more && len(next) == 0 {
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
