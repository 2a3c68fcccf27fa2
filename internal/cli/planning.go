package cli

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/report"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// plan is a run that has passed every check. Only the disk, the network and the provider
// can still fail. Its settings are those that the trace records.
type plan struct {
	config
	// agentIDs are in the world's order.
	agentIDs []string
	// own are the agents with models or endpoints of their own.
	own []agentAccess
	// endpoints are the clients; there are none before the model is opened.
	endpoints *endpoints
	// recording is where recorded answers come from.
	recording recording
	// folding is the report, which the run's records go into as they are written.
	folding *report.Folding
	// page is served while the run is played, nil without one.
	page *runPage
	// playbookFile is where the playbook was read from, and what is learned goes.
	playbookFile string
	// prepared is the run before its first tick.
	prepared *engine.Prepared
	// fork is where this run leaves another, nil for a run of its own.
	fork *forkPoint
	// faults is what goes wrong on purpose, manners how the stub answers; both are empty for
	// a live model.
	faults  stub.FaultPlan
	manners stub.Manners
	// kept are the files the report must not replace.
	kept []keptPath
	// gates are conditions on the report.
	gates []report.Bound
	// played are the ticks that a resume leaves as they are, and spent what the run has spent.
	played int64
	spent  state.Spent
}

// newPlan checks the settings against each other and against the files they name, reading
// only. A fork has from its parent what no flag changes, as it was recorded, not from
// files that may have changed since. commands are the names of the other commands, for the
// error about a word that is neither. Every error is bad input, except when no name for
// the run directory can be made.
func (m *Main) newPlan(c config, fork *forkPoint, commands []string) (p plan, err error) {
	p = plan{config: c, fork: fork, endpoints: newEndpoints(c)}
	if fork == nil {
		err = p.takeScenario(m, commands)
	} else {
		p.Recording, p.Estimate = nil, nil
		err = p.changeRules(fork.rules)
		if err != nil {
			// What another version took for a scenario may be none here: that is the reason then.
			if drift := m.forkOptions(p, engine.Options{}).Check(); errors.Is(drift, engine.ErrVersionDrift) {
				err = forkFailure(fork.parent, drift)
			}
		}
	}
	if err != nil {
		return p, err
	}
	p.recording, err = m.chooseAnswers(&p.config)
	if err != nil {
		return p, err
	}
	if fork != nil && p.Live() {
		m.withholdKey(&p.config, fork.own)
	}
	p.own, err = m.chooseAgents(p.config, p.Values.Find(settings.AgentsTable).Where(), p.agentIDs)
	if err != nil {
		return p, err
	}
	var keys []openai.Secret
	for _, a := range p.own {
		keys = append(keys, a.key)
	}
	for _, v := range p.Values {
		if err := settings.MisplacedKey(v, keys); err != nil {
			return p, badInput("%w", err)
		}
	}
	if err := m.loadSampling(&p.config, p.agentIDs, keys); err != nil {
		return p, err
	}
	if _, err := m.observersOf(p.config); err != nil {
		return p, err
	}
	if err := p.checkPage(); err != nil {
		return p, err
	}
	p.AgentModels = nil
	for _, a := range p.own {
		if a.BaseURL != "" {
			a.BaseURL = a.url.String()
		}
		p.AgentModels = append(p.AgentModels, a.AgentModel)
	}
	if p.strict() {
		for _, a := range p.recording.header.Settings.AgentModels {
			if a.Model != "" && slices.Contains(p.agentIDs, a.Agent) {
				p.AgentModels = append(p.AgentModels, trace.AgentModel{Agent: a.Agent, Model: a.Model})
			}
		}
	}
	if fork != nil {
		p.endWithTheModel()
	}
	p.Prices, err = m.choosePrices(p.config)
	if err != nil {
		return p, err
	}
	err = p.chooseFaults()
	if err != nil {
		return p, err
	}
	if v := p.Values.Find("run.prompt_switches_json"); v.Text != "" {
		p.PromptSwitches, err = m.loadSwitches(v, p.agentIDs)
		if err != nil {
			return p, err
		}
		if fork != nil && len(p.PromptSwitches) > 0 && p.PromptSwitches[0].Tick <= fork.atTick {
			return p, badInput("%s: a switch in tick %d is before the fork; allowed: ticks from %d", v.Where(),
				p.PromptSwitches[0].Tick, fork.atTick+1)
		}
	}
	if v := p.Values.Find("run.playbook"); v.Text != "" {
		_, text, err := m.readPlaybook(v.Text, p.Learns()) // one that a run learns into need not exist yet
		if err != nil {
			return p, badInput("%s: %w", v.Where(), err)
		}
		p.playbookFile, p.Playbook = v.Text, string(text)
	}
	err = p.takeDocuments(m)
	if err != nil {
		return p, err
	}
	p.RunDir, err = m.nameRunDir(p.RunDir, p.Scenario)
	if err != nil {
		return p, err
	}
	p.gates, err = p.bounds()
	if err != nil {
		return p, err
	}
	p.kept = append(m.keptPaths(p), keptPath{"the scenario file", m.path(p.Scenario)},
		keptPath{"the file of prompt switches", m.path(p.Values.Find("run.prompt_switches_json").Text)})
	p.prepared, err = engine.Prepare(p.Settings)
	if err == nil && fork == nil {
		err = p.prepared.CheckFirstTick()
	}
	if err != nil || fork == nil {
		return p, wrongSettings(err)
	}
	p.kept = append(p.kept, m.keptTrace(fork.parent), keptPath{"the run that is forked", m.path(fork.parent)})
	return p, forkFailure(fork.parent, m.forkOptions(p, engine.Options{Settings: p.Settings}).Check())
}

