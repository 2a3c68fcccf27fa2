package engine_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// citingBook has three lessons that fit the goals of minimal, of which two are
// shown, and one that fits nothing.
const citingBook = `format = 2
version = 1
last = 4
bullet = [
  {id = 'res-00001', helpful = 3, harmful = 0, neutral = 0, content = "Gather electricity before compound."},
  {id = 'res-00002', helpful = 2, harmful = 0, neutral = 0, content = "Gather compound while electricity lasts."},
  {id = 'res-00003', helpful = 1, harmful = 0, neutral = 0, content = "Two control chips need hardware."},
  {id = 'haz-00004', helpful = 0, harmful = 0, neutral = 0, content = "Ambergris glows unseen everywhere."},
]
`

// citation is what a model writes about its sources in a decision.
type citation struct {
	why  string
	list []string
}

// citing serves the scripted model and writes its decisions' citations again: cite
// gets the text of the request.
func citing(t *testing.T, cite func(prompt string) citation) *httptest.Server {
	t.Helper()
	model := stub.NewHandler(stub.Options{Seed: 1})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer := httptest.NewRecorder()
		model.ServeHTTP(answer, r)
		w.Header().Set("Content-Type", answer.Header().Get("Content-Type"))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(recited(t, answer.Body.Bytes(), cite(string(body))))
	}))
	t.Cleanup(server.Close)
	return server
}

// recited puts the citation into the decisions of a response.
func recited(t *testing.T, response []byte, c citation) []byte {
	var reply map[string]any
	if err := json.Unmarshal(response, &reply); err != nil {
		t.Errorf("the scripted model's answer is no JSON: %v", err)
		return response
	}
	output, _ := reply["output"].([]any)
	for _, it := range output {
		call, _ := it.(map[string]any)
		if call["type"] != "function_call" || call["name"] != "decision" {
			continue
		}
		var args map[string]any
		if err := json.Unmarshal([]byte(call["arguments"].(string)), &args); err != nil {
			t.Errorf("the scripted model's arguments are no JSON: %v", err)
			return response
		}
		args["why"], args["sources_used"] = c.why, append([]string{}, c.list...)
		raw, _ := json.Marshal(args)
		call["arguments"] = string(raw)
	}
	raw, _ := json.Marshal(reply)
	return raw
}

// cited runs minimal with the book against a model that cites so.
func cited(t *testing.T, ticks int64, bullets int, cite func(prompt string) citation) engine.Options {
	t.Helper()
	o := options(t, "minimal", ticks)
	o.Playbook, o.PlaybookBullets = citingBook, bullets
	o = through(t, o, openai.Config{BaseURL: citing(t, cite).URL})
	run(t, o)
	return o
}

func always(why string, list ...string) func(string) citation {
	return func(string) citation { return citation{why, list} }
}

func bulletRows(r report.Report) map[string][2]int64 {
	rows := map[string][2]int64{}
	for _, b := range r.Provenance.Bullets {
		rows[b.ID] = [2]int64{b.Effect.Retrieved, b.Effect.Used}
	}
	return rows
}

// TestShownIsNotUsed: of three lessons in view one is cited; trace and report distinguish
// them.
func TestShownIsNotUsed(t *testing.T) {
	o := cited(t, 3, 3, always("", "res-00002"))
	decisions := decisionsOf(t, o.RunDir)
	for _, d := range decisions {
		var bullets []string
		for _, s := range d.SourcesRetrieved {
			if s.Kind == trace.KindBullet {
				bullets = append(bullets, s.ID)
				if s.Score < 1 || s.Score > 1000 {
					t.Errorf("tick %d: %s has the score %d", d.Tick, s.ID, s.Score)
				}
			}
		}
		if len(bullets) != 3 || strings.Join(d.SourcesUsed, " ") != "res-00002" {
			t.Errorf("tick %d: bullets %v in view, used %v", d.Tick, bullets, d.SourcesUsed)
		}
	}
	n := int64(len(decisions))
	want := map[string][2]int64{"res-00001": {n, 0}, "res-00002": {n, n}, "res-00003": {n, 0}}
	if diff := cmp.Diff(want, bulletRows(fold(t, o.RunDir))); diff != "" || n == 0 {
		t.Errorf("bullets of the report, in view and used (-want +got):\n%s", diff)
	}
}

// TestChannels: an id counts however it is named, once, with the way it was named,
// and in the same order in every run.
func TestChannels(t *testing.T) {
	slow(t)
	for name, tc := range map[string]struct {
		citation
		want string
	}{
		"report":  {citation{"", []string{"res-00003", "res-00001"}}, "res-00003 self, res-00001 self"},
		"square":  {citation{"by [res-00001]", nil}, "res-00001 text"},
		"round":   {citation{"by (res-00001, res-00003)", nil}, "res-00001 text, res-00003 text"},
		"both":    {citation{"by [res-00001]", []string{"res-00003", "res-00001"}}, "res-00003 self, res-00001 both"},
		"neither": {citation{"by res-00001", nil}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for range ticksUpTo(2, 10) {
				o := cited(t, 1, 2, always(tc.why, tc.list...))
				for _, d := range decisionsOf(t, o.RunDir) {
					var got []string
					for _, c := range d.SourcesCited {
						got = append(got, c.ID+" "+string(c.Channel))
					}
					if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" || len(got) != len(d.SourcesUsed) {
						t.Fatalf("citations (-want +got), used %v:\n%s", d.SourcesUsed, diff)
					}
				}
			}
		})
	}
}

