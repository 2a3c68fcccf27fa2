package openenv

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/google/jsonschema-go/jsonschema"

	"example.com/agentworld/engine"
)

// call asks over HTTP: with a body it posts. A "*" in the path is the address.
func call(t testing.TB, s *Server, path, body string) (status int, answer string) {
	t.Helper()
	ask := func() (*http.Response, error) { return http.Get(s.URL() + path) }
	if body != "" {
		ask = func() (*http.Response, error) {
			return http.Post(s.URL()+path, "application/json", strings.NewReader(body))
		}
	}
	r, err := ask()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSpace(string(text))
}

// TestSixChecks are those of a running server by the protocol's own validator.
func TestSixChecks(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Token = "a-token-of-the-address" })
	object := func(path, body string) (of map[string]any) {
		status, text := call(t, s, path, body)
		if err := json.Unmarshal([]byte(text), &of); err != nil || status != http.StatusOK {
			t.Errorf("%s: %d, %v: %.300s", path, status, err, text)
		}
		return of
	}
	isObject := func(v any) bool { _, is := v.(map[string]any); return is }
	isText := func(v any) bool { text, is := v.(string); return is && text != "" }
	api := object("/openapi.json", "")
	info, _ := api["info"].(map[string]any)
	paths, _ := api["paths"].(map[string]any)
	metadata, schema := object("/metadata", ""), object("/schema", "")
	for check, passed := range map[string]bool{
		"openapi_version_available": info["version"] == "1.0.0",
		"health_endpoint":           object("/health", "")["status"] == "healthy",
		"metadata_endpoint":         isText(metadata["name"]) && isText(metadata["description"]),
		"schema_endpoint":           isObject(schema["action"]) && isObject(schema["observation"]) && isObject(schema["state"]),
		"mcp_endpoint":              object("/mcp", "{}")["jsonrpc"] == "2.0",
		"mode_endpoint_consistency": isObject(paths["/reset"]) && isObject(paths["/step"]) && isObject(paths["/state"]),
	} {
		if !passed {
			t.Errorf("%s failed", check)
		}
	}
}

// TestSchema: the schema of an action is one flat object with one required field and no title that means a tool,
// and what a client is told and sends fits the schemas.
func TestSchema(t *testing.T) {
	s := serving(t, "task_production_data_60", nil)
	schemas := map[string]*jsonschema.Resolved{}
	var all map[string]*jsonschema.Schema
	_, text := call(t, s, "/schema", "")
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatal(err)
	}
	for name, of := range all {
		resolved, err := of.Resolve(nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		schemas[name] = resolved
	}
	a := all["action"]
	if len(a.Required) != 1 || a.Required[0] != "action" || a.Title != actionTitle || a.Type != "object" {
		t.Errorf("the action requires %v, is %s and called %s", a.Required, a.Type, a.Title)
	}
	p := join(t, s)
	r := p.ask(`{"type":"reset"}`)
	for name, value := range map[string]string{
		"action": `{"action":"mine_compound","amount":5,"until":[{"event":"heat_above","value":3}],"max_ticks":2,` +
			`"then":[{"action":"wait"}],"reason":"why"}`,
		"observation": string(r.Data.Observation),
		"state":       strings.TrimSuffix(strings.TrimPrefix(p.ask(`{"type":"state"}`).raw, `{"type":"state","data":`), "}"),
	} {
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			t.Fatal(err)
		}
		if err := schemas[name].Validate(v); err != nil {
			t.Errorf("%s: %v: %.300s", name, err, value)
		}
	}
}

