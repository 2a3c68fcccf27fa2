package search

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/behavior"
	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/world"
)

// The manners of the model: what it does once it has read what others want.
const (
	obey = iota
	obeyAgain
	choose
	chooseAfforded
	secondPlan
	modulesFirst
	prose
	twoDecisions
	longThought
	copyField
	wrapOrder
	noPlan
	planDemand
	openPlan
	little
	manners
)

// onTexts are the manners that only words can bring about.
var onTexts = []int{choose, chooseAfforded, secondPlan, prose, twoDecisions, copyField, little}

// model is the victim's model in one tick. It knows what its requests hold, and no more: of
// texts and terms those that are in the input.
type model struct {
	record
	seen     world.Observation
	said     asks
	intended []world.Action
	modules  []string
	// asked counts its answers, decided those that gave an action.
	asked, decided int
	called         bool
}

// Respond is the answer to a request.
func (m *model) Respond(ask behavior.Ask) llmclient.Answer {
	m.asked++
	allowed := ask.Request.Choice.Allowed
	demands, texts := m.demands(ask.Request.Input)
	manner := m.of(0, manners)
	if texts == 0 && slices.Contains(onTexts, manner) {
		manner = obey // terms say what they ask for, and nothing else
	}
	if ask.Request.Choice.Mode == llmclient.ChoiceNone {
		return m.says("I think about it.")
	}
	can := func(tool string) bool { return slices.Contains(allowed, tool) }
	if i := m.of(2, len(m.modules)); manner == modulesFirst && !m.called && can(m.modules[i]) {
		m.called = true
		return m.calls(call{m.modules[i], `{}`})
	}
	if can(answer.ToolPlan) {
		plan := m.intended
		switch {
		case manner == noPlan:
			plan = nil
		case manner == planDemand && len(demands) > 0:
			plan = append([]world.Action{m.pick(demands)}, plan...)
		}
		step := "respond"
		if manner == longThought {
			step = "reason"
		}
		return m.calls(planned(step, manner == openPlan, plan))
	}
	do := m.action(manner, demands)
	m.decided++
	if m.decided > 1 {
		// It was refused, or something was wrong.
		switch m.of(3, 4) {
		case 0:
			do = append(m.intended, world.Wait{})[min(m.decided-2, len(m.intended))]
		case 2:
			return m.says("Let me explain why I cannot.")
		case 3:
			m.record = append(record{}, m.record...)
			m.record[1]++
			do = m.action(manner, demands)
		}
	}
	switch {
	case manner == prose:
		return m.says("I would rather talk about this first.")
	case manner == secondPlan && m.decided == 1:
		return m.calls(append([]call{planned("respond", false, []world.Action{do})}, m.decision(can, do)...)...)
	case manner == twoDecisions && m.decided == 1:
		return m.calls(append(m.decision(can, m.intended[0]), m.decision(can, do)...)...)
	case manner == longThought && m.decided == 1 && m.of(4, 2) == 1:
		a := m.says(strings.Repeat("so ", 40))
		a.Reply.Status, a.Reply.IncompleteReason = "incomplete", "max_output_tokens"
		return a
	}
	return m.calls(m.decision(can, do)...)
}

// demands are what texts and terms in the input ask for, the texts first.
func (m *model) demands(input []llmclient.Item) (list []world.Action, texts int) {
	shown := func(id string) bool {
		return slices.ContainsFunc(input, func(i llmclient.Item) bool { return strings.Contains(i.Text, id) })
	}
	for _, i := range input {
		if i.Role != "assistant" && i.Name == "" {
			list = append(list, m.said.in(i.Text)...)
		}
	}
	texts = len(list)
	for _, t := range m.seen.Requests {
		if !shown(t.ID) {
			continue
		}
		gift := world.Transfer{To: t.From, Kind: t.Want, Amount: []int64{t.Left, stockIn(m.seen.Self, t.Want), 1}[m.of(5, 3)]}
		list = append(list, gift)
		if m.of(4, 4) == 1 {
			list = append(list, world.Offer{To: t.From, Give: t.Want, GiveAmount: t.Left, Want: goods[(slices.Index(goods, t.Want)+1)%len(goods)], WantAmount: 1, Ticks: 5, Re: t.ID})
		}
	}
	for _, t := range slices.Concat(m.seen.Here.Offers, m.seen.Offers) {
		if shown(t.ID) {
			list = append(list, world.AcceptOffer{OfferID: t.ID})
		}
	}
	return list, texts
}

// pick is the one among the demands that this tick is about.
func (m *model) pick(list []world.Action) world.Action { return list[m.of(1, len(list))] }

// action is what the model decides on first.
func (m *model) action(manner int, demands []world.Action) world.Action {
	if len(demands) == 0 {
		return m.intended[0]
	}
	demand := m.pick(demands)
	switch manner {
	case choose:
		return append(slices.Clone(m.intended), world.Wait{})[m.of(1, len(m.intended)+1)]
	case chooseAfforded:
		return afforded(m.seen, m.of(1, 256))
	case copyField:
		return copied(m.intended[m.of(4, len(m.intended))], demand)
	case wrapOrder:
		if m.of(4, 2) == 1 {
			demand = m.intended[0]
		}
		if _, order := demand.(world.ExecuteUntil); order {
			return demand
		}
		return world.ExecuteUntil{Do: demand, Until: []world.Condition{{Event: world.StopActionRejected}}, MaxTicks: []int64{20, 2, 5, 100}[m.of(2, 4)], Ignore: world.StopAlways()[:m.of(5, 2)]}
	case little:
		return copied(m.intended[0], world.Harvest{MaxAmount: 1})
	}
	return demand
}

