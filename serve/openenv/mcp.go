package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/coder/websocket"

	"example.com/agentworld/serve"
)

// The codes of JSON-RPC.
const (
	rpcParse    = -32700
	rpcRequest  = -32600
	rpcMethod   = -32601
	rpcParams   = -32602
	rpcInternal = -32603
	rpcServer   = -32000
)

// rpcCall is a call of JSON-RPC.
type rpcCall struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

// rpcReply is its answer: a result or an error.
type rpcReply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// rpcParameters are those of all methods.
type rpcParameters struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
	Session   *string         `json:"session_id"`
}

// rpc answers a call. own is the place of the connection, nil where it has none.
func (s *Server) rpc(text []byte, own *seated) rpcReply {
	var c rpcCall
	var q rpcParameters
	reply := rpcReply{Version: "2.0"}
	fail := func(code int, message string) rpcReply {
		reply.Error = &rpcError{code, message}
		return reply
	}
	if !json.Valid(text) {
		return fail(rpcParse, "the request is no JSON")
	}
	err := strictly(text, &c)
	if err == nil {
		reply.ID = c.ID
	}
	switch {
	case err != nil:
		return fail(rpcRequest, clip(err.Error()))
	case c.Version != "2.0" || c.Method == "":
		return fail(rpcRequest, `allowed is a request with "jsonrpc":"2.0" and a method`)
	}
	if len(c.Params) > 0 {
		err = json.Unmarshal(c.Params, &q)
		if of, is := errors.AsType[*json.UnmarshalTypeError](err); is {
			return fail(rpcParams, clip("params: "+mismatch(of).Error()))
		}
		if err != nil {
			return fail(rpcParams, clip(err.Error()))
		}
	}
	switch c.Method {
	case "tools/list":
		reply.Result = map[string]any{"tools": s.tools()}
	case "openenv/session/create":
		id, wrong := s.guests.create(s)
		if wrong != nil {
			return fail(rpcServer, wrong.Message)
		}
		reply.Result = map[string]string{"session_id": id}
	case "openenv/session/close":
		if q.Session == nil || !s.guests.close(*q.Session) {
			return fail(rpcParams, "session_id: there is no such session")
		}
		reply.Result = map[string]string{"session_id": *q.Session}
	case "tools/call":
		p := own
		if q.Session != nil {
			p = s.guests.find(*q.Session)
		}
		if p == nil {
			return fail(rpcParams, "session_id: there is no such session; openenv/session/create makes one")
		}
		step, wrong := p.call(q.Name, q.Arguments)
		switch {
		case wrong == nil:
			reply.Result = step
		case wrong.Type == "tool_not_found":
			return fail(rpcParams, wrong.Message)
		default:
			return fail(rpcServer, wrong.Message)
		}
	default:
		return fail(rpcMethod, "there is no such method; allowed: tools/list, tools/call, openenv/session/create, "+
			"openenv/session/close")
	}
	return reply
}

// postMCP answers a call over HTTP, always with 200.
func (s *Server) postMCP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, messageMax))
	if err != nil {
		text = nil
	}
	serve.Answer(w, s.rpc(text, nil))
}

// mcpSocket answers calls over a connection of their own, which has a place with an episode.
func (s *Server) mcpSocket(w http.ResponseWriter, r *http.Request) {
	c := s.connect(w, r)
	if c == nil {
		return
	}
	p := s.sit()
	if p == nil {
		c.send(rpcReply{Version: "2.0", Error: &rpcError{rpcServer, s.full().Message}})
		c.close(websocket.StatusTryAgainLater)
		return
	}
	context.AfterFunc(c.ctx, p.cancel)
	code := s.converseMCP(c, p)
	p.leave()
	c.close(code)
}

// converseMCP answers one call after the other until the session ends, and returns the code of that.
func (s *Server) converseMCP(c *connection, p *seated) websocket.StatusCode {
	if _, wrong := p.reset(nil); wrong != nil {
		c.send(rpcReply{Version: "2.0", Error: &rpcError{rpcInternal, wrong.Message}})
		return websocket.StatusInternalError
	}
	for {
		text, err := c.next(s.options.Idle)
		if err != nil || !c.send(s.rpc(text, p)) {
			return websocket.StatusGoingAway
		}
	}
}
