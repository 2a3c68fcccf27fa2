package world

import (
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestActionsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawAction(t)
		b := EncodeAction(a)
		if !json.Valid(b) || !utf8.Valid(b) {
			t.Fatalf("%q is no JSON", b)
		}
		got, err := DecodeAction(b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if string(EncodeAction(got)) != string(b) || got.ActionName() != a.ActionName() {
			t.Fatalf("%s came back as %s", b, EncodeAction(got))
		}
		if order, ok := a.(ExecuteUntil); ok && len(order.Until) == 0 {
			return // an empty list and none are the same on the wire
		}
		if !reflect.DeepEqual(got, a) {
			t.Fatalf("%#v came back as %#v", a, got)
		}
	})
}

func TestEncodeAction(t *testing.T) {
	five := int64(5)
	for _, tc := range []struct {
		action Action
		want   string
	}{
		{Wait{}, `{"action":"wait"}`},
		{Mine{5000}, `{"action":"mine_compound","compound_mass_g":5000}`},
		{PlaceOrder{SideBuy, 30, 5}, `{"action":"place_power_order","side":"buy","amount":30,"price":5}`},
		{CancelOrder{"agent-1-o1"}, `{"action":"cancel_power_order","order_id":"agent-1-o1"}`},
		{Transfer{"agent-2", Data, 3}, `{"action":"transfer_resource","to_agent":"agent-2","kind":"data","amount":3}`},
		{
			ExecuteUntil{Do: Harvest{9}, Until: []Condition{{"harvest_yield_below", &five}, {"job_done", nil}}, MaxTicks: 6},
			`{"action":"execute_until","do":{"action":"harvest_radiation","max_amount":9},` +
				`"until":[{"event":"harvest_yield_below","value":5},{"event":"job_done"}],"max_ticks":6}`,
		},
		{
			ExecuteUntil{Do: Wait{}, Until: []Condition{{Event: StopOrderFilled}}, MaxTicks: 9, Ignore: StopAlways()},
			`{"action":"execute_until","do":{"action":"wait"},"until":[{"event":"order_filled"}],"max_ticks":9,` +
				`"ignore":["message_received","power_low"]}`,
		},
		{
			Chain(Once(Mine{5000}), ExecuteUntil{Do: Wait{}, Until: []Condition{{Event: StopQueueEmpty}}, MaxTicks: 2, Ignore: StopAlways()[:1]}),
			`{"action":"execute_until","do":{"action":"mine_compound","compound_mass_g":5000},` +
				`"until":[{"event":"action_rejected"}],"max_ticks":1,"then":[{"do":{"action":"wait"},` +
				`"until":[{"event":"queue_empty"}],"max_ticks":2,"ignore":["message_received"]}]}`,
		},
	} {
		if got := string(EncodeAction(tc.action)); got != tc.want {
			t.Errorf("EncodeAction(%#v) = %s, want %s", tc.action, got, tc.want)
		}
	}
}

func TestDecodeActionIsStrict(t *testing.T) {
	for _, text := range []string{
		``, `null`, `[]`, `"wait"`, `{}`, `{"action":null}`, `{"action":"fly"}`, `{"action":"wait"} x`, `{"action":"wait"`,
		`{"action":"wait","extra":1}`, `{"action":"wait","action":"wait"}`,
		`{"action":"mine_compound"}`, `{"action":"mine_compound","compound_mass_g":null}`,
		`{"action":"mine_compound","compound_mass_g":"5"}`, `{"action":"mine_compound","compound_mass_g":5.5}`,
		`{"action":"mine_compound","compound_mass_g":9223372036854775808}`, `{"action":"mine_compound","mass":5}`,
		`{"action":"move_agent","to":7}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[]}`,
		`{"action":"execute_until","do":{"action":"fly"},"until":[],"max_ticks":3}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[{"event":"x","y":1}],"max_ticks":3}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":"3"}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"ignore":"power_low"}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"ignore":[]}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"ignore":null}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"other":[]}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"then":[]}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"then":null}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"then":[{"do":{"action":"wait"},"until":[]}]}`,
		`{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3,"then":[{"do":{"action":"wait"},"until":[],"max_ticks":1,"then":[]}]}`,
		`{"action":"execute_until","do":{"action":"execute_until","do":{"action":"wait"},"until":[],"max_ticks":3},"until":[],"max_ticks":3}`,
	} {
		if a, err := DecodeAction([]byte(text)); err == nil {
			t.Errorf("DecodeAction(%s) = %#v, want an error", text, a)
		}
	}
}

// TestSpecsMatchTheActions takes every action apart and puts it together again by its
// spec.
func TestSpecsMatchTheActions(t *testing.T) {
	specs := Actions()
	if last := specs[len(actions)]; len(specs) != len(actions)+1 || last.Name != "execute_until" {
		t.Fatalf("there are %d specs, the last is %s", len(specs), last.Name)
	}
	for i, action := range actions {
		if fields := reflect.TypeOf(action).NumField(); specs[i].Name != action.ActionName() || fields != len(specs[i].Params) {
			t.Errorf("%T has %d fields, spec %d is %s", action, fields, i, specs[i].Name)
		}
		args := Args{}
		for k, p := range specs[i].Params {
			v := Value{Text: p.Name}
			if p.Kind == ParamAmount {
				v = Value{Int: p.Min + int64(k)}
			} else if len(p.Choices) > 0 {
				v.Text = p.Choices[0]
			}
			args[p.Name] = v
		}
		a, err := MakeAction(specs[i].Name, args)
		if err != nil || !maps.Equal(ActionArgs(a), args) {
			t.Errorf("MakeAction(%s, %v) = %#v, %v", specs[i].Name, args, a, err)
		}
	}
	for _, s := range specs {
		checkDocs(t, s)
	}
}

