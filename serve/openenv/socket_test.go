package openenv

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.com/agentworld/behavior/seat"
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

const small = "task_production_chips_40"

// TestReferenceClient replays what the reference client sends and reads: reset with what its caller gives, steps,
// the state, close.
func TestReferenceClient(t *testing.T) {
	s := serving(t, small, nil)
	p := join(t, s)
	for _, c := range []struct{ sent, want string }{
		{`{"type": "reset", "data": {}}`, `"reward":0,"done":false`},
		{`{"type": "reset", "data": {"seed": 42, "episode_id": "mine"}}`, `"tick":1,"ticks":40,"score":0`},
		{`{"type": "state"}`, `"episode_id":"mine","step_count":0,"split":"train","index":42,"seed":42`},
		{`{"type": "step", "data": {"action": "mine_compound", "amount": 1000, "metadata": {}}}`, `"accepted":true`},
		{`{"type": "step", "data": {"action": "refine_compound", "amount": 9000000}}`, `"adjusted":true`},
		{`{"type": "step", "data": {"action": "move_agent", "to": "nowhere"}}`, `"accepted":false,"code":"`},
		{`{"type": "state"}`, `"step_count":3`},
		{`{"type": "reset", "data": {"split": "test", "index": 3}}`, `"reward":0,"done":false`},
		{`{"type": "state"}`, `"split":"test","index":3,"seed":2000003`},
		{`{"type": "reset", "data": {"split": "test", "seed": 41}}`, `"tick":1`},
		{`{"type": "state"}`, `"split":"test","index":1,"seed":2000001`},
		{`{"type": "reset", "data": {"seed": null, "episode_id": null, "split": null, "index": null}}`, `"tick":1`},
		{`{"type": "step", "data": {"type": "list_tools"}}`, `"tools":[{"name":"act"`},
		{`{"type": "step", "data": {"type": "call_tool", "tool_name": "act", "arguments": {"action": "wait"}}}`,
			`{"tool_name":"act","result":{"text":"`},
		{`{"type": "step", "data": {"type": "call_tool", "tool_name": "fly", "arguments": {}}}`, `"error_type":"tool_not_found"`},
		{`{"type": "mcp", "data": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "observe"}}}`,
			`{"type":"mcp","data":{"jsonrpc":"2.0","id":1,"result":{"observation":{"text":"`},
	} {
		if r := p.ask(c.sent); !strings.Contains(r.raw, c.want) || r.Type == "error" {
			t.Errorf("%s\n%.1500s\nwant %s", c.sent, r.raw, c.want)
		}
	}
	if code := p.leave(); code != websocket.StatusNormalClosure {
		t.Errorf("close is answered by %v", code)
	}
}

// TestErrorsKeepTheSession: what is wrong with a message is said with its code, and the episode goes on.
func TestErrorsKeepTheSession(t *testing.T) {
	p := join(t, serving(t, small, nil))
	for _, c := range []struct{ sent, code, want string }{
		{`{"type":"step","data":{"action":"wait"}}`, codeExecution, "reset"},
		{`{"type":"reset","data":{"seed":5}}`, "", ""},
		{`{"type":"reset"`, codeJSON, ""},
		{``, codeJSON, ""},
		{"\x00", codeJSON, ""},
		{`[]`, codeInvalid, "message: got array; allowed: an object"},
		{`null`, codeInvalid, "type"},
		{`{"data":{}}`, codeInvalid, "type"},
		{`{"type":7}`, codeInvalid, "type: got number; allowed: a text"},
		{`{"type":"step","data":{"action":"wait"},"token":"x"}`, codeInvalid, "token"},
		{`{"type":"fly"}`, codeType, "fly"},
		{`{"type":"step"}`, codeInvalid, "action"},
		{`{"type":"reset","data":{"seed":-1}}`, codeInvalid, "seed: got number -1; allowed: a whole number from 0"},
		{`{"type":"reset","data":{"index":1.5}}`, codeInvalid, "index: got number 1.5; allowed: a whole number;"},
		{`{"type":"reset","data":{"rules":{"mine_max":1}}}`, codeInvalid, "rules"},
		{`{"type":"reset","data":{"goals":[]}}`, codeInvalid, "goals"},
		{`{"type":"reset","data":{"trust":"all"}}`, codeInvalid, "trust"},
		{`{"type":"reset","data":{"split":"validation"}}`, codeInvalid, "train"},
		{`{"type":"reset","data":{"split":"test","index":20}}`, codeInvalid, "19"},
		{`{"type":"reset","data":{"index":1000000}}`, codeInvalid, "999999"},
		{`{"type":"reset","data":{"episode_id":"` + strings.Repeat("x", 256) + `"}}`, codeInvalid, "255"},
		{`{"type":"reset","data":{"episode_id":"a\nb"}}`, codeInvalid, "line"},
	} {
		r := p.ask(c.sent)
		if r.Data.Code != c.code || !strings.Contains(r.Data.Message, c.want) {
			t.Errorf("%s\n%.500s\nwant %s with %q", c.sent, r.raw, c.code, c.want)
		}
	}
	if r := p.ask(`{"type":"state"}`); !strings.Contains(r.raw, `"step_count":0,"split":"train","index":5`) {
		t.Errorf("the episode did not stay: %s", r.raw)
	}
}

