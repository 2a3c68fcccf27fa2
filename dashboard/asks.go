package dashboard

import (
	"errors"
	"net/http"
	"path/filepath"
	"strings"

	"example.com/agentworld/engine/ask"
	"example.com/agentworld/run"
	"example.com/agentworld/serve"
	"example.com/agentworld/trace"
)

// Question is what somebody asks an agent from the page.
type Question struct {
	// Dir is the directory of the run, Run what the page calls it: an error names no path.
	Dir, Run string
	// Agent is the id of the agent, Tick the last tick that it knows of, from 1.
	Agent string
	Tick  int64
	Text  string
}

// askPath is the path that questions are posted to.
const askPath = "/api/ask"

// postAsk puts a question and answers with all that are kept of the run.
func (s *Server) postAsk(w http.ResponseWriter, r *http.Request) {
	if !s.door.knows(r) {
		serve.Problem(w, http.StatusForbidden, "only the browser that was let in may ask: open the address that was printed")
		return
	}
	var asked struct {
		Run   string `json:"run"`
		Agent string `json:"agent"`
		Tick  int64  `json:"tick"`
		Text  string `json:"text"`
	}
	if !posted(w, r, &asked) {
		return
	}
	h, err := s.history(asked.Run)
	if err == nil && asked.Tick < 1 {
		err = badQuery("tick: allowed is a number from 1")
	}
	if err != nil {
		fail(w, err)
		return
	}
	if err := s.asks(r.Context(), Question{string(h.dir.Dir), asked.Run, asked.Agent, asked.Tick,
		asked.Text}); err != nil {
		serve.Problem(w, http.StatusUnprocessableEntity, within(h.dir.Dir, err).Error())
		return
	}
	v, err := s.getAsks(h, r)
	if err != nil {
		fail(w, err)
		return
	}
	serve.Answer(w, v)
}

// asksView are the questions that were put to agents of a run, oldest first.
type asksView struct {
	Asks []ask.Record `json:"asks"`
	// Can says that this server puts questions.
	Can bool `json:"can"`
}

func (s *Server) getAsks(h *history, r *http.Request) (any, error) {
	kept, err := ask.Kept(h.dir.Dir)
	v := asksView{Asks: []ask.Record{}, Can: s.asks != nil && s.door.knows(r)}
	for _, r := range kept {
		r.Cited = append([]trace.Citation{}, r.Cited...)
		r.Exchanges = nil // which the page does not show
		v.Asks = append(v.Asks, r)
	}
	if err != nil {
		err = within(h.dir.Dir, err)
	}
	return v, err
}

// within is an error about a run that names the files in its directory by what they are called there.
func within(dir run.Dir, err error) error {
	text := strings.ReplaceAll(err.Error(), string(dir)+string(filepath.Separator), "")
	return errors.New(strings.ReplaceAll(text, string(dir), "the run"))
}
