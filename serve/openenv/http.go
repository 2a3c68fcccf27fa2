package openenv

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"example.com/agentworld/serve"
)

// messageMax bounds what a client sends at once, in bytes.
const messageMax = 1 << 20

// routes are all that the server answers.
func (s *Server) routes() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /ws", s.socket)
	m.HandleFunc("GET /mcp", s.mcpSocket)
	m.HandleFunc("POST /mcp", s.postMCP)
	m.HandleFunc("POST /reset", s.postReset)
	m.HandleFunc("POST /step", s.postStep)
	for path, get := range map[string]func() any{
		"/state":        func() any { return State{Agent: s.task.agent, Ticks: s.task.of.Task.Ticks} },
		"/schema":       func() any { return s.schema() },
		"/metadata":     func() any { return s.metadata() },
		"/health":       func() any { return map[string]string{"status": "healthy"} },
		"/openapi.json": func() any { return s.openAPI() },
		"/manifest":     func() any { return s.manifest },
		"/episodes":     func() any { return s.archive.outcomes() },
	} {
		m.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { serve.Answer(w, get()) })
	}
	s.taskRoutes(m)
	return m
}

// schema describes actions, observations and states.
func (s *Server) schema() any {
	return map[string]json.RawMessage{"action": s.action, "observation": observationSchema(), "state": stateSchema()}
}

// metadata describes the environment in the fields of the protocol.
func (s *Server) metadata() any {
	return map[string]string{"name": s.task.of.ID, "description": s.task.of.Text, "readme_content": s.readme,
		"version": Protocol}
}

// openAPI lists the paths.
func (s *Server) openAPI() any {
	operation := func(methods ...string) map[string]any {
		of := map[string]any{}
		for _, method := range methods {
			of[method] = map[string]any{"responses": map[string]any{"200": map[string]string{"description": "the answer"}}}
		}
		return of
	}
	return map[string]any{
		"openapi": "3.1.0", "info": map[string]string{"title": s.task.of.ID, "version": "1.0.0"},
		"paths": map[string]any{
			"/reset": operation("post"), "/step": operation("post"), "/state": operation("get"), "/schema": operation("get"),
			"/metadata": operation("get"), "/health": operation("get"), "/mcp": operation("post"),
			"/manifest": operation("get"), "/episodes": operation("get"), "/list_environments": operation("get"),
			"/{env_name}/splits": operation("get"), "/{env_name}/tasks": operation("post"),
			"/{env_name}/num_tasks": operation("post"), "/{env_name}/task": operation("post"),
			"/{env_name}/task_range": operation("post"),
		},
	}
}

// body reads the JSON body of a request, and answers if it is none.
func body(w http.ResponseWriter, r *http.Request, into any) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, messageMax))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		detail(w, http.StatusRequestEntityTooLarge, "the request is too large")
		return false
	}
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		detail(w, http.StatusUnprocessableEntity, []fault{{Type: "json_invalid", At: []string{"body"},
			Text: clip(err.Error())}})
		return false
	}
	return true
}

// postReset begins a world for this request alone, and shows the first observation of it.
func (s *Server) postReset(w http.ResponseWriter, r *http.Request) {
	var data json.RawMessage
	if body(w, r, &data) {
		s.once(w, r, data, nil)
	}
}

// postStep begins a world for this request alone, and makes one move in it.
func (s *Server) postStep(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Action  json.RawMessage `json:"action"`
		Timeout *float64        `json:"timeout_s"`
		ID      *string         `json:"request_id"`
	}
	if !body(w, r, &q) {
		return
	}
	var object map[string]json.RawMessage
	wrong := fault{Type: "missing", At: []string{"body", "action"}, Text: "Field required"}
	switch {
	case len(q.Action) == 0:
	case json.Unmarshal(q.Action, &object) != nil || object == nil:
		wrong.Type = "dict_type"
		wrong.Text = "Input should be a valid dictionary"
		wrong.Input = clip(string(q.Action))
	case q.Timeout != nil && *q.Timeout <= 0:
		wrong = fault{Type: "greater_than", At: []string{"body", "timeout_s"}, Text: "Input should be greater than 0"}
	default:
		s.once(w, r, nil, q.Action)
		return
	}
	detail(w, http.StatusUnprocessableEntity, []fault{wrong})
}

// once resets a place of its own and makes a move, if there is one.
func (s *Server) once(w http.ResponseWriter, r *http.Request, reset, move json.RawMessage) {
	p := s.sit()
	if p == nil {
		detail(w, http.StatusServiceUnavailable, s.full().Message)
		return
	}
	defer p.leave()
	p.brief = true
	defer context.AfterFunc(r.Context(), p.cancel)()
	step, wrong := p.reset(reset)
	if wrong == nil && move != nil {
		step, wrong = p.step(move)
	}
	switch {
	case wrong == nil:
		serve.Answer(w, step)
	case wrong.Code == codeInvalid:
		detail(w, http.StatusUnprocessableEntity, wrong.Errors)
	default:
		detail(w, http.StatusInternalServerError, wrong.Message)
	}
}