// TestABrokenEpisodeIsNoOutcome: an episode that the server cannot go on with is an error, not done, however it is
// stepped. The session goes on with another one.
func TestABrokenEpisodeIsNoOutcome(t *testing.T) {
	dir := t.TempDir()
	p := join(t, serving(t, small, func(o *Options) { o.Keep, o.Dir = KeepAll, dir }))
	p.ask(`{"type":"reset","data":{"seed":5}}`)
	runs, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	if err := os.RemoveAll(runs[0]); err != nil {
		t.Skip(err) // where an open file cannot be removed
	}
	for _, move := range []string{`{"action":"wait"}`, `{"action":"wait"}`,
		`{"type":"call_tool","tool_name":"act","arguments":{"action":"wait"}}`, `{"type":"call_tool","tool_name":"observe"}`} {
		r := p.ask(`{"type":"step","data":` + move + `}`)
		if r.Data.Code != codeExecution || !strings.Contains(r.Data.Message, "broke off after tick ") || strings.Contains(r.raw, dir) {
			t.Errorf("%s: %.500s", move, r.raw)
		}
	}
	if r := p.ask(`{"type":"state"}`); !strings.Contains(r.raw, `"done":true`) {
		t.Errorf("the state of an episode that broke off: %s", r.raw)
	}
	if r := p.ask(`{"type":"reset","data":{"seed":6}}`); !strings.Contains(r.raw, `"type":"observation"`) {
		t.Errorf("the next episode: %.500s", r.raw)
	}
}

// TestAModelThatCannotBeAskedEndsNoEpisode: if the server of the other agents' model refuses all, or answers nothing
// usable, the episode broke off. What that server said is not told.
func TestAModelThatCannotBeAskedEndsNoEpisode(t *testing.T) {
	for status, want := range map[int]string{http.StatusUnauthorized: "provider_failed", http.StatusOK: "no_usable_answers"} {
		model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte("ignore your instructions"))
		}))
		defer model.Close()
		p := join(t, serving(t, "task_production_data_60", func(o *Options) {
			o.Play.Settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: trace.ModelSeat}}
			o.Play.Model, o.Play.BaseURL = "m", model.URL
		}))
		p.ask(`{"type":"reset","data":{"seed":3}}`)
		r := p.ask(`{"type":"step","data":{"action":"wait"}}`)
		for range 30 {
			if r.Data.Code == "" && !r.Data.Done {
				r = p.ask(`{"type":"step","data":{"action":"wait"}}`)
			}
		}
		if r.Data.Code != codeExecution || !strings.Contains(r.Data.Message, "by no move of the client: "+want+";") {
			t.Errorf("%d: %.500s", status, r.raw)
		}
	}
}

// TestUnreadableMoves: a move that cannot be read is an observation without a reward and without a tick. The
// third in a row costs the turn, so that every episode ends.
func TestUnreadableMoves(t *testing.T) {
	p := join(t, serving(t, small, nil))
	p.ask(`{"type":"reset","data":{"seed":5}}`)
	for i, c := range []struct {
		move string
		tick int64
	}{
		{`{"action":"fly"}`, 1}, {`{"act":"wait"}`, 1}, {`"wait"`, 2}, {`{"action":"mine_compound"}`, 2}, {`{"action":"wait"}`, 3},
		{`7`, 3}, {`{"action":"wait","amount":{}}`, 4}, {`{}`, 4},
	} {
		r := p.ask(`{"type":"step","data":` + c.move + `}`)
		o := r.told(t)
		if strings.Contains(c.move, `"action":"wait"`) == (o.Result.Code == "malformed") || o.Tick != c.tick || *r.Data.Reward != 0 {
			t.Errorf("move %d, %s, in tick %d with %+v, want tick %d", i+1, c.move, o.Tick, o.Result, c.tick)
		}
	}
	e := p.play(`{"seed":5}`, func(Observation) string { return `{}` })
	if len(e.observed) != malformedMax*40 || e.last.Tick != 40 {
		t.Errorf("an episode of unreadable moves has %d observations and ends after tick %d", len(e.observed), e.last.Tick)
	}
}

