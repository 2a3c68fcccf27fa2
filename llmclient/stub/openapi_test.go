package stub

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// description is the API's own, which lies beside the repository or, for a worktree, one
// level up. Its checks are made once for all tests.
var description struct {
	sync.Mutex
	checks map[string]*jsonschema.Resolved
}

// openAPI returns a check against one type of the API's description, and skips the test
// aloud where that is missing.
func openAPI(t *testing.T, name string) func(value []byte) error {
	t.Helper()
	description.Lock()
	defer description.Unlock()
	check := description.checks[name]
	if check == nil {
		const file = "shared/openai-responses-schema/responses.schema.json"
		text, err := os.ReadFile("../../../" + file)
		if err != nil {
			text, err = os.ReadFile("../../../../" + file)
		}
		if err != nil {
			t.Skipf("NOT CHECKED against the API's description, which is not here: %v", err)
		}
		var schema jsonschema.Schema
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		schema.Schema, schema.Ref = "", "#/$defs/"+name
		if check, err = schema.Resolve(nil); err != nil {
			t.Fatal(err)
		}
		if description.checks == nil {
			description.checks = map[string]*jsonschema.Resolved{}
		}
		description.checks[name] = check
	}
	return func(value []byte) error {
		var v any
		return errors.Join(json.Unmarshal(value, &v), check.Validate(v))
	}
}

// TestAnswersPassTheDescriptionOfTheAPI sends the requests of some turns, and of one that
// reflects, to servers of every mode and manner.
func TestAnswersPassTheDescriptionOfTheAPI(t *testing.T) {
	response, event, refusal := openAPI(t, "Response"), openAPI(t, "ResponseStreamEvent"), openAPI(t, "ErrorResponse")
	bodies := [][]byte{[]byte(`{"model":"m","input":"Hello","tools":[{"type":"function","name":"look"},{"type":"web_search"}],"tool_choice":"required"}`)}
	for _, tool := range []string{"ponder", "amend"} {
		bodies = append(bodies, lookingBack(retrospect, tool))
	}
	for _, p := range []protocol{full, lean} {
		g := opened(t, 3, p)
		g.live(3)
		bodies = append(bodies, g.bodies...)
	}
	options := []Options{}
	for _, mode := range Modes() {
		options = append(options, Options{Mode: Mode(mode)})
	}
	for _, manner := range MannerNames() {
		manners, err := ParseManners(manner)
		if err != nil {
			t.Fatal(err)
		}
		options = append(options, Options{Manners: manners})
	}
	for n, o := range options {
		if slices.Contains(o.Manners[""], "late") {
			continue // it says what others say, or nothing
		}
		s, client := start(t, o)
		for i, body := range bodies {
			if i > 3 && (i+n)%3 > 0 {
				continue // a third of the turns for each
			}
			status, _, got := send(t, client, http.MethodPost, s.URL()+"/v1/responses", body)
			if err := response(got); status != 200 || err != nil {
				t.Fatalf("%+v: status %d, %v in %s", o, status, err, got)
			}
			if i > 2 {
				continue
			}
			streamed := append(bytes.TrimSuffix(bytes.Clone(body), []byte("}")), `,"stream":true,"max_output_tokens":3040}`...)
			_, header, got := send(t, client, http.MethodPost, s.URL()+"/v1/responses", streamed)
			if kind := header.Get("Content-Type"); !strings.HasPrefix(kind, "text/event-stream") {
				t.Fatalf("%+v: streamed as %s: %s", o, kind, got)
			}
			checkStream(t, got, event)
		}
	}
	s, client := start(t, Options{})
	for _, body := range []string{"{", `{"model":"m"}`, `{"model":"m","input":"a","top_k":1}`} {
		if status, _, got := send(t, client, http.MethodPost, s.URL()+"/v1/responses", []byte(body)); status != 400 || refusal(got) != nil {
			t.Errorf("%s: %d %s: %v", body, status, got, refusal(got))
		}
	}
}

// TestEveryShapeCanBeStreamed streams malformed answers too: the stream of each of them has a
// beginning and an end.
func TestEveryShapeCanBeStreamed(t *testing.T) {
	proper, err := Decide(0, openingBody(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Corpus() {
		if all := events(s.Fill(proper).Response); len(all) < 3 || all[0]["type"] != "response.created" {
			t.Errorf("%s streams as %v", s.Name, all)
		}
	}
}

// checkStream holds a stream against the description: numbers without a gap, types as
// announced, pieces that add up to the items of the whole answer at the end, and then the line
// that ends it.
func checkStream(t *testing.T, stream []byte, check func([]byte) error) {
	t.Helper()
	var last struct {
		Type     string
		Response struct {
			Status string
			Output []struct {
				Arguments        string
				Content, Summary []struct{ Text, Refusal string }
			}
		}
	}
	stream, done := bytes.CutSuffix(stream, []byte("data: [DONE]\n\n"))
	if !done {
		t.Fatalf("the stream has no [DONE] at its end: %s", stream)
	}
	lines, number, pieces := bufio.NewScanner(bytes.NewReader(stream)), 0, map[int]string{}
	lines.Buffer(nil, 1<<20)
	for named := ""; lines.Scan(); {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			named = name
		}
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var e struct {
			Type           string
			SequenceNumber *int `json:"sequence_number"`
			OutputIndex    int  `json:"output_index"`
			Delta          string
		}
		if err := errors.Join(json.Unmarshal([]byte(data), &e), json.Unmarshal([]byte(data), &last), check([]byte(data))); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		if e.Type != named || e.SequenceNumber == nil || *e.SequenceNumber != number {
			t.Fatalf("event %d is named %s: %s", number, named, data)
		}
		pieces[e.OutputIndex] += e.Delta
		number++
	}
	if last.Type != "response."+last.Response.Status || last.Response.Status == "in_progress" || len(stream) == 0 {
		t.Fatalf("the stream ends with %s, a response that is %s", last.Type, last.Response.Status)
	}
	for i, item := range last.Response.Output {
		whole := item.Arguments
		for _, c := range slices.Concat(item.Summary, item.Content) {
			whole += c.Text + c.Refusal
		}
		if pieces[i] != whole {
			t.Errorf("item %d came as %q and is %q", i, pieces[i], whole)
		}
	}
}
