package cli

import (
	"reflect"

	"example.com/agentworld/engine"
	"example.com/agentworld/world"
)

// planning is a plan in the making. Its steps check the settings against each other and
// against the files they name, reading only; every error is bad input, except when no
// name for the run directory can be made.
type planning struct {
	*Main
	plan
	values []value
}

// inOrder carries out steps up to the first that fails.
func inOrder(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// newPlan makes the plan of a run of its own. commands are the names of the other
// commands, for the error about a word that is neither.
func (m *Main) newPlan(c config, values []value, commands []string) (plan, error) {
	p := planning{Main: m, plan: plan{config: c}, values: values}
	err := inOrder(
		func() error { return p.takeScenario(commands) },
		func() error { return p.takeSwitches(0) },
		p.takeModels, p.takePlaybook, p.takePrices, p.takeFaults, p.takeRunDir,
		func() error { return wrongSettings(engine.CheckFirstTick(p.Settings)) },
	)
	return p.plan, err
}

// forkPlan makes the plan of a fork: what no flag changes comes from the parent as it
// was recorded, not from files that may have changed since.
func (m *Main) forkPlan(c config, values []value, f forkFlags) (plan, error) {
	p := planning{Main: m, plan: plan{config: c}, values: values}
	p.Recording, p.Estimate = nil, nil
	err := inOrder(
		func() error { return p.changeRules(f.rules) },
		p.takeModels, p.endWithTheModel, p.takePrices, p.takeFaults,
		func() error { return p.changeTexts(f.atTick) },
		p.takeRunDir,
		func() error { return wrongSettings(engine.Check(p.Settings)) },
	)
	return p.plan, err
}

// takeScenario chooses the scenario and, where nobody else does, how long it is played,
// and its seeds.
func (p *planning) takeScenario(commands []string) error {
	name, text, chosen, err := p.chooseScenario(find(p.values, "run.scenario"), commands)
	if err != nil {
		return err
	}
	p.Scenario, p.ScenarioTOML = name, string(text)
	if p.agentIDs, err = agentsOf(p.Settings, chosen); err != nil {
		return err
	}
	if task := chosen.Task; task != nil && find(p.values, "run.ticks").origin.rank == fromDefault {
		// Fewer ticks would leave out part of what the task scores.
		p.Ticks = task.Ticks
	}
	p.seedFrom("run.seed", &p.Seed, chosen.Seed)
	p.seedFrom("llm.scripted_seed", &p.ScriptedSeed, p.Seed)
	p.seedFrom("llm.fault_seed", &p.FaultSeed, p.Seed)
	return nil
}

// seedFrom fills in a seed that nobody set.
func (p *planning) seedFrom(key string, seed *uint64, other uint64) {
	if find(p.values, key).text == "" {
		*seed = other
	}
}

// changeRules takes the scenario of a run that is forked, with rules that changed.
func (p *planning) changeRules(rules []string) error {
	recorded, err := recordedScenario(p.Settings)
	if err != nil {
		return err
	}
	if p.agentIDs, err = agentsOf(p.Settings, recorded); err != nil || len(rules) == 0 {
		return err
	}
	if recorded.Rules, err = changedRules(recorded.Rules, rules); err != nil {
		return err
	}
	p.Rules = &recorded.Rules
	// The scenario is told with the rules in force, and has to hold under them.
	if _, err := world.New(recorded, p.Seed); err != nil {
		return badInput("--set: what the scenario begins with does not fit these rules: %w", err)
	}
	return nil
}

// takeModels chooses who answers.
func (p *planning) takeModels() (err error) {
	if p.access, p.recording, err = p.chooseAnswers(p.config, p.values); err != nil {
		return err
	}
	if p.own, err = p.chooseAgentAnswers(p.access, p.recording, p.AgentModels, find(p.values, agentsTable).where(), p.agentIDs); err != nil {
		return err
	}
	if err := misplacedAgentKey(p.values, p.own); err != nil {
		return err
	}
	p.Model, p.ModelSource, p.BaseURL = p.access.model, p.recording.source(p.access), p.recording.endpoint(p.access)
	p.AgentModels, p.Recording = recordedModels(p.own), p.recording.describe(p.access.source())
	p.endpoints = newEndpoints(p.config)
	_, err = p.telemetry(p.config)
	return err
}

// takeSwitches reads the switches of prompts, none of them before the tick behind after.
func (p *planning) takeSwitches(after int64) error {
	v := find(p.values, "run.prompt_switches_json")
	switches, err := p.loadSwitches(v, p.agentIDs)
	if err != nil {
		return err
	}
	if len(switches) > 0 && switches[0].Tick <= after {
		return badInput("%s: a switch in tick %d is before the fork; allowed: ticks from %d", v.where(), switches[0].Tick, after+1)
	}
	p.PromptSwitches = switches
	return nil
}

func (p *planning) takePlaybook() error {
	v := find(p.values, "run.playbook")
	text, err := p.loadPlaybook(v, p.Learns())
	p.playbookFile, p.Playbook = v.text, string(text)
	return err
}

// changeTexts reads what a fork is to have in place of its parent's switches and lessons.
func (p *planning) changeTexts(atTick int64) error {
	if find(p.values, "run.prompt_switches_json").text != "" {
		if err := p.takeSwitches(atTick); err != nil {
			return err
		}
	}
	if find(p.values, "run.playbook").text == "" {
		return nil
	}
	return p.takePlaybook()
}

// takePrices looks up the prices of the run's models. A fork knows those of its parent.
func (p *planning) takePrices() (err error) {
	p.Prices, err = p.choosePrices(p.values, p.Prices, p.access, p.own...)
	return err
}

// takeFaults reads the plan of faults.
func (p *planning) takeFaults() (err error) {
	p.faults, err = chooseFaults(p.access, find(p.values, "llm.faults"), p.agentIDs)
	return err
}

// endWithTheModel takes away what a fork has from its parent and what ends with the
// model: bounds on money with one that is paid, faults with the stub.
func (p *planning) endWithTheModel() error {
	unpaid := !p.access.live && len(p.Prices) == 0 || p.access.offline
	for i, v := range p.values {
		faults := p.access.live && v.setting.key == "llm.faults"
		if v.origin.rank == fromParent && (faults || unpaid && v.setting.kind == kindMoney) {
			p.values[i].text = ""
			reflect.ValueOf(v.setting.into(&p.config)).Elem().SetZero()
		}
	}
	return nil
}

// takeRunDir names the run directory, and the files that the report must not replace.
func (p *planning) takeRunDir() (err error) {
	if p.RunDir, err = p.nameRunDir(p.RunDir, p.Scenario); err != nil {
		return err
	}
	p.kept = []keptPath{
		p.keptTrace(p.RunDir), {"the run directory", p.path(p.RunDir)},
		{"the scenario file", p.path(p.Scenario)}, {"the file of prompt switches", p.path(find(p.values, "run.prompt_switches_json").text)},
		{"the playbook", p.path(p.playbookFile)},
	}
	if p.recording.path != "" {
		p.kept = append(p.kept, keptPath{"the recording", p.path(p.recording.path)}, p.keptTrace(p.recording.path))
	}
	return nil
}

// wrongSettings makes an error about settings one about the input.
func wrongSettings(err error) error {
	if err == nil {
		return nil
	}
	return badInput("%w", err)
}
