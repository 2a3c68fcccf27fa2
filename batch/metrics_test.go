package batch

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzMetrics: the short way to read metrics and encoding/json read the same of every JSON text, and what is read
// is written as it was.
func FuzzMetrics(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `{"score":13,"score_share":0.25}`, `{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"a":-1e3,"b":1E-7}`,
		`{ "a" : 1 }`, `{"a\n":1}`, `{"a\u0062":1,"ab":2}`, `{"a":"1"}`, `{"a":null}`, `{"a":{"b":1}}`, `{"a,b":1}`, `{"":0}`, `[1]`, `1e400`, `{"a":1e400}`} {
		f.Add([]byte(text))
	}
	var r metricsReader
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		var want Metrics
		wrong := json.Unmarshal(text, &want)
		got, err := r.read(bytes.TrimSpace(text))
		if (err != nil) != (wrong != nil) {
			t.Fatalf("%v, and encoding/json says %v", err, wrong)
		}
		if wrong != nil {
			return
		}
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		if !bytes.Equal(a, b) {
			t.Errorf("%s, and encoding/json reads %s", a, b)
		}
		for name, value := range want.All() {
			if v, known := got.Get(name); !known || v != value {
				t.Errorf("%q is %v, %v, want %v", name, v, known, value)
			}
		}
		if _, known := got.Get("\x00none"); known {
			t.Error("a metric that is not there is")
		}
	})
}
