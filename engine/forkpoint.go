package engine

import (
	"bytes"
	"errors"
	"fmt"
	goreflect "reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/reflect"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/memory/playbook"
	"example.com/agentworld/modules"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// takeForks puts the forks into force whose parents end with the tick just done. It
// is called between ticks.
func (r *runner) takeForks() error {
	for len(r.forks) > 0 && r.forks[0].AtTick == r.world.Tick() {
		f := r.forks[0]
		r.forks = r.forks[1:]
		if err := r.takeFork(f); err != nil {
			return fmt.Errorf("%w: at tick %d: %w", ErrFork, f.AtTick, err)
		}
		if err := r.journal.write(f); err != nil {
			return err
		}
	}
	return nil
}

// takeFork makes everything from the next tick on as the fork has it. Texts that did
// not change stay as they are, since a prompt switch may have replaced them.
func (r *runner) takeFork(f trace.Fork) error {
	before := r.Settings
	next, err := before.after(f)
	if err != nil {
		return err
	}
	if err := r.world.SetRules(f.After.Rules); err != nil {
		return err
	}
	kit, err := behavior.NewKit(next.behaviorConfig(), f.After.Rules, modules.New())
	if err != nil {
		return err
	}
	seed, err := next.seedPlaybook()
	if err != nil {
		return err
	}
	r.Settings, r.kit = next, kit
	r.reachAs(before)
	r.spendAs(before)
	r.switches = switchesAfter(next.Switches, f.AtTick)
	for _, m := range r.minds {
		if m == nil {
			continue
		}
		m.Adopt(kit)
		if next.SystemPrompt != before.SystemPrompt {
			m.SetSystemPrompt(next.SystemPrompt)
		}
		m.SetGoals(changed(before.ShortTermGoal, next.ShortTermGoal), changed(before.LongTermGoal, next.LongTermGoal))
	}
	if !bytes.Equal(next.Playbook, before.Playbook) {
		r.reseed(seed)
	}
	r.learnAs(f)
	return nil
}

// reachAs lets the agents use the fork's models. Where they stay the same, what is
// known of their endpoints does too.
func (r *runner) reachAs(before Settings) {
	if r.Model == before.Model && r.BaseURL == before.BaseURL && slices.Equal(r.AgentModels, before.AgentModels) {
		return
	}
	r.endpoints, r.lastFailure = newEndpoints(r.Settings, r.world), ""
}

// spendAs applies the fork's prices and caps. Caps that it takes over go on counting, also
// when it takes others away; other ones count from here on.
func (r *runner) spendAs(before Settings) {
	r.prices, r.progress.Currency = pricesOf(r.Prices), r.currency()
	r.recapped = nil
	r.spending.beginTick()
	switch {
	case budget.Afresh(before.Caps, r.Caps):
		r.spending = newSpending(r.Settings)
	case r.Caps != before.Caps:
		r.spending = r.spending.under(r.Caps)
	}
	r.spending.prices = r.prices
}

// reseed gives every agent other lessons. What was learned on top of the old ones
// has nothing to be folded into any more.
func (r *runner) reseed(seed *playbook.Playbook) {
	r.seed = seed
	for _, m := range r.minds {
		if m != nil {
			m.SetPlaybook(seed)
		}
	}
	if r.learning != nil {
		r.learning.folder = reflect.NewFolder(seed, r.playbookLimits())
	}
}

// learnAs makes what is learned from now on evidence of the fork: its decisions are
// not those of its parent in the same ticks.
func (r *runner) learnAs(f trace.Fork) {
	if !r.learns() {
		return
	}
	name := forkName(f)
	old := r.learning
	r.learning = newLearning(r.kit.Config(), name, r.seed, r.playbookLimits(), r.world.Agents())
	if old == nil {
		return
	}
	r.learning.experiences, r.learning.folder = old.experiences, old.folder
	for _, e := range old.experiences {
		if e != nil {
			e.Rename(name)
		}
	}
}

// forkName names the run from a fork on, a digest of its parent and its settings.
func forkName(f trace.Fork) string {
	line, err := trace.Encode(f)
	if err != nil {
		panic("engine: a fork cannot be encoded: " + err.Error())
	}
	return "run-" + llmclient.Hash(line)[:12]
}

// changed returns next where it differs from before, and nothing otherwise.
func changed(before, next string) string {
	if next == before {
		return ""
	}
	return next
}

// switchesAfter are the prompt switches that are still to come after a tick.
func switchesAfter(switches []trace.Switch, tick int64) []trace.Switch {
	var later []trace.Switch
	for _, s := range switches {
		if s.Tick > tick {
			later = append(later, s)
		}
	}
	return later
}

// after returns s as it holds from a fork on. What the run is as a whole, its length
// and its forks, stays.
func (s Settings) after(f trace.Fork) (Settings, error) {
	h := trace.Header{Scenario: s.ScenarioName, ScenarioTOML: string(s.ScenarioTOML), Seed: s.Seed, TicksRequested: s.Ticks}
	next, err := settingsOf(h.Fork(f))
	if err != nil {
		return s, err
	}
	next.Scenario.Rules, next.Forks, next.Agents = f.After.Rules, s.Forks, s.Agents
	next.AgentModels = agentModelsOf(f.After.AgentModels)
	return next, nil
}

// forkSettings is s as a fork records it.
func (s Settings) forkSettings() (trace.ForkSettings, error) {
	w, err := s.newWorld()
	if err != nil {
		return trace.ForkSettings{}, err
	}
	if err := s.behaviorConfig().Validate(); err != nil {
		return trace.ForkSettings{}, err
	}
	h := s.header(w, s.behaviorConfig().WithDefaults(), 0, time.Time{})
	return trace.ForkSettings{
		PromptVersion: h.PromptVersion, Playbook: h.Playbook, Protocol: h.Protocol, Model: h.Model, ModelSource: h.ModelSource,
		UsageSource: h.UsageSource, BaseURL: h.BaseURL, AgentModels: s.ownModels(), Settings: h.Settings, Rules: s.Scenario.Rules,
	}, nil
}

// changeCharsMax bounds each side of a change.
const changeCharsMax = 200

// changesOf lists what differs between two settings, in the order in which a user
// thinks of them.
func changesOf(before, next Settings) ([]trace.Change, error) {
	a, err := before.forkSettings()
	if err != nil {
		return nil, err
	}
	b, err := next.forkSettings()
	if err != nil {
		return nil, err
	}
	changes := []trace.Change{}
	for _, c := range []trace.Change{
		{What: "ticks", From: strconv.FormatInt(before.Ticks, 10), To: strconv.FormatInt(next.Ticks, 10)},
		{What: "model", From: a.Model, To: b.Model},
		{What: "model_source", From: string(a.ModelSource), To: string(b.ModelSource)},
		{What: "base_url", From: a.BaseURL, To: b.BaseURL},
		{What: "agent_models", From: valueText(a.AgentModels), To: valueText(b.AgentModels)},
		{What: "protocol", From: a.Protocol, To: b.Protocol},
		{What: "playbook", From: lessonsText(a.Playbook), To: lessonsText(b.Playbook)},
	} {
		if c.From != c.To {
			changes = append(changes, c)
		}
	}
	fields, err := settingChanges(a.Settings, b.Settings)
	if err != nil {
		return nil, err
	}
	changes = append(changes, fields...)
	if before.Caps != next.Caps {
		changes = append(changes, trace.Change{What: "caps", From: before.Caps.Text(before.currency()), To: next.Caps.Text(next.currency())})
	}
	for _, c := range a.Rules.Changed(b.Rules) {
		changes = append(changes, trace.Change{What: "rules." + c.Name, From: strconv.FormatInt(c.From, 10), To: strconv.FormatInt(c.To, 10)})
	}
	for i := range changes {
		changes[i].From, changes[i].To = plaintext.Clip(changes[i].From, changeCharsMax), plaintext.Clip(changes[i].To, changeCharsMax)
	}
	return changes, nil
}

// lessonsText stands for a playbook in a change: its text is no help there.
func lessonsText(text string) string {
	if text == "" {
		return "none"
	}
	return "sha256 " + llmclient.Hash([]byte(text))[:12]
}

// settingChanges compares the choices that shape turns, field by field.
func settingChanges(before, next trace.Settings) ([]trace.Change, error) {
	var changes []trace.Change
	a, b := goreflect.ValueOf(before), goreflect.ValueOf(next)
	for i := range a.NumField() {
		name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
		from, to := valueText(a.Field(i).Interface()), valueText(b.Field(i).Interface())
		switch {
		case from == to || name == "estimate" || name == "caps": // an estimate shapes nothing, caps have words of their own
		case name == "agents_override":
			return nil, errors.New("a fork cannot change the number of agents: the ticks before it would be others")
		default:
			changes = append(changes, trace.Change{What: name, From: from, To: to})
		}
	}
	return changes, nil
}

// valueText is a text as it is and anything else as JSON.
func valueText(v any) string {
	if text, ok := v.(string); ok {
		return text
	}
	return string(llmclient.Marshal(v))
}
