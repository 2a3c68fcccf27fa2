package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"example.com/agentworld/explain"
	"example.com/agentworld/report/wording"
)

// The bounds of what a single file holds.
const (
	fileWorldsMax = 400
	fileTurnsMax  = 500
	fileAgentsMax = 100
	fileLogMax    = 20_000
	// filePromptsMax bounds the prompts in bytes before they are compressed: a browser reads all of them.
	filePromptsMax = 64 << 20
)

// fileBundle is what the page asks for when it is a single file.
type fileBundle struct {
	// Answers are by what is asked: the path, and its parameters but run in order, between
	// spaces.
	Answers map[string]json.RawMessage `json:"answers"`
	// Every is the distance in ticks of the worlds that it holds.
	Every int64 `json:"every"`
	// Log has the lines of the log up to the tick LogTo.
	Log   []logRow `json:"log"`
	LogTo int64    `json:"log_to"`
}

// put puts an answer into the bundle under what is asked.
func (b *fileBundle) put(v any, name string, params ...string) error {
	for i := 1; i < len(params); i += 2 {
		name += " " + params[i]
	}
	text, err := json.Marshal(v)
	b.Answers[name] = text
	return err
}

// bundle asks for everything that the page of h asks for, with at most some bytes of prompts, and says what of it there
// is.
func (s *Server) bundle(ctx context.Context, h *history, promptBytes int) (*fileBundle, *heldView, error) {
	b := &fileBundle{Answers: map[string]json.RawMessage{}, Every: 1, Log: []logRow{}}
	held := &heldView{Name: nameOf(string(h.dir.Dir)), Agents: []heldAgent{}, Prompts: promptBytes > 0}
	last := h.reached().Tick
	ask := func(name string, get func(*history, *http.Request) (any, error), params ...string) error {
		q := url.Values{"run": {"."}}
		for i := 0; i < len(params); i += 2 {
			q.Set(params[i], params[i+1])
		}
		v, err := get(h, (&http.Request{URL: &url.URL{RawQuery: q.Encode()}}).WithContext(ctx))
		err = cmp.Or(err, ctx.Err())
		if err != nil {
			return err
		}
		return b.put(v, name, params...)
	}
	err := cmp.Or(ask("run", s.getRun), ask("asks", s.getAsks), ask("contacts", s.getContacts),
		b.put(wording.All(), "words"))
	if err != nil {
		return nil, held, err
	}
	for b.Every = 1; last/b.Every > fileWorldsMax; b.Every *= 2 {
	}
	if to := h.reached().World; to >= 0 {
		if err := ask("chart", s.getChart); err != nil {
			return nil, held, err
		}
		for tick := int64(0); tick <= to; tick += b.Every {
			if err := ask("world", s.getWorld, "tick", number(tick)); err != nil {
				return nil, held, err
			}
		}
	}
	ids := h.agents.IDs()
	ids = ids[:min(len(ids), fileAgentsMax)]
	for _, id := range h.agents.IDs() {
		held.Decisions += int64(len(h.agents.Of(id)))
	}
	for _, id := range ids {
		if err := ask("agent", s.getAgent, "agent", id); err != nil {
			return nil, held, err
		}
	}
	chosen := h.worthALook(ids)
	for _, tick := range slices.Sorted(maps.Keys(chosen)) {
		agents := chosen[tick]
		turns, err := h.turns(tick, agents)
		if err != nil {
			return nil, held, err
		}
		for i, id := range agents {
			shown := h.shownTurn(turns[i], tick, id)
			if err := cmp.Or(b.put(shown, "turn", "tick", number(tick), "agent", id), ctx.Err()); err != nil {
				return nil, held, err
			}
			held.add(id, tick)
			if promptBytes <= 0 {
				continue
			}
			took, err := b.putPrompts(turns[i], tick, id, promptBytes)
			if err != nil {
				return nil, held, err
			}
			promptBytes -= took
			if promptBytes >= 0 {
				held.Prompted++
			}
		}
	}
	for from := int64(1); from > 0 && len(b.Log) < fileLogMax; {
		v, err := s.getLog(h, &http.Request{URL: &url.URL{RawQuery: url.Values{"from": {number(from)}}.Encode()}})
		if err != nil {
			return nil, held, err
		}
		page, is := v.(logPage)
		if !is {
			panic("dashboard: the log is no page")
		}
		b.Log = append(b.Log, page.Rows...)
		b.LogTo = page.Last
		from = page.Next
	}
	held.Every, held.LogTo = b.Every, b.LogTo
	return b, held, cmp.Or(b.put(held, "held"), ctx.Err())
}

// putPrompts puts the prompt of each call of a turn into the bundle, none if they take more than some bytes. It returns
// what they take.
func (b *fileBundle) putPrompts(t *explain.Turn, tick int64, agent string, most int) (took int, err error) {
	of := &fileBundle{Answers: map[string]json.RawMessage{}}
	for _, call := range t.Calls {
		prompt, err := promptOf(t, call.Step)
		if err != nil {
			return took, err
		}
		err = of.put(prompt, "prompt", "tick", number(tick), "agent", agent, "step", strconv.Itoa(call.Step))
		if err != nil {
			return took, err
		}
	}
	for _, text := range of.Answers {
		took += len(text)
	}
	if took <= most {
		maps.Copy(b.Answers, of.Answers)
	}
	return took, nil
}

// worthALook are the decisions that a file holds, the agents by tick, at most fileTurnsMax: those at
// marks are chosen first, then what was refused or degraded, then the earliest.
func (h *history) worthALook(ids []string) map[int64][]string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	type ranked struct {
		explain.Origin
		rank int
	}
	marked := map[explain.Origin]bool{}
	for _, m := range h.marks {
		marked[explain.Origin{Agent: m.Agent, Tick: m.Tick}] = true
	}
	var all []ranked
	for _, id := range ids {
		for _, e := range h.agents.Of(id) {
			r := ranked{explain.Origin{Agent: id, Tick: e.Tick}, 2}
			if !e.Accepted || e.Kind != "model" && e.Kind != "standing" {
				r.rank = 1
			}
			if marked[r.Origin] {
				r.rank = 0
			}
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all,
		func(a, b ranked) int { return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.Tick, b.Tick)) })
	agents := map[int64][]string{}
	for _, r := range all[:min(len(all), fileTurnsMax)] {
		agents[r.Tick] = append(agents[r.Tick], r.Agent)
	}
	return agents
}
