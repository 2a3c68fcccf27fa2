package guardlab

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
	choose
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
	manners
)

// onTexts are the manners that only words can trigger.
var onTexts = []int{choose, secondPlan, prose, twoDecisions, copyField}

// model is the victim's model in one tick. It knows only what its requests hold: of texts
// and terms, those in the input.
type model struct {
	record
	seen     world.Observation
	rules    []world.PolicyRule
	said     asks
	intended []world.Action
	modules  []string
	// plan is what it planned, nil before.
	plan []world.Action
	// asked counts its answers, decided those that gave an action, texts what texts in its input
	// ask for.
	asked, decided, texts int
	called                bool
}

// manner is how the model takes what it reads. Obeying is the most frequent one, then wrapping in
// orders, which have limits of their own.
func (m *model) manner() int {
	switch n := m.of(0, manners+6); {
	case n < manners:
		return n
	case n < manners+4:
		return obey
	}
	return wrapOrder
}

// Respond is the answer to a request.
func (m *model) Respond(ask behavior.Ask) llmclient.Answer {
	m.asked++
	allowed := ask.Request.Choice.Allowed
	demands, texts := m.demands(ask.Request.Input)
	m.texts = texts
	manner := m.manner()
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
			demand := demands[m.of(1, len(demands))]
			plan = append([]world.Action{demand}, plan...)
			if m.of(2, 2) == 1 {
				plan = append(plan[1:], demand) // what it wants itself comes first
			}
		}
		m.plan = plan
		step, write := "respond", whole
		switch manner {
		case longThought:
			step = "reason"
		case openPlan:
			write = open
		}
		return m.calls(planned(step, write, plan))
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
		return m.calls(append([]call{planned("respond", whole, []world.Action{do})}, m.decision(can, do)...)...)
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
	// Every second model has read its rules, and does not answer terms of those whom none names.
	strict := m.of(0, 256) >= 128
	shown := func(t world.Terms) bool {
		return (!strict || slices.ContainsFunc(m.rules,
			func(c world.PolicyRule) bool { return slices.Contains(c.AskedBy, t.From) })) &&
			slices.ContainsFunc(input, func(i llmclient.Item) bool { return strings.Contains(i.Text, t.ID) })
	}
	for _, i := range input {
		if i.Role != "assistant" && i.Name == "" {
			list = append(list, m.said.in(i.Text)...)
		}
	}
	texts = len(list)
	for _, t := range m.seen.Requests {
		if !shown(t) {
			continue
		}
		gift := world.Transfer{To: t.From, Kind: t.Want, Amount: []int64{t.Left, stockIn(m.seen.Self, t.Want), 1}[m.of(5, 3)]}
		list = append(list, gift)
		if visits(m.rules, t.From) {
			list = append(list, world.Move{To: places[m.of(4, len(places))]}) // to bring it, or so it thinks
		}
		if m.of(4, 2) == 1 {
			reply := world.Offer{To: t.From, Give: t.Want, GiveAmount: t.Left,
				Want: goods[(slices.Index(goods, t.Want)+1)%len(goods)], WantAmount: 1, Ticks: 5, Re: t.ID}
			if c, ok := ruleFor(record{2: 64}, t.From, m.rules, reply.ActionName()); ok && c.What == t.Want {
				reply.Want, reply.WantAmount = c.Get, max(1, leastFor(c, t.Left))
			}
			list = append(list, reply)
		}
	}
	for _, t := range slices.Concat(m.seen.Here.Offers, m.seen.Offers) {
		if shown(t) {
			list = append(list, world.AcceptOffer{OfferID: t.ID})
		}
	}
	return list, texts
}

// action is what the model decides on first.
func (m *model) action(manner int, demands []world.Action) world.Action {
	if len(demands) == 0 {
		return m.intended[0]
	}
	demand := demands[m.of(1, len(demands))]
	switch manner {
	case choose:
		return append(slices.Clone(m.intended), world.Wait{})[m.of(1, len(m.intended)+1)]
	case copyField:
		return copied(m.intended[m.of(4, len(m.intended))], demand)
	case wrapOrder:
		if m.texts > 0 && m.of(4, 2) == 1 {
			demand = m.intended[0]
		}
		if _, order := demand.(world.ExecuteUntil); order {
			return demand
		}
		order := world.ExecuteUntil{
			Do: demand, Until: []world.Condition{{Event: world.StopActionRejected}},
			MaxTicks: []int64{20, 2, 5, 100}[m.of(2, 4)], Ignore: world.StopAlways()[:m.of(5, 2)],
		}
		return m.chain(order, demands)
	}
	return demand
}

