package cli

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// plan is a run that has passed every check, and what the command line does beside it. Its settings
// are those that the trace records.
type plan struct {
	config
	// asked is what the session was made of.
	asked   session.Config
	session *session.Session
	// hears is told of the run.
	hears *listener
	// page is served while the run is played, nil without one.
	page *runPage
	// fork is where this run leaves another, nil for a run of its own.
	fork *forkPoint
	// kept are the files the report must not replace.
	kept []keptPath
	// gates are conditions on the report.
	gates []report.Bound
}

// newPlan reads the files that the settings name and checks all of it, reading only. A fork has from
// its parent what no flag changes, as it was recorded, not from files that may have changed since.
// commands are the names of the other commands, for the error about a word that is neither. Every
// error is bad input, except when no name for the run directory can be made.
func (m *Main) newPlan(c config, fork *forkPoint, commands []string) (p plan, err error) {
	p = plan{config: c, fork: fork}
	own := c.Values
	if c.own != nil {
		own = c.own
	}
	var switches []trace.Switch
	if fork == nil {
		err = p.takeScenario(m, commands)
	} else {
		own = fork.own
		p.endWithTheModel()
		p.Seats = trace.Seated(fork.settings.Seats, p.Seats)
		switches, err = p.changeAtFork(fork)
	}
	if err == nil {
		err = p.takeRecording(m)
	}
	reach := m.reach(p.config, own)
	if err == nil {
		var keys []openai.Secret
		for _, key := range reach.Keys {
			keys = append(keys, key.Secret)
		}
		err = p.readFiles(m, keys)
	}
	if err != nil {
		return p, err
	}
	p.PromptSwitches = append(slices.Clone(p.PromptSwitches), switches...)
	slices.SortStableFunc(p.PromptSwitches, func(a, b trace.Switch) int { return cmp.Compare(a.Tick, b.Tick) })
	reach.Prices = p.table
	if _, err := (extensions{m}).observersOf(p.config); err != nil {
		return p, err
	}
	if err := cmp.Or(p.checkPage(), p.checkAhead()); err != nil {
		return p, err
	}
	p.RunDir, err = m.nameRunDir(p.RunDir, p.Scenario)
	if err != nil {
		return p, err
	}
	p.gates, err = p.bounds(m.metrics.known())
	if err != nil {
		return p, err
	}
	p.hears = &listener{m: m, config: p.config}
	of := m.sessionOf(p.config, reach)
	of.Listener = p.hears
	p.asked = of
	if fork == nil {
		p.session, err = session.New(of)
	} else {
		p.session, err = session.Fork(of, session.Left{Parent: m.path(fork.parent), AtTick: fork.AtTick,
			AllowVersionDrift: fork.Drift})
		if failed := forkFailure(fork.parent, err); failed != nil {
			return p, failed
		}
	}
	if err != nil {
		return p, p.refused(err)
	}
	p.Settings = p.session.Settings()
	p.kept = append(m.keptPaths(p.config), keptPath{what: "the scenario file", path: m.path(p.Scenario)},
		keptPath{what: "the file of prompt switches", path: m.path(p.Values.Find("run.prompt_switches_json").Text)})
	if fork != nil {
		p.kept = append(p.kept, m.keptTrace(fork.parent), keptPath{what: "the run that is forked", path: m.path(fork.parent)})
	}
	return p, nil
}

// sessionOf is what a session takes of the settings.
func (m *Main) sessionOf(c config, reach access.Config) session.Config {
	of := session.Config{
		Settings: c.Settings, Dir: m.path(c.RunDir), Access: reach,
		Concurrency: int(c.Concurrency), Ahead: session.Ahead{Depth: int(c.Ahead), WastePermille: 10 * c.AheadWaste},
		SegmentBytes: c.SegmentMB << 20, Metrics: m.metrics.list,
		Reading: func(dir string) *run.Reading { return m.readings[dir] },
		Tools:   m.servers.linked(m.Extensions), WithoutTools: m.servers.without,
		Seats: m.seats(),
	}
	for _, e := range m.Extensions {
		of.Extensions = append(of.Extensions, trace.Extension{Name: e.Name, Version: e.Version})
	}
	if c.recording != "" {
		of.Recording = session.Recording{Path: m.path(c.recording), Ask: c.ReplayMiss == missAsk}
	}
	if c.playbookFile != "" {
		of.PlaybookFile = m.path(c.playbookFile)
	}
	return of
}

// takeScenario chooses the scenario. It also chooses the number of ticks and the seeds, if
// no setting does.
func (p *plan) takeScenario(m *Main, commands []string) error {
	name, text, chosen, err := chooseScenario(m, p.Values.Find("run.scenario"), commands)
	if err != nil {
		return err
	}
	if len(p.fields) > 0 {
		text, err = scenario.WithFields(text, p.fields)
		if err == nil {
			chosen, err = scenario.Parse("changed scenario", text)
		}
		if err != nil {
			return badInput("%s: %s with other fields: %w", p.fieldsAt, shown(name), err)
		}
	}
	p.Scenario, p.ScenarioTOML = name, string(text)
	if task := chosen.Task; task != nil && p.Values.Find("run.ticks").Origin.Rank == settings.FromDefault {
		// Fewer ticks would leave out part of what the task scores.
		p.Ticks = task.Ticks
	}
	if p.Values.Find("run.seed").Text == "" {
		p.Seed = chosen.Seed
	}
	if p.Values.Find("llm.scripted_seed").Text == "" {
		p.ScriptedSeed = p.Seed
	}
	if p.Values.Find("llm.fault_seed").Text == "" {
		p.FaultSeed = p.Seed
	}
	return nil
}