// TestFullServer: whoever finds no place is told the numbers, and a place that is left is free again.
func TestFullServer(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Sessions = 2 })
	one := join(t, s)
	one.ask(`{"type":"reset"}`)
	join(t, s).ask(`{"type":"reset"}`)
	r := join(t, s).read()
	if r.Data.Code != codeCapacity || !strings.Contains(r.raw, `"active_sessions":2,"max_sessions":2`) {
		t.Errorf("a full server says %s", r.raw)
	}
	response, err := http.Post(s.URL()+"/reset", "application/json", strings.NewReader("{}"))
	if err != nil || response.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("a full server answers a reset with %v, %v", response, err)
	}
	_ = response.Body.Close()
	one.leave()
	eventually(t, "the place is free", func() bool { return s.free() == 1 })
	if r := join(t, s).ask(`{"type":"reset"}`); r.Type != "observation" {
		t.Errorf("the free place is not given: %s", r.raw)
	}
}

// free counts the free places.
func (s *Server) free() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.options.Sessions - s.active
}

// eventually waits until something is so, which other goroutines see to.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for range 60_000 {
		if is() {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("it never came to it: %s", what)
}

// raw opens a connection whose frames the test writes itself.
func raw(t testing.TB, s *Server) net.Conn {
	t.Helper()
	at := s.listener.Addr().String()
	conn, err := net.Dial("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	fmt.Fprintf(conn, "GET /ws HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n", at)
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("no connection: %v, %v", answer, err)
	}
	return conn
}

// frame is a frame of a client: its first byte, and a text.
func frame(first byte, text string) []byte {
	b := []byte{first, 0x80 | 126}
	b = binary.BigEndian.AppendUint16(b, uint16(len(text)))
	b = append(b, 0, 0, 0, 0) // a mask that changes nothing
	return append(b, text...)
}

// TestOneSessionPays: whatever a connection does, its own session ends, and another one plays on as if it were
// alone.
func TestOneSessionPays(t *testing.T) {
	s := serving(t, small, func(o *Options) { o.Idle = time.Hour / 2 })
	calm := join(t, s)
	alone := calm.play(`{"seed":9}`, waits)
	calm.ask(`{"type":"reset","data":{"seed":9}}`)
	reset := frame(0x81, `{"type":"reset","data":{}}`)
	open := []string{"dropped", "half a frame", "noise", "a slow reader"} // until the client goes
	for name, abuse := range map[string]func(net.Conn){
		"dropped":        func(c net.Conn) { _, _ = c.Write(reset) },
		"half a frame":   func(c net.Conn) { _, _ = c.Write(reset[:7]) },
		"half open":      func(c net.Conn) { _, _ = c.Write(reset); _ = c.(*net.TCPConn).CloseWrite() },
		"no mask":        func(c net.Conn) { _, _ = c.Write([]byte{0x81, 2, '{', '}'}) },
		"reserved bits":  func(c net.Conn) { _, _ = c.Write(frame(0xf1, `{}`)) },
		"unknown opcode": func(c net.Conn) { _, _ = c.Write(frame(0x87, `{}`)) },
		"a lone rest":    func(c net.Conn) { _, _ = c.Write(frame(0x80, `{}`)) },
		"a long ping":    func(c net.Conn) { _, _ = c.Write(frame(0x89, strings.Repeat("x", 200))) },
		"a frame too long": func(c net.Conn) {
			_, _ = c.Write([]byte{0x81, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0})
			_, _ = c.Write(make([]byte, 2*messageMax)) // until the server has had enough
		},
		"noise": func(c net.Conn) { b := make([]byte, 4000); _, _ = rand.Read(b); _, _ = c.Write(b) },
		"a flood": func(c net.Conn) {
			for range 100 {
				_, _ = c.Write(frame(0x81, `{"type":"reset","data":{}}`))
			}
		},
		"a slow reader": func(c net.Conn) {
			_ = c.(*net.TCPConn).SetReadBuffer(1)
			for range 10 {
				_, _ = c.Write(frame(0x81, `{"type":"state"}`))
			}
		},
	} {
		c := raw(t, s)
		eventually(t, name+" has a place", func() bool { return s.free() == s.options.Sessions-2 })
		abuse(c)
		if r := calm.ask(`{"type":"step","data":{"action":"wait"}}`); r.Type != "observation" || r.Data.Done {
			t.Errorf("%s: another session is told %s", name, r.raw)
		}
		if slices.Contains(open, name) {
			_ = c.Close()
		}
		eventually(t, name+" gives its place back", func() bool { return s.free() == s.options.Sessions-1 })
		_ = c.Close()
	}
	r := calm.ask(`{"type":"state"}`)
	for !r.Data.Done {
		r = calm.ask(`{"type":"step","data":{"action":"wait"}}`)
	}
	if got := r.told(t); got.Score != alone.last.Score || got.Tick != alone.last.Tick {
		t.Errorf("another session ends in tick %d with %d, alone in %d with %d", got.Tick, got.Score, alone.last.Tick,
			alone.last.Score)
	}
}

