package dashboard_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld"
	"example.com/agentworld/run"
)

// request asks a server and returns status and body.
func request(t *testing.T, at string, change func(*http.Request)) (status int, header http.Header, body []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at, nil)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(r)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if body, err = io.ReadAll(answer.Body); err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, answer.Header, body
}

// read asks for JSON, which must be there.
func read[T any](t *testing.T, at string) (v T) {
	t.Helper()
	status, header, body := request(t, at, nil)
	if status != http.StatusOK || header.Get("Cache-Control") != "no-store" {
		t.Fatalf("%s: status %d, %v\n%s", at, status, header, body)
	}
	if err := json.Unmarshal(body, &v); err != nil {
		t.Fatalf("%s: %v\n%s", at, err, body)
	}
	return v
}

func TestWhatARunAnswers(t *testing.T) {
	dir := t.TempDir()
	record(t, filepath.Join(dir, "sub", "hub"), "llm_bootstrap", 12, nil)
	at := serve(t, dir) + "api/"
	type row struct {
		ID, Status string
		Ticks      int64
	}
	runs := read[struct{ Runs []row }](t, at+"runs").Runs
	if len(runs) != 1 || runs[0] != (row{"sub/hub", "completed", 12}) {
		t.Fatalf("runs are %+v", runs)
	}
	q := "?run=sub%2Fhub"
	of := read[struct {
		Tick    int64
		Reading bool
		Columns map[string][]int64
		Agents  []struct{ ID string }
		Goals   []any
	}](t, at+"run"+q)
	if of.Tick != 12 || of.Reading || len(of.Agents) != 5 || len(of.Columns["tick"]) != 12 || of.Columns["calls"][0] == 0 || len(of.Goals) == 0 {
		t.Errorf("the run is %+v", of)
	}
	if chart := read[struct{ Places []struct{ ID string } }](t, at+"chart"+q); len(chart.Places) != 7 || chart.Places[0].ID != "llm-hub" {
		t.Errorf("the chart has %+v", chart.Places)
	}
	world := read[struct {
		Tick   int64
		Agents []struct {
			ID, Place   string
			Electricity int64
		}
		Did []struct {
			Tick     int64
			Accepted bool
		}
	}](t, at+"world"+q+"&tick=7")
	agent := read[struct {
		Columns map[string][]int64
		Lane    []struct {
			Tick   int64
			Action string
		}
	}](t, at+"agent"+q+"&agent=agent-1")
	if world.Tick != 7 || len(world.Agents) != 5 || world.Agents[0].Electricity != agent.Columns["electricity"][6] || world.Did[0].Tick != 7 {
		t.Errorf("tick 7 is %+v, and over time %v", world, agent.Columns["electricity"])
	}
	if len(agent.Lane) != 12 || agent.Lane[2].Tick != 3 {
		t.Errorf("the lane is %+v", agent.Lane)
	}
	turn := read[struct {
		Decision struct{ Why string }
		Sources  []struct {
			ID, Preview string
			Used        bool
			FromTick    int64 `json:"from_tick"`
		}
		Calls []struct {
			Step      int
			ToolCalls []struct {
				CallID, Name, Arguments, Result string
			} `json:"tool_calls"`
		}
		LedTo []struct{ Tick int64 } `json:"led_to"`
	}](t, at+"turn"+q+"&tick=3&agent=agent-1")
	if turn.Decision.Why == "" || len(turn.Sources) == 0 || turn.Sources[0].Preview == "" || len(turn.Calls) < 2 || len(turn.Calls[0].ToolCalls) != 1 || turn.Calls[0].ToolCalls[0].Result == "" || len(turn.LedTo) == 0 {
		t.Errorf("the turn is %+v", turn)
	}
	prompt := read[struct {
		Instructions string
		Sections     []struct{ Name string }
		Input        []struct{ Text string }
	}](t, at+"prompt"+q+"&tick=3&agent=agent-1&step=1")
	if prompt.Instructions == "" || len(prompt.Sections) == 0 || !strings.Contains(prompt.Input[1].Text, "# Goals") {
		t.Errorf("the prompt is %+v", prompt)
	}
	log := read[struct {
		Rows []struct {
			Tick       int64
			Kind, Text string
		}
		Last int64
	}](t, at+"log"+q+"&kind=decision&agent=agent-1&q=BUILD_factory")
	if len(log.Rows) == 0 || log.Rows[0].Tick != 3 || log.Last != 12 {
		t.Errorf("the log has %+v", log)
	}
	for bad, want := range map[string]int{
		"run?run=none": http.StatusNotFound, "world" + q + "&tick=-1": http.StatusBadRequest, "world" + q + "&tick=x": http.StatusBadRequest, "agent" + q + "&agent=x": http.StatusBadRequest,
		"turn" + q + "&tick=1&agent=x": http.StatusBadRequest, "prompt" + q + "&tick=3&agent=agent-1&step=99": http.StatusNotFound, "prompt" + q + "&tick=3&agent=agent-1&step=x": http.StatusBadRequest,
		"compare": http.StatusBadRequest, "batch?batch=sub": http.StatusNotFound, "nothing": http.StatusNotFound,
	} {
		if status, _, body := request(t, at+bad, nil); status != want || !json.Valid(body) {
			t.Errorf("%s: status %d, want %d: %s", bad, status, want, body)
		}
	}
}

