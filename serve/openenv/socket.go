package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

const (
	// queueMax is how many messages of a client may wait while it is answered.
	queueMax = 16
	// writeMax is how long a client may take to take an answer.
	writeMax = 30 * time.Second
)

// connection is a client's connection. One goroutine reads it all the time, since a ping is answered while it is
// read only; another answers one message after the other.
type connection struct {
	conn   *websocket.Conn
	ctx    context.Context
	cancel context.CancelFunc
	in     chan []byte
	// patience is how long the client may take to take an answer.
	patience time.Duration
	// flooded says that the client sent more than may wait; it is set before ctx ends.
	flooded bool
}

// connect accepts a connection, nil if it is none.
func (s *Server) connect(w http.ResponseWriter, r *http.Request) *connection {
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return nil // it was answered
	}
	conn.SetReadLimit(messageMax)
	c := &connection{conn: conn, in: make(chan []byte, queueMax), patience: s.options.patience}
	c.ctx, c.cancel = context.WithCancel(s.ctx)
	go c.read()
	return c
}

// read reads until the client is gone, or sends more than it waits for.
func (c *connection) read() {
	defer c.cancel()
	for {
		_, message, err := c.conn.Read(c.ctx)
		if err != nil {
			return
		}
		select {
		case c.in <- message:
		default:
			c.flooded = true
			return
		}
	}
}

// send sends a value. It reports whether the client took it in time.
func (c *connection) send(v any) bool {
	text, err := json.Marshal(v)
	if err != nil {
		panic("openenv: an answer cannot be encoded: " + err.Error())
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.patience)
	defer cancel()
	return c.conn.Write(ctx, websocket.MessageText, text) == nil
}

// errIdle says that a client was silent for too long.
var errIdle = errors.New("the session was idle for too long")

// next awaits a message of the client.
func (c *connection) next(idle time.Duration) ([]byte, error) {
	quiet := time.NewTimer(idle)
	defer quiet.Stop()
	select {
	case message := <-c.in:
		return message, nil
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	case <-quiet.C:
		return nil, errIdle
	}
}

// close ends the connection in good order, as far as the client takes part.
func (c *connection) close(code websocket.StatusCode) {
	select {
	case <-c.ctx.Done():
		if c.flooded {
			_ = c.conn.Close(websocket.StatusPolicyViolation, "too many messages before the answer")
		}
	default:
		_ = c.conn.Close(code, "") // while it is read, so that the client's goodbye is seen
	}
	c.cancel()
	_ = c.conn.CloseNow()
}

// message is what a client sends.
type message struct {
	Type *string         `json:"type"`
	Data json.RawMessage `json:"data"`
}

// answerMessage is what it gets for that.
type answerMessage struct {
	Type string `json:"type"`
	Data any    `json:"data"`
}

// socket serves a session of the protocol.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	full := func(p *problem) any { return answerMessage{"error", p} }
	s.session(w, r, full, s.converse)
}

// session gives a connection a place for as long as converse answers it, which returns the code to close with. A
// client for whom there is no place gets what full makes of that.
func (s *Server) session(w http.ResponseWriter, r *http.Request, full func(*problem) any,
	converse func(*connection, *place) websocket.StatusCode) {
	c := s.connect(w, r)
	if c == nil {
		return
	}
	p := s.sit()
	if p == nil {
		c.send(full(s.full()))
		c.close(websocket.StatusTryAgainLater)
		return
	}
	context.AfterFunc(c.ctx, p.cancel)
	code := converse(c, p)
	p.leave() // before the client takes its time to say goodbye
	c.close(code)
}

// converse answers one message after the other until the session ends, and returns the code of that.
func (s *Server) converse(c *connection, p *place) websocket.StatusCode {
	for {
		text, err := c.next(s.options.Idle)
		if errors.Is(err, errIdle) {
			c.send(answerMessage{"error", &problem{Code: codeSession, Message: err.Error()}})
		}
		if err != nil {
			return websocket.StatusGoingAway
		}
		reply, ends := s.answer(p, text)
		if reply != nil && !c.send(reply) || ends {
			return websocket.StatusNormalClosure
		}
	}
}

// answer answers a message; ends says that the session ends with it.
func (s *Server) answer(p *place, text []byte) (reply *answerMessage, ends bool) {
	var m message
	if !json.Valid(text) {
		return failed(&problem{Code: codeJSON, Message: "the message is no JSON"})
	}
	err := strictly(text, &m)
	switch {
	case err != nil:
		return failed(invalid("message", err.Error()))
	case m.Type == nil:
		return failed(invalid("type", "is missing"))
	}
	switch *m.Type {
	case "reset":
		return stepped(p.reset(m.Data))
	case "step":
		return stepped(p.step(m.Data))
	case "state":
		return &answerMessage{"state", p.state()}, false
	case "mcp":
		return &answerMessage{"mcp", s.rpc(m.Data, p)}, false
	case "close":
		return nil, true
	}
	return failed(&problem{Code: codeType, Message: "the type " + clip(*m.Type) +
		" is unknown; allowed: reset, step, state, mcp, close"})
}

func failed(p *problem) (reply *answerMessage, ends bool) {
	return &answerMessage{"error", p}, p.closes
}

func stepped(s Step, p *problem) (reply *answerMessage, ends bool) {
	if p != nil {
		return failed(p)
	}
	return &answerMessage{"observation", s}, false
}
