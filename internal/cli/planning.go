package cli

import (
	"example.com/agentworld/engine"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
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
		p.takeModels, p.takePlaybook,
		func() error { return p.takePrices(nil) },
		func() error { return p.takeFaults(find(values, "llm.faults")) },
		p.takeRunDir, p.check,
		func() error { return wrongSettings(engine.CheckFirstTick(p.engineSettings())) },
	)
	if err != nil {
		return plan{}, err
	}
	return p.plan, nil
}

// forkPlan makes the plan of a fork: what no flag changes comes from the parent as it
// was recorded, not from files that may have changed since.
func (m *Main) forkPlan(c config, values []value, parent trace.Settings, f forkFlags) (plan, error) {
	p := planning{Main: m, plan: plan{config: c, switches: parent.PromptSwitches, playbook: []byte(parent.Playbook)}, values: values}
	err := inOrder(
		func() error { return p.takeParent(parent, f.rules) },
		p.takeModels,
		func() error { return p.takeParentPrices(parent.Prices) },
		p.takeParentFaults,
		func() error { return p.changeTexts(f.atTick) },
		p.takeRunDir, p.check,
	)
	if err != nil {
		return plan{}, err
	}
	return p.plan, nil
}

// takeScenario chooses the scenario and, where nobody else does, how long it is played.
func (p *planning) takeScenario(commands []string) error {
	scenario, err := p.chooseScenario(find(p.values, "run.scenario"), commands)
	if err != nil {
		return err
	}
	if p.scenario, err = scenario.withAgents(p.config.Agents); err != nil {
		return err
	}
	if task := p.scenario.scenario.Task; task != nil && find(p.values, "run.ticks").origin.rank == fromDefault {
		// Fewer ticks would leave out part of what the task scores.
		p.config.Ticks = task.Ticks
	}
	return nil
}

// takeParent takes the scenario of a run that is forked, with rules that changed.
func (p *planning) takeParent(parent trace.Settings, rules []string) (err error) {
	if p.scenario, err = recordedScenario(parent); err != nil || len(rules) == 0 {
		return err
	}
	in := &p.scenario.scenario.Rules
	if *in, err = changedRules(*in, rules); err != nil {
		return err
	}
	p.scenario.rules = in
	// The scenario is told with the rules in force, and has to hold under them.
	if _, err := world.New(p.scenario.scenario, parent.Seed); err != nil {
		return badInput("--set: what the scenario begins with does not fit these rules: %w", err)
	}
	return nil
}

// takeModels chooses who answers, and what of the guard looks at the answers.
func (p *planning) takeModels() (err error) {
	if p.model, p.recording, err = p.chooseAnswers(p.config, p.values); err != nil {
		return err
	}
	if p.agents, err = p.chooseAgentAnswers(p.model, p.recording, find(p.values, agentsTable), p.scenario.agents); err != nil {
		return err
	}
	if err := misplacedAgentKey(p.values, p.agents); err != nil {
		return err
	}
	p.endpoints = newEndpoints(p.config)
	if _, err := p.telemetry(p.config); err != nil {
		return err
	}
	p.guardOff, err = chooseGuardOff(find(p.values, "run.guard_off"))
	return err
}

// takeSwitches reads the switches of prompts, none of them before the tick behind after.
func (p *planning) takeSwitches(after int64) error {
	v := find(p.values, "run.prompt_switches_json")
	switches, err := p.loadSwitches(v, p.scenario.agents)
	if err != nil {
		return err
	}
	if len(switches) > 0 && switches[0].Tick <= after {
		return badInput("%s: a switch in tick %d is before the fork; allowed: ticks from %d", v.where(), switches[0].Tick, after+1)
	}
	p.switches = switches
	return nil
}

func (p *planning) takePlaybook() (err error) {
	p.playbook, err = p.loadPlaybook(find(p.values, "run.playbook"), p.config.LearnEvery > 0 && !p.config.FreezePlaybook)
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

func (p *planning) takePrices(parent []price.Price) (err error) {
	p.prices, err = p.choosePrices(p.values, parent, p.model, p.agents...)
	return err
}

// takeParentPrices chooses the prices of a fork. Bounds on money end with the model that
// is paid.
func (p *planning) takeParentPrices(parent []price.Price) error {
	if !p.model.live && len(parent) == 0 || p.model.offline {
		p.config, p.values = p.config.withoutCost(p.values)
	}
	return p.takePrices(parent)
}

func (p *planning) takeFaults(v value) (err error) {
	p.faults, err = chooseFaults(p.model, v, p.scenario.agents)
	return err
}

// takeParentFaults chooses the faults of a fork. The stub's end with the stub.
func (p *planning) takeParentFaults() error {
	v := find(p.values, "llm.faults")
	if p.model.live && v.origin.rank == fromParent {
		p.config.Faults, v.text = "", ""
	}
	return p.takeFaults(v)
}

// takeRunDir names the run directory, and the files that the report must not replace.
func (p *planning) takeRunDir() (err error) {
	if p.runDir, err = p.nameRunDir(p.config.RunDir, p.scenario.name); err != nil {
		return err
	}
	p.kept = []keptPath{
		p.keptTrace(p.runDir), {"the run directory", p.path(p.runDir)},
		{"the scenario file", p.path(p.scenario.name)}, {"the file of prompt switches", p.path(p.config.PromptSwitches)},
		{"the playbook", p.path(p.config.Playbook)},
	}
	if p.recording.path != "" {
		p.kept = append(p.kept, keptPath{"the recording", p.path(p.recording.path)}, p.keptTrace(p.recording.path))
	}
	return nil
}

func (p *planning) check() error { return wrongSettings(engine.Check(p.engineSettings())) }

// wrongSettings makes an error about settings one about the input.
func wrongSettings(err error) error {
	if err == nil {
		return nil
	}
	return badInput("%w", err)
}
