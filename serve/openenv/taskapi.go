package openenv

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"example.com/agentworld/serve"
)

// What one list of tasks has at most: of all of a split, and of a range.
const (
	listMax  = 1000
	rangeMax = 10_000
)

// id is what an instance is called in a list.
func (i instance) id() string { return fmt.Sprintf("%s-%d", i.Split, i.Index) }

// listed is an instance in a list.
type listed struct {
	ID string `json:"id"`
	instance
}

// list lists the instances of a split from start to before stop.
func list(split string, start, stop int64) []listed {
	all := []listed{}
	for i := start; i < stop; i++ {
		one := instance{split, i}
		all = append(all, listed{one.id(), one})
	}
	return all
}

// taskRoutes adds the Task API, by which a client finds out what there is to be played.
func (s *Server) taskRoutes(m *http.ServeMux) {
	m.HandleFunc("GET /list_environments", func(w http.ResponseWriter, _ *http.Request) {
		serve.Answer(w, []string{s.task.of.ID})
	})
	m.HandleFunc("GET /{env}/splits", func(w http.ResponseWriter, r *http.Request) {
		if s.isEnvironment(w, r) {
			serve.Answer(w, []map[string]string{
				{"name": splitTrain, "type": splitTrain}, {"name": splitTest, "type": splitTest},
			})
		}
	})
	m.HandleFunc("POST /{env}/num_tasks", s.ofSplit(func(split string, _ taskRequest) (any, error) {
		return map[string]int64{"num_tasks": instances[split]}, nil
	}))
	m.HandleFunc("POST /{env}/tasks", s.ofSplit(func(split string, _ taskRequest) (any, error) {
		return map[string]any{"tasks": list(split, 0, min(listMax, instances[split])), "env_name": s.task.of.ID}, nil
	}))
	m.HandleFunc("POST /{env}/task_range", s.ofSplit(func(split string, r taskRequest) (any, error) {
		start, stop := slice(r, instances[split])
		return map[string]any{"tasks": list(split, start, min(stop, start+rangeMax))}, nil
	}))
	m.HandleFunc("POST /{env}/task", s.ofSplit(func(split string, r taskRequest) (any, error) {
		if r.Index == nil {
			return nil, errors.New("index is missing")
		}
		i, err := s.task.choose(resetRequest{Split: &split, Index: r.Index})
		if err != nil {
			return nil, err
		}
		one, err := s.task.spec(i)
		return map[string]any{"task": one}, err
	}))
}

// slice is the part of a split from start to before stop, both of which may count from its end.
func slice(r taskRequest, size int64) (start, stop int64) {
	at := func(given *int64, absent int64) int64 {
		switch {
		case given == nil:
			return absent
		case *given < 0:
			return max(0, size+max(*given, -size))
		}
		return min(*given, size)
	}
	return at(r.Start, 0), at(r.Stop, size)
}

// taskRequest is the body of a request.
type taskRequest struct {
	Split string `json:"split"`
	Index *int64 `json:"index"`
	Start *int64 `json:"start"`
	Stop  *int64 `json:"stop"`
}

// isEnvironment reports whether the path names this environment, and answers if it does not.
func (s *Server) isEnvironment(w http.ResponseWriter, r *http.Request) bool {
	is := strings.EqualFold(r.PathValue("env"), s.task.of.ID)
	if !is {
		detail(w, http.StatusNotFound, "there is no such environment; allowed: "+s.task.of.ID)
	}
	return is
}

// ofSplit answers what get returns for a split.
func (s *Server) ofSplit(get func(split string, r taskRequest) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var q taskRequest
		if !s.isEnvironment(w, r) || !body(w, r, &q) {
			return
		}
		if _, known := instances[q.Split]; !known {
			detail(w, http.StatusBadRequest, "split: allowed are train and test")
			return
		}
		v, err := get(q.Split, q)
		if err != nil {
			detail(w, http.StatusBadRequest, err.Error())
			return
		}
		serve.Answer(w, v)
	}
}

// detail answers with what is wrong, as servers of the protocol do.
func detail(w http.ResponseWriter, status int, what any) {
	if text, is := what.(string); is {
		what = clip(serve.Pathless(text))
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"detail": what}) // a client that is gone needs none
}