func TestOtherHostsAndOriginsAreRefused(t *testing.T) {
	at := serve(t, t.TempDir())
	host, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, c := range []struct {
		what, path string
		change     func(*http.Request)
		want       int
	}{
		{"own", "", nil, 200},
		{"own origin", "api/runs", with("Origin", "http://"+host.Host), 200},
		{"localhost", "api/runs", func(r *http.Request) { r.Host = "localhost:" + host.Port() }, 200},
		{"foreign host", "api/runs", func(r *http.Request) { r.Host = "evil.example:" + host.Port() }, 421},
		{"foreign host of the page", "", func(r *http.Request) { r.Host = "evil.example" }, 421},
		{"a tunnel from another port", "api/runs", func(r *http.Request) { r.Host = "localhost:1" }, 200},
		{"foreign origin", "api/runs", with("Origin", "http://evil.example"), 403},
		{"null origin", "api/stream", with("Origin", "null"), 403},
		{"other port's origin", "api/runs", with("Origin", "http://127.0.0.1:1"), 403},
		{"cross site", "api/runs", with("Sec-Fetch-Site", "cross-site"), 403},
		{"same site", "api/runs", with("Sec-Fetch-Site", "same-site"), 403},
		{"a link to the page", "", with("Sec-Fetch-Site", "cross-site"), 200},
		{"post", "api/runs", func(r *http.Request) { r.Method = http.MethodPost }, 405},
	} {
		status, header, _ := request(t, at+c.path, c.change)
		if status != c.want {
			t.Errorf("%s: status %d, want %d", c.what, status, c.want)
		}
		if csp := header.Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", c.what, header)
		}
	}
}

// TestNothingOutsideIsRead asks for what is not below the directory, by path and by link.
func TestNothingOutsideIsRead(t *testing.T) {
	top := t.TempDir()
	outside, dir := filepath.Join(top, "outside"), filepath.Join(top, "runs")
	record(t, outside, "minimal", 2, nil)
	record(t, filepath.Join(dir, "own"), "minimal", 2, nil)
	link := func(to, name string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	link(outside, "linked")
	link(filepath.Join(outside, run.TraceFile), "file/"+run.TraceFile)
	if err := os.WriteFile(filepath.Join(dir, "file", run.ReportFile), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	link(top, "up")
	at := serve(t, dir) + "api/"
	if runs := read[struct{ Runs []struct{ ID string } }](t, at+"runs").Runs; len(runs) != 1 || runs[0].ID != "own" {
		t.Errorf("the runs are %+v", runs)
	}
	for _, id := range []string{"../outside", "..", "own/../../outside", "/" + outside, outside, "linked", "up/outside", "file", "own/", "./own", "own//", "", "own\x00", `..\outside`, "OWN/.."} {
		for _, path := range []string{"run?run=", "log?run=", "compare?a=own&b=", "batch?batch="} {
			if status, _, body := request(t, at+path+url.QueryEscape(id), nil); status != http.StatusNotFound || bytes.Contains(body, []byte(top)) {
				t.Errorf("%s%q: status %d: %s", path, id, status, body)
			}
		}
	}
	for _, path := range []string{"../go.mod", "static/../../server.go", "js/../../server.go", "%2e%2e/server.go"} {
		if status, _, _ := request(t, strings.TrimSuffix(at, "api/")+path, nil); status == http.StatusOK {
			t.Errorf("%s is served", path)
		}
	}
}

// TestARunUnderWayIsFollowed plays a run while a client of the stream watches.
func TestARunUnderWayIsFollowed(t *testing.T) {
	dir := t.TempDir()
	at := serve(t, dir) + "api/"
	r, err := http.Get(at + "stream")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	settings, err := agentworld.Defaults("minimal")
	if err != nil {
		t.Fatal(err)
	}
	settings.Ticks = 3
	tick, next := make(chan int64), make(chan bool)
	ended := make(chan error, 1)
	go func() {
		_, err := agentworld.Run(t.Context(), agentworld.Options{Settings: settings, Dir: filepath.Join(dir, "live"), Progress: func(p agentworld.Progress) { tick <- p.Tick; <-next }})
		ended <- err
	}()
	events := bufio.NewReader(r.Body)
	heard := func(id string) {
		t.Helper()
		for {
			line, err := events.ReadString('\n')
			if err != nil {
				t.Fatalf("the stream ended before it told of %q: %v", id, err)
			}
			var ids []string
			if text, is := strings.CutPrefix(line, "data: "); is && json.Unmarshal([]byte(text), &ids) == nil {
				for _, one := range ids {
					if one == id {
						return
					}
				}
			}
		}
	}
	type view struct {
		Tick int64
		Row  struct{ Status string }
	}
	<-tick
	if v := read[view](t, at+"run?run=live"); v.Tick != 1 || v.Row.Status != "running" {
		t.Errorf("in tick 1 the run is %+v", v)
	}
	next <- true
	for n := int64(2); n <= 3; n++ {
		<-tick
		for read[view](t, at+"run?run=live").Tick < n {
			heard("live")
		}
		next <- true
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for read[view](t, at+"run?run=live").Row.Status != "completed" {
		heard("live")
	}
}

// TestTheScriptIsSmall counts all scripts: ours and the libraries.
func TestTheScriptIsSmall(t *testing.T) {
	plain, small := 0, 0
	err := filepath.WalkDir("static", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".js" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(data)
		_ = z.Close()
		plain, small = plain+len(data), small+b.Len()
		return nil
	})
	if err != nil || plain > 300_000 || small > 100_000 || plain == 0 {
		t.Errorf("scripts take %d bytes, %d compressed, at most 300000 and 100000: %v", plain, small, err)
	}
	t.Logf("%d bytes of script, %d compressed", plain, small)
}
