package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/itchyny/gojq"

	"example.com/agentworld/llmclient/stub"
)

// pageBook is the playbook of the run on docs/provenance.md.
const pageBook = `format = 2
version = 1

[[bullet]]
id = "nav-00001"
content = "Mine compound where the agent stands before moving on."
helpful = 2

[[bullet]]
id = "res-00002"
content = "Refine compound into hardware to build an assembler."
harmful = 1

[[bullet]]
id = "res-00003"
content = "Harvest radiation while power is low."
helpful = 4
`

// TestProvenancePage runs every line of jq on the page against a run and compares
// the output with the page's.
func TestProvenancePage(t *testing.T) {
	const path = "../../docs/provenance.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := pageRun(t)
	blocks := strings.Split(string(page), "```console\n")
	for i, block := range blocks[1:] {
		old, rest, _ := strings.Cut(block, "```")
		command := pageCommand(old)
		output := jq(t, dir, command)
		if output == "" {
			t.Errorf("no output: %s", command)
		}
		blocks[i+1] = command + "\n" + output + "```" + rest
	}
	if len(blocks) < 12 {
		t.Errorf("the page has %d lines of jq", len(blocks)-1)
	}
	got := strings.Join(blocks, "```console\n")
	keepPage(t, path, string(page), got)
	// Each source says how it begins; one that was not used is shown with it, too.
	for _, kind := range []string{"bullet", "memory", "message", "module"} {
		previews := jq(t, dir, `$ jq -r 'select(.type == "decision") | .sources_retrieved[] | select(.kind == "`+kind+`") | "\(.preview | length > 0 and length <= 100)"' RUN/trace.jsonl`)
		if !strings.Contains(previews, "true") || strings.Contains(previews, "false") {
			t.Errorf("sources of kind %s without a preview: %q", kind, previews)
		}
	}
	perBullet := `.provenance.bullets[] | {id, retrieved: .effect.retrieved, used: .effect.used}`
	if report := jq(t, dir, "$ jq -cS '"+perBullet+"' RUN/report.json"); strings.Count(got, report) != 2 {
		t.Errorf("trace and report do not count the same, the report has:\n%s", report)
	}
}

// pageRun makes the run of the page and returns its directory: agent-1 follows one
// lesson where it is shown, names one that is not there, and one that never was. The compact profile leaves
// something out that can be asked for.
func pageRun(t *testing.T) string {
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
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		reply := answer.Body.Bytes()
		if bytes.Contains(body, []byte("you: agent-1,")) {
			// Arguments are JSON within JSON.
			reply = bytes.ReplaceAll(reply, []byte(`\"sources_used\":[`), []byte(`\"sources_used\":[\"res-00002\",`))
			reply = bytes.ReplaceAll(reply, []byte(`,]`), []byte(`]`))
			reply = bytes.ReplaceAll(reply, []byte(`\"why\":\"`), []byte(`\"why\":\"[res-00002] (nav-00077) `))
		}
		_, _ = w.Write(reply)
	}))
	t.Cleanup(server.Close)
	p := newProcess(t, nil, "llm_bootstrap", "--ticks", "8", "--chain-steps", "0", "--prompt-profile", "compact", "--model", "m", "--base-url", server.URL, "--playbook", "book.toml", "--playbook-bullets", "2", "--freeze-playbook", "--run-dir", "run")
	if err := os.WriteFile(filepath.Join(p.dir, "book.toml"), []byte(pageBook), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run(t); code != exitCompleted {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	return filepath.Join(p.dir, "run")
}

// jq runs "$ jq FLAGS 'FILTER' RUN/FILE" with the flags -cS, -r and -s; the page uses
// no others, and keys are sorted, as this library has them.
func jq(t *testing.T, dir, command string) string {
	t.Helper()
	parts := strings.Split(command, "'")
	if len(parts) != 3 || !slices.Contains([]string{"$ jq -cS ", "$ jq -s -cS ", "$ jq -r "}, parts[0]) {
		t.Fatalf("not a line of jq: %s", command)
	}
	query, err := gojq.Parse(parts[1])
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	f, err := os.Open(filepath.Join(dir, strings.TrimPrefix(strings.TrimSpace(parts[2]), "RUN/")))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	inputs := values(t, f)
	flags := parts[0]
	if strings.Contains(flags, "-s") {
		inputs = []any{inputs}
	}
	var out strings.Builder
	for _, input := range inputs {
		results := query.Run(input)
		for v, more := results.Next(); more; v, more = results.Next() {
			if err, failed := v.(error); failed {
				t.Fatalf("%s: %v", command, err)
			}
			if text, isText := v.(string); isText && strings.Contains(flags, "-r") {
				fmt.Fprintln(&out, strings.TrimRight(text, "\n"))
				continue
			}
			line, err := gojq.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&out, "%s\n", line)
		}
	}
	return out.String()
}

// values reads the JSON values of a file.
func values(t *testing.T, r io.Reader) (list []any) {
	t.Helper()
	d := json.NewDecoder(r)
	for {
		var v any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, v)
	}
}