// TestInventedIdsEarnNothing: ids that do not exist and ids that were not shown are
// counted separately and earn no credit.
func TestInventedIdsEarnNothing(t *testing.T) {
	o := cited(t, 2, 2, always("see [haz-00004]", "res-99999", "mem-900-1"))
	decisions := decisionsOf(t, o.RunDir)
	for _, d := range decisions {
		want := []trace.Citation{{ID: "res-99999", Channel: "self", Status: "invented"}, {ID: "mem-900-1", Channel: "self", Status: "invented"}, {ID: "haz-00004", Channel: "text", Status: "unknown"}}
		if diff := cmp.Diff(want, d.SourcesCited); diff != "" {
			t.Errorf("citations (-want +got):\n%s", diff)
		}
		if len(d.SourcesUsed) != 0 || d.SourcesUnknown != 1 || d.SourcesInvented != 2 {
			t.Errorf("used %v, unknown %d, invented %d; want none, 1 and 2", d.SourcesUsed, d.SourcesUnknown, d.SourcesInvented)
		}
	}
	p, n := fold(t, o.RunDir).Provenance, int64(len(decisions))
	if n == 0 || p.SourcesUsed != 0 || p.SourcesUnknown != n || p.SourcesInvented != 2*n {
		t.Errorf("%d decisions: %d used, %d unknown, %d invented", n, p.SourcesUsed, p.SourcesUnknown, p.SourcesInvented)
	}
	if diff := cmp.Diff(map[string][2]int64{"res-00001": {n, 0}, "res-00003": {n, 0}}, bulletRows(fold(t, o.RunDir))); diff != "" {
		t.Errorf("bullets of the report (-want +got):\n%s", diff)
	}
}

var memoryID = regexp.MustCompile(`\[(mem-[0-9]+-[0-9]+)\]`)

// TestMemoriesAreSourcesWithAndWithoutCiting: a cited memory is recorded with kind, score
// and origin, and the list of what was in view is complete even if nothing is cited.
func TestMemoriesAreSourcesWithAndWithoutCiting(t *testing.T) {
	const ticks = 8
	first := func(prompt string) citation {
		if found := memoryID.FindStringSubmatch(prompt); found != nil {
			return citation{list: found[1:]}
		}
		return citation{}
	}
	silent := decisionsOf(t, cited(t, ticks, 0, always("")).RunDir)
	used, scored := 0, 0
	for i, d := range decisionsOf(t, cited(t, ticks, 0, first).RunDir) {
		if len(silent[i].SourcesUsed) != 0 || len(silent[i].SourcesCited) != 0 {
			t.Errorf("tick %d: used %v without citing", silent[i].Tick, silent[i].SourcesUsed)
		}
		if diff := cmp.Diff(silent[i].SourcesRetrieved, d.SourcesRetrieved); diff != "" {
			t.Errorf("tick %d: citing changes what was in view (-silent +citing):\n%s", d.Tick, diff)
		}
		for _, s := range d.SourcesRetrieved {
			if strings.Join(d.SourcesUsed, "") == s.ID {
				used++
				var first, number int64
				if _, err := fmt.Sscanf(s.ID, "mem-%d-%d", &first, &number); err != nil || s.Kind != trace.KindMemory || s.Chars == 0 || s.OriginTick < first || s.OriginTick >= d.Tick {
					t.Errorf("tick %d: used source %+v", d.Tick, s)
				}
			}
			if s.Kind == trace.KindMemory && s.Score > 0 {
				scored++
			}
		}
	}
	if used == 0 || scored == 0 {
		t.Errorf("%d memories were used, %d have a score", used, scored)
	}
}

// TestDecisionsHaveTokensAndDuration: a decision has the tokens of its calls together, and how
// long it took, the latter apart from what a replay compares.
func TestDecisionsHaveTokensAndDuration(t *testing.T) {
	o := cited(t, 4, 2, always("mine on"))
	billed := map[int64]llmclient.Usage{}
	for record, err := range trace.NewReader(bytes.NewReader(readTrace(t, o.RunDir))).All() {
		if err != nil {
			t.Fatal(err)
		}
		switch r := record.(type) {
		case trace.ModelCall:
			billed[r.Tick] = billed[r.Tick].Add(r.Answer.Usage)
		case trace.Decision:
			switch {
			case r.DecidedBy == trace.ByStanding:
				if r.Tokens != nil || r.Timing != nil {
					t.Errorf("tick %d: a continued order took %+v, %+v", r.Tick, r.Tokens, r.Timing)
				}
			case r.Tokens == nil || r.Timing == nil || r.Tokens.Input == 0 || *r.Tokens != billed[r.Tick]:
				t.Errorf("tick %d: tokens %+v of %+v, timing %+v", r.Tick, r.Tokens, billed[r.Tick], r.Timing)
			case r.Why != "mine on":
				t.Errorf("tick %d: why %q", r.Tick, r.Why)
			}
		}
	}
	if len(billed) == 0 {
		t.Error("no decision")
	}
}