// TestCallsOverHTTP: each makes a world of its own, and what is wrong with one is said in the form of the
// protocol.
func TestCallsOverHTTP(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Ended = func(o Outcome) { t.Errorf("an episode: %+v", o) } })
	for _, c := range []struct {
		path, body string
		status     int
		want       string
	}{
		{"/reset", `{"seed":4}`, 200, `"tick":1,"ticks":40,"score":0`},
		{"/reset", `{}`, 200, `"done":false`},
		{"/reset", `{"seed":-4}`, 422, `{"detail":[{"type":"value_error","loc":["data"]`},
		{"/reset", `{"goals":[]}`, 422, `goals`},
		{"/reset", `{`, 422, `{"detail":[{"type":"json_invalid","loc":["body"]`},
		{"/step", `{"action":{"action":"wait"}}`, 200, `"accepted":true`},
		{"/step", `{"action":{"action":"fly"},"timeout_s":5,"request_id":"a"}`, 200, `"code":"malformed"`},
		{"/step", `{"action":"wait"}`, 422, `{"detail":[{"type":"dict_type","loc":["body","action"],"msg":"Input should be a valid ` +
			`dictionary","input":"\"wait\""}]}`},
		{"/step", `{}`, 422, `{"detail":[{"type":"missing","loc":["body","action"],"msg":"Field required"}]}`},
		{"/step", `{"action":{"action":"wait"},"timeout_s":0}`, 422, `greater_than`},
		{"/step", `{"action":"` + strings.Repeat("x", messageMax) + `"}`, 413, `too large`},
		{"/state", "", 200, `{"episode_id":null,"step_count":0`},
		{"/manifest", "", 200, `"oracle":23`},
		{"/episodes", "", 200, `[]`},
		{"/list_environments", "", 200, `["` + small + `"]`},
		{"/" + small + "/splits", "", 200, `[{"name":"train","type":"train"},{"name":"test","type":"test"}]`},
		{"/TASK_production_chips_40/splits", "", 200, `train`},
		{"/other/splits", "", 404, small},
		{"/other/task", `{"split":"train","index":0}`, 404, small},
		{"/" + small + "/num_tasks", `{"split":"train"}`, 200, `{"num_tasks":1000000}`},
		{"/" + small + "/num_tasks", `{"split":"test"}`, 200, `{"num_tasks":20}`},
		{"/" + small + "/num_tasks", `{"split":"dev"}`, 400, `train`},
		{"/" + small + "/tasks", `{"split":"test"}`, 200, `{"env_name":"` + small + `","tasks":[{"id":"test-0","split":"test","index":0}`},
		{"/" + small + "/task", `{"split":"test","index":19}`, 200, `"seed":2000019,"reward_range":{"step":[`},
		{"/" + small + "/task", `{"split":"test","index":20}`, 400, `index`},
		{"/" + small + "/task", `{"split":"test"}`, 400, `index`},
		{"/" + small + "/task_range", `{"split":"test","start":18}`, 200,
			`{"tasks":[{"id":"test-18","split":"test","index":18},{"id":"test-19","split":"test","index":19}]}`},
		{"/" + small + "/task_range", `{"split":"train","start":-1,"stop":9999999}`, 200, `{"tasks":[{"id":"train-999999",`},
		{"/" + small + "/task_range", `{"split":"train","start":5,"stop":-999999}`, 200, `{"tasks":[]}`},
	} {
		if status, text := call(t, s, c.path, c.body); status != c.status || !strings.Contains(text, c.want) {
			t.Errorf("%s %.100s: %d %.400s, want %d with %s", c.path, c.body, status, text, c.status, c.want)
		}
	}
	left, err := os.ReadDir(s.archive.dir)
	if err != nil || len(left) > 0 {
		t.Errorf("worlds of calls stay: %v, %v", left, err)
	}
}

// TestJSONRPC: calls over HTTP are always answered with 200 and a code, a session that one made is played by its
// id alone, and ends with it.
func TestJSONRPC(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Sessions = 1 })
	rpc := func(body string) string {
		status, text := call(t, s, "/mcp", body)
		if status != http.StatusOK {
			t.Errorf("%s: %d", body, status)
		}
		return text
	}
	for _, c := range []struct{ body, want string }{
		{`{`, `"code":-32700`},
		{`[]`, `"code":-32600`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list","extra":1}`, `"code":-32600`},
		{`{"jsonrpc":"1.0","id":1,"method":"tools/list"}`, `"id":1,"error":{"code":-32600`},
		{`{"jsonrpc":"2.0","id":"a","method":"initialize"}`, `"id":"a","error":{"code":-32601`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act"}}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"openenv/session/close","params":{"session_id":"x"}}`, `"code":-32602`},
		{`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"act"`},
	} {
		if text := rpc(c.body); !strings.Contains(text, c.want) {
			t.Errorf("%s: %.300s, want %s", c.body, text, c.want)
		}
	}
	const create = `{"jsonrpc":"2.0","id":1,"method":"openenv/session/create"}`
	var made struct {
		Result struct {
			ID string `json:"session_id"`
		}
	}
	if err := json.Unmarshal([]byte(rpc(create)), &made); err != nil || made.Result.ID == "" {
		t.Fatalf("no session: %v", err)
	}
	if text := rpc(create); !strings.Contains(text, `"code":-32000`) {
		t.Errorf("a second session: %s", text)
	}
	for _, c := range []struct{ method, tool, want string }{
		{"tools/call", "act", `"tick":2`}, {"tools/call", "act", `"tick":3`}, {"tools/call", "observe", `"tick":3`},
		{"tools/call", "reset", `"code":-32602`}, {"openenv/session/close", "", made.Result.ID},
		{"tools/call", "observe", `"code":-32602`},
	} {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"name":%q,"arguments":{"action":"wait"},"session_id":%q}}`,
			c.method, c.tool, made.Result.ID)
		if text := rpc(body); !strings.Contains(text, c.want) {
			t.Errorf("%s %s: %.300s, want %s", c.method, c.tool, text, c.want)
		}
	}
	if s.free() != 1 {
		t.Error("the session did not give its place back")
	}
	// A connection of its own has an episode from the beginning.
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(s.URL(), "http", "ws", 1)+"/mcp", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	p := &player{t, conn}
	if r := p.ask(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"act","arguments":{"action":"wait"}}}`); !strings.Contains(r.raw, `"tick":2`) {
		t.Errorf("the move over its own connection: %.300s", r.raw)
	}
	_ = conn.CloseNow()
	eventually(t, "the connection's place is free", func() bool { return s.free() == 1 })
}