func checkDocs(t *testing.T, s ActionSpec) {
	for _, p := range s.Params {
		if p.Doc == "" || len(p.Doc) > 60 {
			t.Errorf("%s.%s: doc has %d characters", s.Name, p.Name, len(p.Doc))
		}
		if (p.Kind == ParamAmount) != (p.Unit != "" && p.Max > p.Min) || (p.Kind == ParamChoice) != (len(p.Choices) > 0) {
			t.Errorf("%s.%s: %+v is inconsistent", s.Name, p.Name, p)
		}
	}
}

func TestMakeActionNamesTheField(t *testing.T) {
	for _, tc := range []struct {
		name  string
		args  Args
		field string
	}{
		{"fly", Args{}, "action"},
		{"execute_until", Args{"max_ticks": {Int: 1}}, "action"},
		{"mine_compound", Args{}, "compound_mass_g"},
		{"wait", Args{"ticks": {Int: 1}}, "action"},
		{"move_agent", Args{"to": {}}, "to"},
		{"move_agent", Args{"to": {Text: "\xff"}}, "to"},
		{"move_agent", Args{"to": {Text: strings.Repeat("x", 300)}}, "to"},
		{"place_power_order", Args{"side": {Text: "hold"}, "amount": {Int: 1}, "price": {Int: 1}}, "side"},
	} {
		_, err := MakeAction(tc.name, tc.args)
		var wrong *ArgumentError
		if !errors.As(err, &wrong) || wrong.Field != tc.field {
			t.Errorf("MakeAction(%s, %v) = %v, want a fault in %s", tc.name, tc.args, err, tc.field)
		}
	}
	alias, err := MakeAction("schedule_recipe",
		Args{"factory_id": {Text: "f"}, "recipe_id": {Text: "recipe.motor_mk1"}, "batches": {Int: 1}})
	if want := (ScheduleRecipe{"f", "recipe.assembler.motor_mk1", 1}); err != nil || alias != want {
		t.Errorf("the alias gives %#v, %v", alias, err)
	}
}

func TestNewExecuteUntilRefusesMalformedOrders(t *testing.T) {
	n := int64(3)
	bad := number(-1)
	done := []Condition{{Event: StopJobDone}}
	for _, tc := range []struct {
		do    Action
		until []Condition
		field string
	}{
		{nil, done, "do"},
		{ExecuteUntil{Do: Wait{}, Until: done, MaxTicks: 1}, done, "do"},
		{Wait{}, nil, "until"},
		{Wait{}, make([]Condition, ConditionsMax+1), "until"},
		{Wait{}, []Condition{{Event: "sunrise"}}, "until"},
		{Wait{}, []Condition{{Event: StopJobDone, Value: &n}}, "until"},
		{Wait{}, []Condition{{Event: StopHarvestYieldBelow}}, "until"},
		{Wait{}, []Condition{{Event: StopHarvestYieldBelow, Value: bad}}, "until"},
	} {
		_, err := NewExecuteUntil(tc.do, tc.until, 3)
		var wrong *ArgumentError
		if !errors.As(err, &wrong) || wrong.Field != tc.field {
			t.Errorf("NewExecuteUntil(%v, %v) = %v, want a fault in %s", tc.do, tc.until, err, tc.field)
		}
	}
	for _, ignore := range [][]string{{StopHeatAbove}, {StopPowerLow, "sunrise"}} {
		if _, err := NewExecuteUntil(Wait{}, done, 3, ignore...); err == nil {
			t.Errorf("an order may ignore %v", ignore)
		}
	}
	order, err := NewExecuteUntil(Wait{}, done, 3, StopPowerLow, StopMessageReceived, StopPowerLow)
	if err != nil || !slices.Equal(order.Ignore, []string{StopMessageReceived, StopPowerLow}) {
		t.Errorf("ignored events are %v, %v", order.Ignore, err)
	}
	for _, e := range StopEvents() {
		c := Condition{Event: e.Name}
		if e.TakesValue {
			c.Value = &n
		}
		if _, err := NewExecuteUntil(Wait{}, []Condition{c}, 3); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// TestEventsAndOutcomesRoundTrip sends everything a hostile run produces through
// JSON and back.
func TestEventsAndOutcomesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newHostileWorld(t)
		for range rapid.IntRange(1, 8).Draw(t, "ticks") {
			for _, e := range append(w.Advance(), w.Apply(intentsOf(t, w))...) {
				roundTrip(t, e, &Event{})
			}
		}
		for n := range w.Agents() {
			if o, ok := w.LastOutcome(n); ok {
				roundTrip(t, o, &Outcome{})
			}
		}
	})
}

func roundTrip[T any](t *rapid.T, v T, into *T) {
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	again, err := json.Marshal(*into)
	if err != nil || string(again) != string(b) {
		t.Fatalf("round trip differs (-first +second):\n%s", cmp.Diff(string(b), string(again)))
	}
}
