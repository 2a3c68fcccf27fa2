package answer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

func TestDecodeStanding(t *testing.T) {
	do := world.Mine{MassG: 5000}
	at := func(n int64) *int64 { return &n }
	arrive := []world.Condition{{Event: "arrive_target"}}
	for _, c := range []struct {
		name string
		raw  string
		want world.Action
		used []Repair
	}{
		{"null", `null`, do, nil},
		{"plain", `{"until":[{"event":"arrive_target","value":null}],"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, nil},
		{"value", `{"until":[{"event":"harvest_yield_below","value":3},{"event":"job_done"}],"max_ticks":4}`,
			world.ExecuteUntil{Do: do, Until: []world.Condition{{Event: "harvest_yield_below", Value: at(3)}, {Event: "job_done"}}, MaxTicks: 4}, nil},
		{"left to clamp", `{"until":[{"event":"arrive_target"}],"max_ticks":-1e9}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: -1e9}, nil},
		{"no ticks", `{"until":[{"event":"arrive_target"}]}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 6}, []Repair{DefaultMaxTicks}},
		{"null ticks", `{"until":[{"event":"arrive_target"}],"max_ticks":null}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 6}, []Repair{DefaultMaxTicks}},
		{"string ticks", `{"until":[{"event":"arrive_target"}],"max_ticks":"8"}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 8}, []Repair{NumberFromString}},
		{"once", `{"until":[],"max_ticks":1,"ignore":null}`, do, []Repair{ForeignLiteral}},
		{"once, by no ticks", `{"until":null,"max_ticks":0,"ignore":[]}`, do, []Repair{ForeignLiteral}},
		{"no condition", `{"until":[],"max_ticks":4}`,
			world.ExecuteUntil{Do: do, Until: []world.Condition{{Event: "action_rejected"}}, MaxTicks: 4}, []Repair{DefaultUntil}},
		{"useless value", `{"until":[{"event":"arrive_target","value":3}],"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{UnusedArgument}},
		{"other names of the value", `{"until":[{"event":"harvest_yield_below","value_lte":3},{"event":"electricity_above","value":null,"value_gte":"9"}],"max_ticks":4}`,
			world.ExecuteUntil{Do: do, Until: []world.Condition{{Event: "harvest_yield_below", Value: at(3)}, {Event: "electricity_above", Value: at(9)}}, MaxTicks: 4},
			[]Repair{ThresholdName, ThresholdName, NumberFromString}},
		{"a second value", `{"until":[{"event":"heat_above","value":7,"value_lte":3}],"max_ticks":4}`,
			world.ExecuteUntil{Do: do, Until: []world.Condition{{Event: "heat_above", Value: at(7)}}, MaxTicks: 4}, []Repair{UnusedArgument}},
		{"names in a text", `{"until":"job_done|arrive_target","max_ticks":4}`,
			world.ExecuteUntil{Do: do, Until: []world.Condition{{Event: "job_done"}, {Event: "arrive_target"}}, MaxTicks: 4}, []Repair{EventList}},
		{"one name that is none", `{"until":[{"event":"arrive_target"},{"event":"x"}],"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{EventDropped}},
		{"conditions in the order's place", `{"events":["arrive_target"],"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{EventList}},
		{"ignore nothing", `{"until":[{"event":"arrive_target"}],"max_ticks":4,"ignore":null}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, nil},
		{"ignore none", `{"until":[{"event":"arrive_target"}],"max_ticks":4,"ignore":[]}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, nil},
		{"ignore", `{"until":[{"event":"arrive_target"}],"max_ticks":4,"ignore":["PowerLow","message_received","power_low"]}`,
			world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4, Ignore: []string{"message_received", "power_low"}}, []Repair{NameVariant}},
		{"texts for null", `{"until":[{"event":"arrive_target","value":"none"}],"maxTicks":"4","ignore":"null"}`,
			world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{FieldAlias, ForeignLiteral, ForeignLiteral, NumberFromString}},
		{"ticks in a list", `{"until":[{"event":"arrive_target"}],"max_ticks":[4],"ignore":""}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{ForeignLiteral, ListOfOne}},
		{"name variant", `{"until":[{"event":"ArriveTarget"}],"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{NameVariant}},
		{"duplicate", `{"until":[{"event":"arrive_target"}],"max_ticks":9,"max_ticks":4}`, world.ExecuteUntil{Do: do, Until: arrive, MaxTicks: 4}, []Repair{DuplicateKey}},
	} {
		got, used, fault := decodeStandingIn(c.raw, do)
		if fault != nil {
			t.Errorf("%s: %v", c.name, fault)
			continue
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.used, used); diff != "" {
			t.Errorf("%s: repairs (-want +got):\n%s", c.name, diff)
		}
	}
}

// TestNoStandingOrder reads what models write in place of null.
func TestNoStandingOrder(t *testing.T) {
	for _, raw := range []string{"null", `""`, `"none"`, `"Null"`, "false", "[]", "{}", `{"until":null,"max_ticks":null,"ignore":[]}`} {
		if a, _, e := decodeStandingIn(raw, world.Wait{}); e != nil || a != (world.Wait{}) {
			t.Errorf("%s is the order %v, %v", raw, a, e)
		}
	}
}

func TestDecodeStandingErrors(t *testing.T) {
	events := "one of " + strings.Join(EventNames(), ", ")
	many := strings.TrimSuffix(strings.Repeat(`{"event":"job_done"},`, 9), ",")
	for _, c := range []struct{ raw, want string }{
		{`{`, "arguments: expected one JSON object, got text that is not JSON"},
		{`[1]`, "arguments: expected an object with the fields until, max_ticks, ignore, got an array"},
		{`{"until":[],"secretword":1}`, "arguments: expected only the fields until, max_ticks, ignore, got the field \"secretword\""},
		{`{"until":7}`, "until: expected an array of conditions, got the number 7"},
		{`{"until":"secretword"}`, "until: expected " + events + ", got a string of 10 characters"},
		{`{"until":[7]}`, "until[0]: expected an object with the fields event, value, got the number 7"},
		{`{"until":[{"event":"job_done","secretword":1}]}`, "until[0]: expected only the fields event, value, got the field \"secretword\""},
		{`{"until":[{"events":["job_done","secretword"]},{"event":"heat_above","value":"hot"}]}`, "until[0].events[1]: expected " + events + ", got a string of 10 characters"},
		{`{"event":"heat_above","value":"hot","max_ticks":3}`, "value: expected an integer of at least 0 for heat_above, got a string of 3 characters"},
		{`{"until":[{"event":"harvest_yield_below"}]}`, "until[0].value: expected an integer of at least 0 for harvest_yield_below, got null"},
		{`{"until":[{"event":"harvest_yield_below","value":-1}]}`, "until[0].value: expected an integer of at least 0 for harvest_yield_below, got the number -1"},
		{`{"until":[{"event":"job_done"}],"max_ticks":[]}`, "max_ticks: expected an integer number of ticks, got an array"},
		{`{"until":[],"ignore":"power_low"}`, "ignore: expected an array with " + oneOf(world.Ignorable()).String() + ", got a string of 9 characters"},
		{`{"until":[],"ignore":["heat_above"]}`, "ignore[0]: expected one of message_received, power_low, job_done, order_filled, got a string of 10 characters"},
		{`{"until":[],"ignore":[null]}`, "ignore[0]: expected one of message_received, power_low, job_done, order_filled, got null"},
		{`{"until":[],"ignore":[` + strings.TrimSuffix(strings.Repeat(`"power_low",`, 9), ",") + `]}`, "ignore: expected at most 8 elements, got 9"},
		{`{"until":[` + many + `]}`, "until: expected at most 8 elements, got 9"},
	} {
		action, _, fault := decodeStandingIn(c.raw, world.Wait{})
		if fault == nil || action != nil {
			t.Errorf("DecodeStanding(%s) = %v, %v, want only an error", c.raw, action, fault)
			continue
		}
		if got := fault.Error(); got != c.want {
			t.Errorf("DecodeStanding(%s):\n got %s\nwant %s", c.raw, got, c.want)
		}
	}
}

// TestAllThatIsWrongInAnOrder: one error lists it all, at the places where the model wrote it.
func TestAllThatIsWrongInAnOrder(t *testing.T) {
	_, _, fault := decodeStandingIn(`{"until":[{"event":"sunrise"},{"event":"heat_above","value":"hot"}],"max_ticks":"x","ignore":["rain"],"foo":1,"say this!":1}`, world.Wait{})
	var got []string
	for _, e := range append([]*ArgumentError{fault}, fault.Also...) {
		got = append(got, e.Path+" "+e.Got.String())
	}
	if diff := cmp.Diff([]string{
		"until[0].event a string of 7 characters", "until[1].value a string of 3 characters", "max_ticks a string of 1 characters",
		"ignore[0] a string of 4 characters", " the field \"foo\"", " another field",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// decodeStandingIn reads an order as a model writes it.
func decodeStandingIn(raw string, do world.Action) (world.Action, []Repair, *ArgumentError) {
	v, used, fault := read(raw)
	if fault != nil {
		return nil, used, fault
	}
	order, more, fault := decodeStanding(v, do)
	return order, append(used, more...), fault
}