// takeRecording finds the recording that answers are taken from. A model that was not named for this
// run is for other runs, if every answer is recorded.
func (p *plan) takeRecording(m *Main) (err error) {
	v := p.Values.Find("run.replay_from")
	if v.Text == "" {
		if miss := p.Values.Find("run.replay_miss"); miss.Origin.Rank < settings.FromFile {
			return badInput("%s says what to do without a recorded answer, and there is no recording; add --replay-from",
				miss.Where())
		}
		return nil
	}
	p.recording, err = m.runNamed(v.Text)
	if p.ReplayMiss == missError && p.Values.Find("llm.model").Origin.Rank != settings.FromFlag {
		p.Model = ""
	}
	return err
}

// readFiles reads the files that settings name, apart from the scenario. None may hold a key.
func (p *plan) readFiles(m *Main, keys []openai.Secret) error {
	for _, v := range p.Values {
		if err := settings.MisplacedKey(v, keys); err != nil {
			return wrongSettings(err)
		}
	}
	if err := m.loadSampling(&p.config, keys); err != nil {
		return err
	}
	if err := m.readPrices(&p.config); err != nil {
		return err
	}
	if v := p.Values.Find("run.prompt_switches_json"); v.Text != "" {
		if err := m.loadSwitches(&p.config, v); err != nil {
			return err
		}
	}
	if v := p.Values.Find("run.playbook"); v.Text != "" {
		_, text, err := m.readPlaybook(v.Text, p.Learns()) // one that a run learns into need not exist yet
		if err != nil {
			return badInput("%s: %w", v.Where(), err)
		}
		p.playbookFile, p.Playbook = v.Text, string(text)
	}
	if v := p.Values.Find("run.words"); v.Text != "" {
		text, err := m.readWords(v.Text, p.Language)
		if err != nil {
			return badInput("%s: %w", v.Where(), err)
		}
		p.Words = text
	}
	return p.takeDocuments(m)
}

// readPrices reads the user's table of prices, if a setting names one.
func (m *Main) readPrices(c *config) error {
	v := c.Values.Find("llm.price_table")
	if v.Text == "" {
		return nil
	}
	data, err := readBounded(m.path(v.Text), price.BytesMax)
	if err != nil {
		return badInput("%s: the table of prices %s cannot be read: %w; allowed: a .toml file as docs/cost.md shows",
			v.Where(), shown(v.Text), cause(err))
	}
	table, err := price.Embedded().With(v.Text, data)
	if err != nil {
		return badInput("%s: %w", v.Where(), err)
	}
	c.table = &table
	return nil
}

// stubOnly are the settings that change what the scripted stub answers.
var stubOnly = []string{"llm.faults", "llm.stub_manner"}

// endWithTheModel takes away what a fork has from its parent and what ends with the
// model: bounds on money with one that is paid, faults and manners with the stub.
func (p *plan) endWithTheModel() {
	live := p.Model != "" && !p.Offline
	unpaid := !live && len(p.Prices) == 0 || p.Offline
	p.Values = slices.Clone(p.Values)
	for i, v := range p.Values {
		ofStub := live && slices.Contains(stubOnly, v.Setting.Key)
		if v.Origin.Rank == settings.FromRun && (ofStub || unpaid && v.Setting.Kind == settings.KindMoney) {
			p.Values[i].Text = ""
			reflect.ValueOf(v.Setting.Into(&p.Config)).Elem().SetZero()
		}
	}
}

// bounds are the conditions on the report, which are about metrics that are known.
func (c config) bounds(known report.MetricList) (list []report.Bound, err error) {
	for _, of := range []struct{ key, before string }{{"run.min_score", "score>="},
		{"run.max_parse_errors", "parse_errors<="}, {"run.gate", ""}} {
		v := c.Values.Find(of.key)
		for text := range strings.FieldsSeq(v.Text) {
			b, err := report.ParseBound(of.before+text, known)
			if err != nil {
				return nil, badInput("%s: %w", v.Where(), err)
			}
			list = append(list, b)
		}
	}
	return list, nil
}

// strict says that every answer is recorded, so that no model is asked.
func (c config) strict() bool { return c.ModelSource == trace.SourceRecorded }

// keptPaths are the files of a run that its report must not replace.
func (fl *files) keptPaths(c config) []keptPath {
	kept := []keptPath{fl.keptTrace(c.RunDir), fl.keptAsks(c.RunDir), {what: "the run directory", path: fl.path(c.RunDir)},
		{what: "the playbook", path: fl.path(c.playbookFile)}}
	if c.recording != "" {
		kept = append(kept, keptPath{what: "the recording", path: fl.path(c.recording)}, fl.keptTrace(c.recording))
	}
	return kept
}

// leaveModelToRun leaves model and endpoint to a recorded run, unless flags name them: the other places
// for settings are for new runs.
func (c *config) leaveModelToRun() {
	for _, key := range []string{"llm.model", "llm.base_url"} {
		if v := c.Values.Find(key); v.Origin.Rank != settings.FromFlag {
			*v.Setting.Into(&c.Config).(*string) = ""
		}
	}
}

// takeModelOf says that model and endpoint are those of a run, unless flags name them.
func (c *config) takeModelOf(s trace.Settings) {
	c.Values = slices.Clone(c.Values)
	texts := map[string]string{"llm.model": s.Model, "llm.base_url": s.BaseURL}
	for i, v := range c.Values {
		if text, is := texts[v.Setting.Key]; is && v.Origin.Rank != settings.FromFlag {
			if !s.Live() {
				text = ""
			}
			c.Values[i] = settings.Value{Setting: v.Setting, Text: text, Origin: settings.Origin{Rank: settings.FromRun}}
		}
	}
}
