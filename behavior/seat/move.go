package seat

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"example.com/agentworld/world"
)

// Move is what a seat answers.
type Move struct {
	// Action is what the agent does: any action, an order, or a chain of steps.
	Action world.Action
	// Plan is what the agent means to do once it has read, the answer to [AskPlan]: at most 12 actions,
	// the most important first. An Action is the first of them.
	Plan []world.Action
	// Why is a reason in a few words, for people.
	Why string
	// err says why the action could not be made.
	err error
}

// PlanMax bounds the actions of a plan.
const PlanMax = 12

// Do is the move to do one action, given its name and its arguments in the order of the docs: ids, names
// and texts as string, amounts as int or int64.
//
//	seat.Do("mine_compound", 5000)
//	seat.Do("transfer_resource", "agent-2", "electricity", 50)
//
// Arguments that do not fit make a move that is none; the seat's failure then says what is wrong.
func Do(name string, args ...any) Move {
	a, err := action(name, args)
	return Move{Action: a, err: err}
}

func action(name string, args []any) (world.Action, error) {
	var spec world.ActionSpec
	for _, s := range world.Actions() {
		if s.Name == name {
			spec = s
		}
	}
	if spec.Name == "" {
		return nil, fmt.Errorf("there is no action %q", name)
	}
	if len(args) > len(spec.Params) {
		return nil, fmt.Errorf("%s takes %d arguments, got %d", name, len(spec.Params), len(args))
	}
	values := world.Args{}
	for i, p := range spec.Params {
		var value world.Value
		switch {
		case i >= len(args) && p.Optional:
		case i >= len(args):
			return nil, fmt.Errorf("%s: argument %d, %s, is missing", name, i+1, p.Name)
		default:
			var fits bool
			value, fits = valueOf(args[i], p.Kind == world.ParamAmount)
			if !fits {
				return nil, fmt.Errorf("%s: argument %d, %s, is a %T", name, i+1, p.Name, args[i])
			}
		}
		values[p.Name] = value
	}
	return world.MakeAction(name, values)
}

// valueOf is an argument as a value of an amount, or of anything else.
func valueOf(arg any, amount bool) (v world.Value, fits bool) {
	switch arg := arg.(type) {
	case int:
		v.Int, fits = int64(arg), amount
	case int64:
		v.Int, fits = arg, amount
	case string:
		v.Text, fits = arg, !amount
	}
	return v, fits
}

// For makes an order of the move: its action is repeated for at most so many ticks, without a further
// turn, until one of the stop events holds. Without any, only what ends every order does.
func (m Move) For(ticks int64, until ...string) Move {
	if m.Action == nil {
		return m
	}
	order := world.ExecuteUntil{Do: m.Action, MaxTicks: ticks}
	for _, event := range until {
		order.Until = append(order.Until, world.Condition{Event: event})
	}
	if len(until) == 0 {
		order.Until = []world.Condition{{Event: world.StopActionRejected}}
	}
	m.Action = order
	return m
}

// Then makes a chain of moves: next follows when this one is over.
func (m Move) Then(next ...Move) Move {
	if m.Action == nil {
		return m
	}
	steps := world.Steps(m.Action)
	for _, n := range next {
		if n.Action == nil {
			return n
		}
		steps = append(steps, world.Steps(n.Action)...)
	}
	m.Action = world.Chain(steps...)
	return m
}

// Because adds the reason.
func (m Move) Because(why string) Move {
	m.Why = why
	return m
}

// wireMove is a move as a trace keeps it.
type wireMove struct {
	Action json.RawMessage   `json:"action,omitempty"`
	Plan   []json.RawMessage `json:"plan,omitempty"`
	Why    string            `json:"why,omitempty"`
}

// WhyMax bounds the reason that is kept, in bytes.
const WhyMax = 1000

// Encode writes the move as an answer to ask. The error says why it is none.
func (m Move) Encode(ask Ask) (text []byte, err error) {
	switch {
	case m.err != nil:
		return nil, m.err
	case ask == AskMove && m.Action == nil:
		return nil, errors.New("the move has no action")
	case len(m.Plan) > PlanMax:
		return nil, fmt.Errorf("the plan has %d actions; allowed: up to %d", len(m.Plan), PlanMax)
	}
	w := wireMove{Why: m.Why[:min(len(m.Why), WhyMax)]}
	if m.Action != nil {
		w.Action, err = encoded(m.Action)
	}
	for _, a := range m.Plan {
		one, bad := encoded(a)
		err = cmp.Or(err, bad)
		w.Plan = append(w.Plan, one)
	}
	if err != nil {
		return nil, err
	}
	text, err = json.Marshal(w)
	if err != nil {
		return nil, fmt.Errorf("write the move: %w", err)
	}
	return text, nil
}

// encoded writes an action as [decoded] reads it.
func encoded(a world.Action) (json.RawMessage, error) {
	if a == nil {
		return nil, errors.New("an action is nil")
	}
	sound, err := checked(a)
	if err != nil {
		return nil, err
	}
	return world.EncodeAction(sound), nil
}

// Decode reads what [Move.Encode] writes.
func Decode(text []byte, ask Ask) (Move, error) {
	var w wireMove
	if err := json.Unmarshal(text, &w); err != nil {
		return Move{}, fmt.Errorf("read the move: %w", err)
	}
	m := Move{Why: w.Why}
	switch {
	case w.Action != nil:
		a, err := decoded(w.Action)
		if err != nil {
			return Move{}, err
		}
		m.Action = a
	case ask == AskMove:
		return Move{}, errors.New("the move has no action")
	}
	for _, one := range w.Plan {
		a, err := decoded(one)
		if err != nil {
			return Move{}, err
		}
		m.Plan = append(m.Plan, a)
	}
	return m, nil
}

// decoded reads an action.
func decoded(text []byte) (world.Action, error) {
	a, err := world.DecodeAction(text)
	if err != nil {
		return nil, err
	}
	return checked(a)
}

// checked holds an action to the form of one that a model writes: known choices, and texts that are one
// clean line.
func checked(a world.Action) (world.Action, error) {
	if _, order := a.(world.ExecuteUntil); !order {
		return remade(a)
	}
	var steps []world.ExecuteUntil
	for _, step := range world.Steps(a) {
		do, err := remade(step.Do)
		if err != nil {
			return nil, err
		}
		step, err = world.NewExecuteUntil(do, step.Until, step.MaxTicks, step.Ignore...)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	if len(steps) > 1+world.ThenMax {
		return nil, fmt.Errorf("the chain has %d steps; allowed: up to %d", len(steps), 1+world.ThenMax)
	}
	return world.Chain(steps...), nil
}

// remade is a plain action, made of its own arguments again.
func remade(a world.Action) (world.Action, error) {
	args := world.Args{}
	for arg := range world.Arguments(a) {
		args[arg.Name] = arg.Value
	}
	return world.MakeAction(a.ActionName(), args)
}

// Planned are the actions of the move as a plan.
func (m Move) Planned() []world.Action {
	if m.Action == nil {
		return m.Plan
	}
	return append([]world.Action{m.Action}, m.Plan...)
}

// Why a seat makes no move, the code of its failure: it returned an error, it panicked, its answer came
// too late, it still had not answered an earlier turn, its answer is no move, or its code is not there.
const (
	Failed   = "failed"
	Panicked = "panicked"
	Late     = "late"
	Busy     = "busy"
	Nonsense = "nonsense"
	Missing  = "missing"
)
