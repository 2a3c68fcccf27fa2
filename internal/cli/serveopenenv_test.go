package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/session/access"
)

// TestNoticesOfManyRuns: runs that are played at the same time may all withhold a key.
func TestNoticesOfManyRuns(t *testing.T) {
	p := newProcess(t, nil)
	key := settings.Value{Setting: settings.Setting{Key: "llm.api_key"}}
	c := config{Config: settings.Config{Values: settings.Values{key}}}
	n := &noticed{of: &listener{m: p.Main, config: c}}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() { n.Notice(access.Withheld{URL: "http://127.0.0.1:1"}) })
	}
	all.Wait()
	if got := strings.Count(p.stderr.String(), "note: "); got != 4 {
		t.Errorf("%d notes: %s", got, p.stderr.String())
	}
}

// TestServeOpenEnv: the command prints an address that answers, then a line for each episode, and plays as its
// flags say. What cannot be served is refused before that.
func TestServeOpenEnv(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"", "allowed: --openenv TASK or --mcp"},
		{"--openenv --mcp", "allowed: --openenv TASK or --mcp"},
		{"--openenv", "exactly one argument"},
		{"--openenv nowhere", "nowhere"},
		{"--openenv minimal", "has no task"},
		{"--openenv task_production_data_60 --agent agent-7", "no agent"},
		{"--openenv task_production_data_60 --seat agent-2=fly", "fly"},
		{"--openenv task_production_data_60 --keep some", "none, failed, all"},
		{"--openenv task_production_data_60 --listen 0.0.0.0:0", "of this machine alone"},
		{"--openenv task_production_data_60 --listen 127.0.0.1:99999", `--listen "127.0.0.1:99999" cannot be listened on: invalid port`},
		{"--mcp --listen 127.0.0.1:99999", `--listen "127.0.0.1:99999" cannot be listened on: invalid port`},
		{"--openenv task_production_data_60 --keep all --dir /dev/null/runs", `--dir "/dev/null/runs" cannot be made`},
		{"--openenv task_production_data_60 --sessions 0", "a number from 1"},
		{"--openenv task_production_data_60 --allow-runs 3", "--allow-runs is for --mcp"},
		{"--mcp --allow-runs 1 --seat agent-1=fly", `the seat "fly", which this program does not have`},
		{"--mcp --allow-runs 1 --model m --cap-cost 1 --base-url http://127.0.0.1:1", "no price of model"},
		{"--mcp --sessions 64", "--sessions is for --openenv"},
	} {
		p := newProcess(t, nil, append([]string{"serve"}, strings.Fields(c.args)...)...)
		if code := p.run(t); code != exitBadInput || !strings.Contains(p.stderr.String(), c.want) || p.stdout.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s", c.args, code, p.output())
		}
	}
	for _, c := range []struct {
		args  []string
		token bool
		who   string
	}{
		{[]string{"--agent", "agent-2", "--seat", "*=greedy", "--keep", "all", "--dir", "kept"}, false, `"others":{"agent-1":"greedy"}`},
		{[]string{"--model", "m", "--base-url", "http://127.0.0.1:1"}, true, `"others":{"agent-2":"model"}`},
	} {
		p := newProcess(t, nil, append([]string{"serve", "--openenv", "task_production_data_60"}, c.args...)...)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		ended := make(chan int, 1)
		read, write := io.Pipe()
		p.Stdout = write
		go func() { ended <- p.Run(ctx); _ = write.Close() }()
		lines := bufio.NewScanner(read)
		if !lines.Scan() {
			t.Fatalf("%s: nothing is printed\n%s", c.args, p.stderr.String())
		}
		address := lines.Text()
		at, err := url.Parse(address)
		if err != nil || (len(at.Path) > 20) != c.token {
			t.Errorf("%s: the address is %s, %v", c.args, address, err)
		}
		answer, err := http.Get(address + "/manifest")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if !strings.Contains(string(text), c.who) {
			t.Errorf("%s: the manifest is %s", c.args, text)
		}
		if !c.token {
			conn, _, err := websocket.Dial(ctx, strings.Replace(address, "http", "ws", 1)+"/ws", nil)
			if err != nil {
				t.Fatal(err)
			}
			conn.SetReadLimit(-1)
			_ = conn.Write(ctx, websocket.MessageText, []byte(`{"type":"reset","data":{"seed":5}}`))
			_, _, _ = conn.Read(ctx)
			_ = conn.CloseNow()
			var outcome struct {
				Seed        uint64
				Status, Run string
			}
			if !lines.Scan() || json.Unmarshal(lines.Bytes(), &outcome) != nil || outcome.Seed != 5 ||
				outcome.Status != "abandoned" {
				t.Errorf("the episode came out as %s", lines.Text())
			}
			inspected := newProcess(t, nil, "inspect", outcome.Run)
			if code := inspected.run(t); code != exitCompleted {
				t.Errorf("the kept run: exit code %d\n%s", code, inspected.output())
			}
		}
		cancel()
		for lines.Scan() {
		}
		if code := <-ended; code != exitCompleted {
			t.Errorf("interrupted, exit code %d\n%s", code, p.stderr.String())
		}
	}
}