// takeScenario chooses the scenario. It also chooses the number of ticks and the seeds, if
// no setting does.
func (p *plan) takeScenario(m *Main, commands []string) error {
	name, text, chosen, err := m.chooseScenario(p.Values.Find("run.scenario"), commands)
	if err != nil {
		return err
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
	p.agentIDs, err = agentsOf(p.Settings, chosen)
	return err
}

// changeRules takes the scenario of a run that is forked, with the changes of rules that
// --set gives, in order.
func (p *plan) changeRules(rules []string) error {
	recorded, agents, err := recordedScenario(p.Settings)
	p.agentIDs = agents
	if err != nil || len(rules) == 0 {
		return err
	}
	for _, change := range rules {
		name, text, found := strings.Cut(change, "=")
		field, isRule := strings.CutPrefix(strings.TrimSpace(name), "rules.")
		value, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if !found || !isRule || err != nil {
			return badInput("--set %s: not understood; allowed: rules.FIELD=VALUE, with a whole number; docs/forks.md lists "+
				"the fields", shown(change))
		}
		recorded.Rules, err = recorded.Rules.With(field, value)
		if err != nil {
			if rules := world.ChangeableRules(); !slices.Contains(rules, field) {
				err = fmt.Errorf("%w; %s", err, document.Offer(field, rules, "docs/forks.md"))
			}
			return badInput("--set %s: %w", shown(change), err)
		}
	}
	p.Rules = &recorded.Rules
	// The prompt shows the scenario with the changed rules, so it has to be valid under them.
	if _, err := world.New(recorded, p.Seed); err != nil {
		return badInput("--set: what the scenario begins with does not fit these rules: %w", err)
	}
	return nil
}

// endWithTheModel takes away what a fork has from its parent and what ends with the
// model: bounds on money with one that is paid, faults and manners with the stub.
func (p *plan) endWithTheModel() {
	unpaid := !p.Live() && len(p.Prices) == 0 || p.Offline
	p.Values = slices.Clone(p.Values)
	for i, v := range p.Values {
		ofStub := p.Live() && stubOnly[v.Setting.Key] != ""
		if v.Origin.Rank == settings.FromRun && (ofStub || unpaid && v.Setting.Kind == settings.KindMoney) {
			p.Values[i].Text = ""
			reflect.ValueOf(v.Setting.Into(&p.Config)).Elem().SetZero()
		}
	}
}

// bounds are the conditions on the report.
func (c config) bounds() (list []report.Bound, err error) {
	for _, of := range []struct{ key, before string }{{"run.min_score", "score>="},
		{"run.max_parse_errors", "parse_errors<="}, {"run.gate", ""}} {
		v := c.Values.Find(of.key)
		for text := range strings.FieldsSeq(v.Text) {
			b, err := report.ParseBound(of.before + text)
			if err != nil {
				return nil, badInput("%s: %w", v.Where(), err)
			}
			list = append(list, b)
		}
	}
	return list, nil
}

// taken is the last tick that a fork copies from its parent, 0 without a fork.
func (p plan) taken() int64 {
	if p.fork == nil {
		return 0
	}
	return p.fork.atTick
}

// done is the last tick for which nothing is asked any more.
func (p plan) done() int64 { return max(p.taken(), p.played) }

// strict says that every answer is recorded, so that no model is asked.
func (c config) strict() bool { return c.ModelSource == trace.SourceRecorded }

// keptPaths are the files of a run that its report must not replace.
func (m *Main) keptPaths(p plan) []keptPath {
	kept := []keptPath{m.keptTrace(p.RunDir), m.keptAsks(p.RunDir), {"the run directory", m.path(p.RunDir)},
		{"the playbook", m.path(p.playbookFile)}}
	if p.recording.path != "" {
		kept = append(kept, keptPath{"the recording", m.path(p.recording.path)}, m.keptTrace(p.recording.path))
	}
	return kept
}

// wrongSettings makes an error about settings one about the input.
func wrongSettings(err error) error {
	if _, several := err.(interface{ Unwrap() []error }); several {
		return badInputs(linesOf(err))
	}
	if err == nil {
		return nil
	}
	return badInput("%w", err)
}

// linesOf are the errors that err joins, or its own, each on a line; none for nil.
func linesOf(err error) (lines []string) {
	if joined, several := err.(interface{ Unwrap() []error }); several {
		for _, one := range joined.Unwrap() {
			lines = append(lines, one.Error())
		}
	} else if err != nil {
		lines = append(lines, err.Error())
	}
	return lines
}
