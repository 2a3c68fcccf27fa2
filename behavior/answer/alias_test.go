package answer

import (
	"slices"
	"testing"

	"example.com/agentworld/world"
)

// TestAliasesMeanOneThing holds that no alias is also a name, and that no two
// actions, and no two parameters of one action, share one.
func TestAliasesMeanOneThing(t *testing.T) {
	taken := map[string]string{}
	for _, spec := range world.Actions() {
		taken[bareName(spec.Name)] = spec.Name
	}
	for _, spec := range world.Actions() {
		for _, alias := range spec.Aliases {
			if other, twice := taken[bareName(alias)]; twice && (other != spec.Name || alias == spec.Name) {
				t.Errorf("%s is an alias of %s and means %s", alias, spec.Name, other)
			}
			taken[bareName(alias)] = spec.Name
		}
		names := []string{ActionField}
		for _, p := range spec.Params {
			names = append(names, p.Name)
		}
		for _, p := range spec.Params {
			for _, alias := range p.Aliases {
				if slices.Contains(names, alias) {
					t.Errorf("%s: %s is an alias of %s and another name", spec.Name, alias, p.Name)
				}
				names = append(names, alias)
			}
		}
	}
}

// TestDecodeActionByAlias reads other words for actions and fields.
func TestDecodeActionByAlias(t *testing.T) {
	for _, tt := range []struct {
		raw, want string
		used      []Repair
	}{
		{`{"action":"采矿","mass_g":500}`, `{"action":"mine_compound","compound_mass_g":500}`, []Repair{ActionAlias, FieldAlias, NamedParameter}},
		{`{"action":"move","destination":"rim"}`, `{"action":"move_agent","to":"rim"}`, []Repair{ActionAlias, FieldAlias}},
		{`{"action":"Move-Agent","place_id":"rim"}`, `{"action":"move_agent","to":"rim"}`, []Repair{NameVariant, FieldAlias}},
		{`{"action":"move_agent","to":"rim","target":"hub"}`, "", nil},
		{`{"action":"索取","to":"agent-2","what":"data","quantity":3,"ticks":9}`, `{"action":"request","to_agent":"agent-2","resource":"data","amount":3,"for_ticks":9}`, []Repair{ActionAlias, FieldAlias, FieldAlias}},
		{`{"action":"accept","offer_id":"offer-1"}`, `{"action":"accept_offer","offer":"offer-1"}`, []Repair{ActionAlias, FieldAlias, NamedParameter}},
		{
			`{"action":"offer","to":"任何人","id":null,"what":"hardware","amount":2,"want":"data","want_amount":"5","for_ticks":9}`,
			`{"action":"offer","to_agent":"anyone","give":"hardware","give_amount":2,"want":"data","want_amount":5,"for_ticks":9,"re":""}`, []Repair{NumberFromString},
		},
		{`{"action":"MOVE","to":"rim"}`, "", nil},
		{`{"action":"<action>"}`, "", nil},
		{`{"action":"post_note","text":"<b>"}`, "{\"action\":\"post_note\",\"text\":\"\\u003cb\\u003e\"}", nil},
	} {
		got, used, fault := DecodeAction([]byte(tt.raw), nil)
		if tt.want == "" {
			if fault == nil {
				t.Errorf("%s is read as %s", tt.raw, world.EncodeAction(got))
			}
			continue
		}
		if fault != nil {
			t.Errorf("%s: %v", tt.raw, fault)
			continue
		}
		if string(world.EncodeAction(got)) != tt.want || !slices.Equal(used, tt.used) {
			t.Errorf("%s is read as %s with %v, want %s with %v", tt.raw, world.EncodeAction(got), used, tt.want, tt.used)
		}
	}
}

// TestPlannedOffers reads requests and offers of plans in the forms that models write, with
// what they leave open. The request that an offer answers may always be missing.
func TestPlannedOffers(t *testing.T) {
	for _, tt := range []struct {
		written, want string
		open          []world.Slot
	}{
		{
			`"offer(to=agent-2, what=hardware, amount=2, want=data, want_amount=5, for_ticks=9)"`,
			`{"action":"offer","to_agent":"agent-2","give":"hardware","give_amount":2,"want":"data","want_amount":5,"for_ticks":9,"re":""}`, nil,
		},
		{
			`{"行动":"报价","目标":"anyone","种类":"data","数量":2,"想要":"hardware","换取数量":1,"期限":5}`,
			`{"action":"offer","to_agent":"anyone","give":"data","give_amount":2,"want":"hardware","want_amount":1,"for_ticks":5,"re":""}`, nil,
		},
		{
			`{"action":"offer","to":"agent-2","id":"req-1","what":"data","amount":null,"want":"hardware","want_amount":null,"for_ticks":null}`,
			`{"action":"offer","to_agent":"agent-2","give":"data","give_amount":1,"want":"hardware","want_amount":1,"for_ticks":2,"re":"req-1"}`,
			[]world.Slot{world.SlotAmount, world.SlotWantAmount, world.SlotForTicks},
		},
		{
			`{"request":{"to":"agent-2","what":"data","amount":3}}`,
			`{"action":"request","to_agent":"agent-2","resource":"data","amount":3,"for_ticks":2}`, []world.Slot{world.SlotForTicks},
		},
		{`"accept_offer offer-1-agent-2-1"`, `{"action":"accept_offer","offer":"offer-1-agent-2-1"}`, nil},
		{`{"action":"decline","request_id":"req-1"}`, `{"action":"decline","id":"req-1"}`, nil},
	} {
		c := Call{Tool: ToolPlan, Arguments: `{"goal":"g","steps":[],"actions":[` + tt.written + `]}`}
		plan, _, e := ReadPlan(c)
		if e != nil || len(plan.Actions) != 1 {
			t.Errorf("%s: %v", tt.written, e)
			continue
		}
		do, open, _, e := plan.Actions[0].Decode(c, Names{})
		if e != nil || string(world.EncodeAction(do[0])) != tt.want || !slices.Equal(open, tt.open) {
			t.Errorf("%s is read as %v, open %v, %v; want %s, open %v", tt.written, do, open, e, tt.want, tt.open)
		}
	}
}
