package answer

import (
	"strings"
	"testing"

	"example.com/agentworld/world"
)

// TestReadMove: a move is an action with its order, its steps and a reason in one flat object, and what cannot
// be read is refused whole.
func TestReadMove(t *testing.T) {
	once := []world.Condition{{Event: world.StopActionRejected}}
	for _, c := range []struct {
		text   string
		want   world.Action
		reason string
		fault  string
	}{
		{text: `{"action":"mine_compound","amount":5000,"reason":" low "}`, want: world.Mine{MassG: 5000},
			reason: "low"},
		{text: `{"action":"mine_compound","compound_mass_g":5000,"metadata":{"a":1}}`,
			want: world.Mine{MassG: 5000}},
		{text: `{"action":"wait"}`, want: world.Wait{}},
		{text: `{"action":"mine_compound","amount":5000,"until":[{"event":"action_rejected"}],"max_ticks":4}`,
			want: world.ExecuteUntil{Do: world.Mine{MassG: 5000}, Until: once, MaxTicks: 4}},
		{text: `{"action":"wait","then":[{"action":"mine_compound","amount":2}]}`,
			want: world.ExecuteUntil{Do: world.Wait{}, Until: once, MaxTicks: 1,
				Then: []world.ExecuteUntil{{Do: world.Mine{MassG: 2}, Until: once, MaxTicks: 1}}}},
		{text: `{"action":"fly"}`, fault: "action"},
		{text: `{}`, fault: "action"},
		{text: `[]`, fault: "object"},
		{text: `{"action":"mine_compound"}`, fault: "amount"},
		{text: `{"action":"mine_compound","amount":5,"colour":"red"}`, fault: "colour"},
		{text: `{"action":"wait","then":[{"action":"wait"},{"action":"fly"}]}`, fault: "then[1]"},
		{text: `{"action":"wait","then":[{"action":"wait"},{"action":"wait"},{"action":"wait"}]}`, fault: "then"},
	} {
		got, reason, e := ReadMove(c.text, Names{}, 2)
		switch {
		case c.fault == "" && e != nil:
			t.Errorf("%s: %v", c.text, e)
		case c.fault == "" && (!world.Same(got, c.want) || reason != c.reason):
			t.Errorf("%s is %s with %q, want %s with %q", c.text, world.EncodeAction(got), reason,
				world.EncodeAction(c.want), c.reason)
		case c.fault != "" && (e == nil || got != nil || !strings.Contains(e.Error(), c.fault)):
			t.Errorf("%s: the fault is %v, want one about %s", c.text, e, c.fault)
		}
	}
}