// TestTokenIsAsked: with a token nothing is answered without it, neither calls nor connections.
func TestTokenIsAsked(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Token = "secret-of-this-server" })
	bare := "http://" + s.listener.Addr().String()
	for _, path := range []string{"/health", "/ws", "/mcp", "/schema", "/secret/health"} {
		r, err := http.Get(bare + path)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(r.Body)
		_ = r.Body.Close()
		if r.StatusCode != http.StatusUnauthorized || strings.Contains(string(text), "secret-of") {
			t.Errorf("%s without the token: %d %s", path, r.StatusCode, text)
		}
	}
	join(t, s).leave()
}

// TestRing: the newest runs are kept, older ones of this server go, and what else is in the directory stays, the
// runs of another server among it.
func TestRing(t *testing.T) {
	dir, told := t.TempDir(), 0
	mine := filepath.Join(dir, "mine")
	if err := os.Mkdir(mine, 0o700); err != nil {
		t.Fatal(err)
	}
	a, err := openArchive(Options{Keep: KeepFailed, Dir: dir, Ended: func(Outcome) { told++ }})
	if err != nil {
		t.Fatal(err)
	}
	for i := range ringMax + 5 {
		run, err := a.reserve(instance{splitTrain, int64(i)})
		if err != nil {
			t.Fatal(err)
		}
		status := statusAbandoned
		if i < 2 {
			status = "completed"
		}
		a.take(Outcome{Index: int64(i), Status: status}, run)
	}
	left, err := os.ReadDir(dir)
	outcomes := a.outcomes()
	if err != nil || len(left) != ringMax+1 || len(outcomes) != ringMax || outcomes[0].Index != 5 || told != ringMax+5 {
		t.Errorf("%d files, %d outcomes, the first of episode %d, %d told, %v", len(left), len(outcomes), outcomes[0].Index,
			told, err)
	}
	if _, err := os.Stat(mine); err != nil || a.close() != nil {
		t.Errorf("what was in the directory: %v", err)
	}
	again, err := openArchive(Options{Keep: KeepAll, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	if got := outcomes[0]; strings.ContainsRune(got.Run, filepath.Separator) || got.Run == "" {
		t.Errorf("clients are told of the run %q", got.Run)
	}
	other, err := openArchive(Options{Keep: KeepAll, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	i := instance{splitTrain, 1004} // whose first names are taken
	run, err1 := again.reserve(i)
	theirs, err2 := other.reserve(i)
	other.drop(theirs)
	if _, err := os.Stat(run); err1 != nil || err2 != nil || err != nil {
		t.Errorf("two servers of one directory play in %s and %s: %v, %v, %v", run, theirs, err1, err2, err)
	}
}

// TestRefusedOptions: what cannot be served is refused, with what is allowed.
func TestRefusedOptions(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"no agent":          func(o *Options) { o.Agent = "agent-9" },
		"keep":              func(o *Options) { o.Keep = "some" },
		"needs a directory": func(o *Options) { o.Keep = KeepAll },
		"deadline":          func(o *Options) { o.Deadline = 2 * deadlineMax },
		"idle":              func(o *Options) { o.Idle = 2 * idleMax },
		"sessions":          func(o *Options) { o.Sessions = -1 },
		"a seat is called":  func(o *Options) { o.Play.Seats = []engine.Seat{{Name: seatName}} },
		"listen":            func(o *Options) { o.Listen = "nowhere" },
	} {
		o := options(t, small)
		change(&o)
		if _, err := New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if _, err := New(options(t, "minimal")); err == nil || !strings.Contains(err.Error(), "has no task") {
		t.Errorf("a scenario without a task: %v", err)
	}
}
