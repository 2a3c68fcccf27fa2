package openenv

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"example.com/agentworld/session"
)

// serving serves a task for the time of a test.
func serving(t testing.TB, name string, change func(*Options)) *Server {
	t.Helper()
	o := options(t, name)
	if change != nil {
		change(&o)
	}
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serve: %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	return s
}

// options serve a task with its defaults.
func options(t testing.TB, name string) Options {
	t.Helper()
	settings, err := session.Defaults(name)
	if err != nil {
		t.Fatal(err)
	}
	return Options{Play: session.Config{Settings: settings}}
}

// player is a client of a test.
type player struct {
	testing.TB
	conn *websocket.Conn
}

// join opens a session.
func join(t testing.TB, s *Server) *player {
	t.Helper()
	conn, _, err := websocket.Dial(context.Background(), strings.Replace(s.URL(), "http", "ws", 1)+"/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &player{t, conn}
}

// send sends a text as it is.
func (p *player) send(text string) {
	p.Helper()
	if err := p.conn.Write(context.Background(), websocket.MessageText, []byte(text)); err != nil {
		p.Fatal(err)
	}
}

// reply is what a test looks at in an answer.
type reply struct {
	Type string
	Data struct {
		Observation json.RawMessage
		Reward      *int64
		Done        bool
		Code        string
		Message     string
	}
	raw string
}

// told is an observation of an answer.
func (r reply) told(t testing.TB) (o Observation) {
	t.Helper()
	if err := json.Unmarshal(r.Data.Observation, &o); err != nil || r.Type != "observation" {
		t.Fatalf("no observation: %v: %.500s", err, r.raw)
	}
	return o
}

// ask sends a text and awaits the answer.
func (p *player) ask(text string) (r reply) {
	p.Helper()
	p.send(text)
	return p.read()
}

// read awaits an answer.
func (p *player) read() (r reply) {
	p.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, text, err := p.conn.Read(ctx)
	if err != nil {
		p.Fatal(err)
	}
	r.raw = string(text)
	if err := json.Unmarshal(text, &r); err != nil {
		p.Fatalf("%v: %s", err, text)
	}
	return r
}

// leave ends the session as a client does, and returns how the server said goodbye.
func (p *player) leave() websocket.StatusCode {
	p.Helper()
	p.send(`{"type":"close"}`)
	_, _, err := p.conn.Read(context.Background())
	return websocket.CloseStatus(err)
}