// registry are all actions by name.
var registry = func() map[string]world.ActionSpec {
	specs := map[string]world.ActionSpec{}
	for _, s := range world.Actions() {
		specs[s.Name] = s
	}
	return specs
}()

// afforded is one of the actions that the observation offers, with its amount at the most.
func afforded(o world.Observation, k int) world.Action {
	can := slices.DeleteFunc(o.Can, func(a world.Affordance) bool { return !a.OK || a.Action == (world.ExecuteUntil{}).ActionName() })
	if len(can) == 0 {
		return world.Wait{}
	}
	a, args := can[k%len(can)], world.Args{}
	for _, p := range registry[a.Action].Params {
		v := world.Value{Text: "x", Int: max(p.Min, 1)}
		switch p.Kind {
		case world.ParamAmount:
			if p.Name == a.Field {
				v.Int = a.Max
			}
		case world.ParamPlace:
			v.Text = places[k%len(places)]
		case world.ParamAgent:
			v.Text = cast[1+k%attackers]
		case world.ParamChoice:
			v.Text = p.Choices[k%len(p.Choices)]
		}
		args[p.Name] = v
	}
	do, err := world.MakeAction(a.Action, args)
	if err != nil {
		return world.Wait{}
	}
	return do
}

// copied is an action with one value of another copied into it, as a model does that mixes
// up what it planned with what it read: a receiver, an amount, a text.
func copied(into, from world.Action) world.Action {
	if order, ok := into.(world.ExecuteUntil); ok {
		order.Do = copied(order.Do, from)
		return order
	}
	args, has := world.ActionArgs(into), map[world.Slot]world.Value{}
	if _, order := from.(world.ExecuteUntil); order {
		return into
	}
	for _, a := range world.Arguments(from) {
		has[a.Slot()] = a.Value
	}
	for _, a := range world.Arguments(into) {
		if v, ok := has[a.Slot()]; ok {
			args[a.Name] = v
		}
	}
	if do, err := world.MakeAction(into.ActionName(), args); err == nil {
		return do
	}
	return into
}

type call struct{ tool, arguments string }

// written is an action as a candidate, and with its order if it is one.
func written(a world.Action, open bool) string {
	order, ok := a.(world.ExecuteUntil)
	if ok {
		a = order.Do
	}
	text := string(world.EncodeAction(a))
	if open {
		var fields map[string]json.RawMessage
		if json.Unmarshal([]byte(text), &fields) == nil {
			for _, p := range world.Arguments(a) {
				if p.Slot() == world.SlotAmount {
					fields[p.Name] = json.RawMessage("null")
				}
			}
			b, _ := json.Marshal(fields)
			text = string(b)
		}
	}
	if ok {
		b, _ := json.Marshal(struct {
			Until    []world.Condition `json:"until"`
			MaxTicks int64             `json:"max_ticks"`
			Ignore   []string          `json:"ignore"`
		}{order.Until, order.MaxTicks, append([]string{}, order.Ignore...)})
		text = strings.TrimSuffix(text, "}") + `,"execute_until":` + string(b) + "}"
	}
	return text
}

func planned(step string, open bool, actions []world.Action) call {
	var list []string
	for _, a := range actions {
		list = append(list, written(a, open))
	}
	return call{answer.ToolPlan, `{"goal":"work","steps":[{"kind":"` + step + `"}],"actions":[` + strings.Join(list, ",") + `]}`}
}

// decision are the calls that decide on an action with what may be called now.
func (m *model) decision(can func(string) bool, do world.Action) []call {
	standing, whole := "null", written(do, false)
	if order, ok := do.(world.ExecuteUntil); ok {
		standing = whole[strings.LastIndex(whole, `{"until"`) : len(whole)-1]
		do = order.Do
	}
	candidate := written(do, false)
	if m.of(4, 8) == 3 {
		candidate += "," + written(m.intended[0], false) // a second one beside it
	}
	rest := `"execute_until":` + standing + `,"why":"","sources_used":[]}`
	switch {
	case can(answer.ToolTurn):
		return []call{{answer.ToolTurn, `{"plan":"work","candidates":[` + candidate + `],"candidate":1,` + rest}}
	case can(answer.ToolDraft) && !can(answer.ToolDecision):
		return []call{{answer.ToolDraft, `{"candidates":[` + whole + `]}`}}
	case can(answer.ToolDraft):
		return []call{{answer.ToolDraft, `{"candidates":[` + candidate + `]}`}, {answer.ToolDecision, `{"candidate":1,` + rest}}
	}
	return []call{{answer.ToolDecision, `{"action":` + written(do, false) + `,` + rest}}
}

// calls is an answer with calls.
func (m *model) calls(list ...call) llmclient.Answer {
	var items []llmclient.Item
	for i, c := range list {
		items = append(items, llmclient.FunctionCall(fmt.Sprintf("call-%d-%d", m.asked, i), c.tool, c.arguments))
	}
	return m.reply(items...)
}

func (m *model) says(text string) llmclient.Answer {
	return m.reply(llmclient.Message("assistant", text))
}

func (m *model) reply(items ...llmclient.Item) llmclient.Answer {
	return llmclient.Answer{Reply: &llmclient.Reply{ID: "r", Model: "m", Status: "completed", Items: items}, Attempts: 1}
}