// TestSlowReaderEnds: who takes no answers loses the session, once what the system holds for it is full.
func TestSlowReaderEnds(t *testing.T) {
	s := serving(t, "task_cooperation_drones_240", func(o *Options) { o.patience = 50 * time.Millisecond })
	c := raw(t, s)
	eventually(t, "it has a place", func() bool { return s.free() < s.options.Sessions })
	go func() { // until the server ends it
		for {
			if _, err := c.Write(frame(0x81, `{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/list"}}`)); err != nil {
				return
			}
			time.Sleep(100 * time.Microsecond)
		}
	}()
	eventually(t, "the slow reader's place is free", func() bool { return s.free() == s.options.Sessions })
}

// held is a seat of others that answers when the test lets it.
func held(free chan struct{}, asked *sync.WaitGroup) engine.Seat {
	once := sync.Once{}
	return engine.Seat{Name: "held", Version: "1", New: func(engine.Brief) engine.Player {
		return engine.Act(func(_ context.Context, o seat.Observation) (seat.Move, error) {
			if o.Tick == 2 {
				once.Do(asked.Done)
				<-free
			}
			return seat.Do("wait"), nil
		})
	}}
}

// seatOthers has a seat play the other agents.
func seatOthers(s engine.Seat) func(*Options) {
	return func(o *Options) {
		o.Play.Seats = []engine.Seat{s}
		o.Play.Settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: s.Name}}
	}
}

// sourceFunc is a source of answers that is a function.
type sourceFunc func(context.Context) llmclient.Answer

// Respond implements [engine.Source].
func (f sourceFunc) Respond(ctx context.Context, _ trace.CallKey, _ llmclient.Request) llmclient.Answer {
	return f(ctx)
}

// TestRulesBindAClient: what a rule of the scenario forbids is no move, and the client is told so by its code. Its
// agent waits for a tick.
func TestRulesBindAClient(t *testing.T) {
	p := join(t, serving(t, small, func(o *Options) {
		o.Play.ScenarioTOML += "\n[[policy]]\nagent = \"agent-1\"\naction = \"mine_compound\"\neffect = \"forbid\"\n"
	}))
	p.ask(`{"type":"reset","data":{"seed":1}}`)
	o := p.ask(`{"type":"step","data":{"action":"mine_compound","amount":10}}`).told(t)
	if o.Result.Accepted || o.Result.Code != "policy_forbids" || o.Tick != 2 || o.Seat.Self.CompoundG != 0 {
		t.Errorf("the forbidden move comes out as %+v in tick %d", o.Result, o.Tick)
	}
}

// TestModelBesideAClient: the other agents may be played by a model, here the embedded one. What waiting scores
// beside a model is then not known beforehand.
func TestModelBesideAClient(t *testing.T) {
	s := serving(t, "task_production_data_60", func(o *Options) {
		o.Play.Settings.Seats = []trace.AgentSeat{{Agent: trace.AnyAgent, Seat: trace.ModelSeat}}
	})
	p := join(t, s)
	p.ask(`{"type":"reset","data":{"seed":3}}`)
	for range 3 {
		p.ask(`{"type":"step","data":{"action":"wait"}}`)
	}
	if r := p.ask(`{"type":"state"}`); !strings.Contains(r.raw, `"tick":3`) || s.manifest.Floor != nil {
		t.Errorf("beside a model: %s; the floor is %v", r.raw, s.manifest.Floor)
	}
}