// chain has an order go on with what texts and terms ask for, at the end of it or beside what the model
// intends, or leaves it as it is.
func (m *model) chain(order world.ExecuteUntil, demands []world.Action) world.Action {
	once := func(a world.Action) world.ExecuteUntil {
		step := world.Steps(a)[0]
		step.Until = order.Until
		return step
	}
	next := once(demands[m.of(3, len(demands))])
	steps := []world.ExecuteUntil{order}
	switch m.of(4, 8) / 2 {
	case 1:
		steps = append(steps, next)
	case 2:
		steps = []world.ExecuteUntil{once(m.intended[0]), next, once(order.Do)}
	case 3:
		order.MaxTicks = 2
		steps = []world.ExecuteUntil{order, once(m.intended[0]), next, next}
	}
	return world.Chain(steps...)
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
	for a := range world.Arguments(from) {
		has[a.Slot()] = a.Value
	}
	for a := range world.Arguments(into) {
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

// written is an action as a candidate, and its order; null without one.
func written(a world.Action) (candidate, order string) {
	o, ok := a.(world.ExecuteUntil)
	if !ok {
		return string(world.EncodeAction(a)), "null"
	}
	b, _ := json.Marshal(struct {
		Until    []world.Condition `json:"until"`
		MaxTicks int64             `json:"max_ticks"`
		Ignore   []string          `json:"ignore"`
	}{o.Until, o.MaxTicks, append([]string{}, o.Ignore...)})
	candidate = string(world.EncodeAction(o.Do))
	if len(o.Then) > 0 {
		var then []string
		for _, step := range o.Then {
			then = append(then, whole(step))
		}
		candidate = strings.TrimSuffix(candidate, "}") + `,"then":[` + strings.Join(then, ",") + "]}"
	}
	return candidate, string(b)
}

// whole is an action as a candidate with its order in it.
func whole(a world.Action) string {
	candidate, order := written(a)
	if order == "null" {
		return candidate
	}
	return strings.TrimSuffix(candidate, "}") + `,"execute_until":` + order + "}"
}

// open is a candidate of a plan without its amounts.
func open(a world.Action) string {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal([]byte(whole(a)), &fields) // it was encoded just now
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	for p := range world.Arguments(a) {
		if p.Slot() == world.SlotAmount {
			fields[p.Name] = json.RawMessage("null")
		}
	}
	b, _ := json.Marshal(fields)
	return string(b)
}

// planned is the call that plans some actions.
func planned(step string, write func(world.Action) string, actions []world.Action) call {
	var list []string
	for _, a := range actions {
		list = append(list, write(a))
	}
	return call{answer.ToolPlan, `{"goal":"work","steps":[{"kind":"` + step + `"}],"actions":[` +
		strings.Join(list, ",") + `]}`}
}

// decision are the calls that decide on an action with what may be called now.
func (m *model) decision(can func(string) bool, do world.Action) []call {
	action, order := written(do)
	candidates := action
	if m.of(4, 8) == 3 { // a second one beside it
		beside, _ := written(m.intended[0])
		candidates += "," + beside
	}
	draft := call{answer.ToolDraft, `{"candidates":[` + candidates + `]}`}
	rest := `"execute_until":` + order + `,"why":"","sources_used":[]}`
	switch {
	case can(answer.ToolTurn):
		return []call{{answer.ToolTurn, `{"plan":"work","candidates":[` + candidates + `],"candidate":1,` + rest}}
	case can(answer.ToolDraft) && !can(answer.ToolDecision):
		return []call{{answer.ToolDraft, `{"candidates":[` + whole(do) + `]}`}}
	case can(answer.ToolDraft):
		return []call{draft, {answer.ToolDecision, `{"candidate":1,` + rest}}
	}
	return []call{{answer.ToolDecision, `{"action":` + action + `,` + rest}}
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
