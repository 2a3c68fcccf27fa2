package batch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"
)

// FuzzMetrics: the short way to read the metrics of a result and encoding/json read the same, and refuse the same,
// whatever is in their place.
func FuzzMetrics(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `{"score":13,"score_share":0.25}`, `{"b":1,"a":2}`, `{"a":1,"a":2}`, `{"a":-1e3,"b":1E-7}`,
		`{ "a" : 1 }`, `{"a\n":1}`, `{"a\u0062":1,"ab":2}`, `{"a":"1"}`, `{"a":null}`, `{"a":{"b":1}}`, `{"a,b":1}`, `{"":0}`, `[1]`, `1e400`, `{"a":1e400}`,
		`{"a":01}`, `{"a":1_0}`, `{"a":0x1p4}`, `{"a":Inf}`, `{"a":1.e5}`, "{\"\x00\":0}", `{"a":1},"metrics":{}`, `{"":1},"metRics":{}`, `{"a":1},"metricſ":{"b":2}`,
		`{"a":1},"\u006detrics":{}`, `{"a":1},"metrics" :{"b":2}`, `{"a":1},"reason":"\"metrics\":{"`} {
		f.Add([]byte(text))
	}
	var r metricsReader
	f.Fuzz(func(t *testing.T, text []byte) {
		line := fmt.Appendf(nil, `{"cell":"c","metrics":%s,"status":"completed"}`, text)
		var whole, part Result
		wrong := json.Unmarshal(line, &whole)
		rest, got := r.cut(line)
		err := json.Unmarshal(rest, &part)
		if (err != nil) != (wrong != nil) {
			t.Fatalf("%v, and encoding/json says %v", err, wrong)
		}
		if wrong != nil {
			return
		}
		want := whole.Metrics
		if got.Empty() {
			got = part.Metrics
		}
		if part.ID != whole.ID || part.Status != whole.Status || part.Reason != whole.Reason {
			t.Errorf("%+v, and encoding/json reads %+v", part, whole)
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
