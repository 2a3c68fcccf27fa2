package dashboard

import (
	"cmp"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"example.com/agentworld/explain"
	"example.com/agentworld/report"
	"example.com/agentworld/run/state"
	"example.com/agentworld/serve"
	"example.com/agentworld/serve/catalog"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// runView is a run as a whole.
type runView struct {
	reach
	Row catalog.Row `json:"row"`
	// Name is that of the run, of its directory where the page is of one run.
	Name   string              `json:"name"`
	Agents []trace.HeaderAgent `json:"agents"`
	// Settings are a few for people, and all that are not the default; Forks say where it left other runs.
	Settings []settingView      `json:"settings"`
	Forks    []trace.Fork       `json:"forks"`
	Marks    []explain.Mark     `json:"marks"`
	Every    int64              `json:"every"`
	Columns  map[string][]int64 `json:"columns"`
	// Counts are those of the whole run by reason.
	Counts map[string]map[string]int64 `json:"counts"`
	Goals  []world.GoalStatus          `json:"goals"`
	End    *trace.RunEnd               `json:"end"`
	// Report is what the run said at its end; null before.
	Report *report.Report `json:"report"`
	// Shares are the parts of the agents, at most sharesShownMax, those that failed most first where there
	// are more.
	Shares []explain.Share `json:"shares"`
	// Live is how the run goes on while a process plays it; null otherwise.
	Live *liveView `json:"live"`
	// Seen is when the answer was made, in RFC 3339.
	Seen string `json:"seen"`
}

// sharesShownMax bounds the agents in one answer.
const sharesShownMax = 1000

type settingView struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// answerRun answers what a run is. One that was removed is shown as far as it was read, and as gone:
// the page keeps what it has if an answer fails.
func (s *Server) answerRun(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("run")
	h, err := s.history(id)
	if !errors.Is(err, errGone) {
		s.ofRun(s.getRun)(w, r)
		return
	}
	row := s.catalog.Last(id)
	row.Status = catalog.StatusGone
	v := s.runView(h, row)
	v.Damage = errGone.Error()
	serve.Answer(w, v)
}

func (s *Server) getRun(h *history, r *http.Request) (any, error) {
	row, err := s.catalog.Row(r.URL.Query().Get("run"))
	if err != nil {
		return nil, err
	}
	row = s.known(row)
	v := s.runView(h, row)
	if of, _, err := s.catalog.Report(row.ID); err == nil && row.Status != catalog.StatusRunning {
		of.RunReason = s.catalog.Shown(of.RunReason)
		v.Report = &of
	}
	if row.Status == catalog.StatusRunning {
		v.Live = h.live(time.Now())
	}
	return v, nil
}

// known is the row of a run with what reading it has shown.
func (s *Server) known(r catalog.Row) catalog.Row {
	s.mu.Lock()
	h := s.open[r.ID]
	s.mu.Unlock()
	if h != nil && h.damaged() {
		r.Damage(errors.New(s.catalog.Shown(h.failed().Error())))
	}
	return r
}

// runView is a run as far as it was read.
func (s *Server) runView(h *history, row catalog.Row) runView {
	v := runView{reach: h.reached(), Row: row, Agents: h.header.Agents, Forks: h.header.Forks,
		Settings: []settingView{}, Goals: []world.GoalStatus{}, Seen: time.Now().UTC().Format(time.RFC3339)}
	if w, err := h.at(v.Tick); err == nil {
		v.Goals = append(v.Goals, w.Goals()...)
	}
	v.Name = row.ID
	if row.ID == "." {
		v.Name = nameOf(string(h.dir.Dir))
	}
	v.Differs, v.Damage = s.catalog.Shown(v.Differs), s.catalog.Shown(v.Damage)
	set := h.header.Latest()
	for _, one := range []settingView{
		{"scenario", set.Scenario}, {"protocol", set.Protocol}, {"commit", set.Commit}, {"model", set.Model},
		{"endpoint", set.BaseURL},
		{"language", set.Language}, {"prompt profile", set.PromptProfile},
	} {
		if one.Value != "" && !slices.ContainsFunc(row.Set, func(s catalog.Setting) bool { return s.Name == one.Name }) {
			v.Settings = append(v.Settings, one)
		}
	}
	h.mu.RLock()
	defer h.mu.RUnlock()
	v.Marks = append([]explain.Mark{}, h.marks...)
	v.Every = h.figures.Every
	v.Columns = h.figures.Columns()
	if h.figures.Scorer == nil || h.differs != nil {
		delete(v.Columns, "score")
	}
	v.Shares = h.agents.Shares()
	if len(v.Shares) > sharesShownMax {
		slices.SortStableFunc(v.Shares, func(a, b explain.Share) int { return cmp.Compare(b.Failed, a.Failed) })
		v.Shares = v.Shares[:sharesShownMax]
	}
	if h.end != nil {
		end := *h.end
		end.Reason = s.catalog.Shown(end.Reason)
		v.End = &end
	}
	v.Row.Ticks = max(v.Row.Ticks, h.done)
	v.Counts = map[string]map[string]int64{}
	for name, counts := range h.figures.Counts {
		v.Counts[name] = maps.Clone(counts)
	}
	return v
}

// chartView is what of a world never changes.
type chartView struct {
	Width  int64 `json:"width_cm"`
	Depth  int64 `json:"depth_cm"`
	Height int64 `json:"height_cm"`
	// Places are all, or those that matter if there are too many: Omitted counts the others,
	// which Cells count on a grid of Grid by Grid.
	Places  []placeView `json:"places"`
	Omitted int         `json:"omitted"`
	Grid    int         `json:"grid"`
	Cells   []int       `json:"cells,omitempty"`
}

// placeView is a place on the map, in centimetres.
type placeView struct {
	ID        string `json:"id"`
	Name      string `json:"name,omitempty"`
	Material  string `json:"material"`
	X         int64  `json:"x"`
	Y         int64  `json:"y"`
	Z         int64  `json:"z"`
	Radius    int64  `json:"radius"`
	Emission  int64  `json:"emission"`
	Radiation int64  `json:"radiation"`
	CompoundG int64  `json:"compound_g"`
	Charted   bool   `json:"charted"`
}

const (
	placesShownMax = 4000
	gridSide       = 64
)

func (s *Server) getChart(h *history, _ *http.Request) (any, error) {
	w, err := h.at(0)
	if err != nil {
		return nil, err
	}
	space := w.Space()
	v := chartView{Width: space.WidthCM, Depth: space.DepthCM, Height: space.HeightCM, Places: []placeView{},
		Grid: gridSide}
	visited := map[string]bool{}
	if now, err := h.at(h.reached().Tick); err == nil {
		o := now.Overview()
		for _, p := range o.Places {
			visited[p.ID] = true
		}
		for _, a := range o.Agents {
			if a.Journey != nil {
				visited[a.Journey.To] = true
			}
		}
	}
	cells := make([]int, gridSide*gridSide)
	for p, radiation := range w.Places() {
		if len(v.Places) >= placesShownMax && !p.Charted && !visited[p.ID] {
			v.Omitted++
			x, y := p.Position.X*gridSide/(space.WidthCM+1), p.Position.Y*gridSide/(space.DepthCM+1)
			cells[min(max(y, 0), gridSide-1)*gridSide+min(max(x, 0), gridSide-1)]++
			continue
		}
		v.Places = append(v.Places, placeView{
			p.ID, p.Name, p.Material, p.Position.X, p.Position.Y, p.Position.Z, p.RadiusCM, p.Emission, radiation, p.CompoundG,
			p.Charted,
		})
	}
	if v.Omitted > 0 {
		v.Cells = cells
	}
	return v, nil
}

// worldView is the world after a tick, with what the agents did in it.
type worldView struct {
	world.Overview
	// Did has what the agents did last, in the order of Agents.
	Did []didView `json:"did"`
	// Contacts began in the tick or came to their end in it, at most contactsDrawnMax.
	Contacts []explain.Contact `json:"contacts"`
}

const contactsDrawnMax = 200

// didView is the last action of an agent.
type didView struct {
	Tick     int64               `json:"tick"`
	Action   string              `json:"action"`
	Accepted bool                `json:"accepted"`
	Code     world.RejectionCode `json:"code,omitempty"`
	// Failed says why there was no answer and the engine had it wait, or took what it did instead.
	Failed string `json:"failed,omitempty"`
}

func (s *Server) getWorld(h *history, r *http.Request) (any, error) {
	tick, err := queryTick(r)
	if err != nil {
		return nil, err
	}
	w, err := h.at(min(tick, h.reached().Tick))
	if err != nil {
		return nil, err
	}
	v := worldView{Overview: w.Overview(), Did: make([]didView, w.Agents()), Contacts: []explain.Contact{}}
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, c := range h.contacts.List {
		if (c.Tick == v.Tick || c.StateTick == v.Tick) && len(v.Contacts) < contactsDrawnMax {
			v.Contacts = append(v.Contacts, c)
		}
	}
	for n := range v.Did {
		if o, acted := w.LastOutcome(n); acted {
			v.Did[n] = didView{Tick: o.Tick, Action: string(world.EncodeAction(o.Action)), Accepted: o.Accepted}
			if o.Rejection != nil {
				v.Did[n].Code = o.Rejection.Code
			}
			v.Did[n].Failed = h.agents.At(w.AgentID(n), o.Tick).Failed
		}
	}
	return v, nil
}

// agentView is an agent over the whole run.
type agentView struct {
	Agent string `json:"agent"`
	Every int64  `json:"every"`
	// Columns are what it held, by tick.
	Columns map[string][]int64  `json:"columns"`
	Lane    []explain.LaneEntry `json:"lane"`
	// Full says that the run has more decisions than are kept.
	Full bool `json:"full"`
}

// laneShownMax bounds the decisions in one answer, the newest ones of a longer lane.
const laneShownMax = 20_000

func (s *Server) getAgent(h *history, r *http.Request) (any, error) {
	id := r.URL.Query().Get("agent")
	h.mu.RLock()
	defer h.mu.RUnlock()
	if !h.agents.Knows(id) {
		return nil, badQuery("there is no such agent in this run")
	}
	lane := h.agents.Of(id)
	return agentView{id, h.agents.Every, h.agents.Held(id),
		append([]explain.LaneEntry{}, lane[max(0, len(lane)-laneShownMax):]...), h.agents.Full}, nil
}

// ledToMax bounds the later decisions that are listed.
const ledToMax = 100

func (s *Server) getTurn(h *history, r *http.Request) (any, error) {
	t, tick, agent, err := h.turn(r)
	if err != nil {
		return nil, err
	}
	return h.shownTurn(t, tick, agent), nil
}

// shownTurn is what a page shows of the turn of an agent in a tick.
func (h *history) shownTurn(t *explain.Turn, tick int64, agent string) turnView {
	v := turnViewOf(t, tick, agent, h.header.SettingsAt(tick-1))
	h.mu.RLock()
	defer h.mu.RUnlock()
	used := h.agents.LedTo(explain.Origin{Agent: agent, Tick: tick})
	v.LedTo = append(v.LedTo, used[:min(len(used), ledToMax)]...)
	for _, e := range h.agents.Of(agent) {
		switch {
		case e.Tick < tick:
			v.Before = e.Tick
			if e.Kind != string(trace.ByStanding) {
				v.OrderedAt = e.Tick
			}
		case e.Tick > tick && v.After == 0:
			v.After = e.Tick
		}
	}
	if t.Decision == nil || t.Decision.DecidedBy != trace.ByStanding {
		v.OrderedAt = 0
	}
	return v
}

func (s *Server) getPrompt(h *history, r *http.Request) (any, error) {
	t, _, _, err := h.turn(r)
	if err != nil {
		return nil, err
	}
	step, err := strconv.Atoi(r.URL.Query().Get("step"))
	if err != nil || step < 1 {
		return nil, badQuery("step: allowed is a number from 1")
	}
	return promptOf(t, step)
}

// turn reads the records that a query asks for.
func (h *history) turn(r *http.Request) (t *explain.Turn, tick int64, agent string, err error) {
	tick, err = queryTick(r)
	if err != nil {
		return nil, 0, "", err
	}
	agent = r.URL.Query().Get("agent")
	list, err := h.turns(tick, []string{agent})
	if err != nil {
		return nil, 0, "", err
	}
	return list[0], tick, agent, nil
}

// turns reads the records of some agents in a tick.
func (h *history) turns(tick int64, agents []string) ([]*explain.Turn, error) {
	x, err := h.known(agents...)
	if err != nil {
		return nil, err
	}
	return explain.ReadTurns(h.dir, x, tick, agents)
}

// known returns a copy of the index if the run has the agents.
func (h *history) known(agents ...string) (*state.Index, error) {
	h.mu.RLock()
	defer h.mu.RUnlock()
	for _, id := range agents {
		if !h.agents.Knows(id) {
			return nil, badQuery("there is no such agent in this run")
		}
	}
	x := *h.index
	return &x, nil
}
