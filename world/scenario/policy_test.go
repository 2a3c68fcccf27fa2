package scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/world"
)

// guildTOML is a scenario of three agents that a policy is appended to.
const guildTOML = `
id = "guild"
[[places]]
id = "hub"
offset_pct = { x = -5, y = 0, z = 0 }
material = "composite"
emission = 40
compound_g = 1_000
[[places]]
id = "rim"
offset_pct = { x = 5, y = 0, z = 0 }
material = "metal"
[agents]
count = 3
spawn = ["hub"]
stock = [{ electricity = 50 }]
`

func guild(t *testing.T, policy string) world.Scenario {
	t.Helper()
	s, err := Parse("guild.toml", []byte(guildTOML+policy))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestParsePolicy reads rules in the order of the file.
func TestParsePolicy(t *testing.T) {
	s := guild(t, `
[[policy]]
agent = "agent-1"
action = "transfer_resource"
to = "asker"
what = "electricity"
most = 10
total = 30
window = 50
total_each = 15
relayed = true
asked_by = ["agent-2", "*"]
[[policy]]
agent = "*"
effect = "forbid"
action = "*"
at = "rim"
[[policy]]
agent = "agent-2"
action = "send_message"
total = 3
window = 10
asked_by = ["*"]
by_message = true
[[policy]]
agent = "*"
action = "accept_offer"
to = "agent-3"
what = "data"
most = 9
total = 20
window = 40
get = "hardware"
get_at_least = 2
per = 3
asked_by = ["agent-3"]
`)
	want := []world.PolicyRule{
		{Agent: "agent-1", Effect: "allow", Action: "transfer_resource", To: "asker", What: "electricity", Most: 10, Total: 30, Window: 50, TotalEach: 15, Relayed: true, AskedBy: []string{"agent-2", "*"}},
		{Agent: "*", Effect: "forbid", Action: "*", At: "rim"},
		{Agent: "agent-2", Effect: "allow", Action: "send_message", To: "asker", Total: 3, Window: 10, AskedBy: []string{"*"}, ByMessage: true},
		{Agent: "*", Effect: "allow", Action: "accept_offer", To: "agent-3", What: "data", Most: 9, Total: 20, Window: 40, Get: "hardware", GetAtLeast: 2, Per: 3, AskedBy: []string{"agent-3"}},
	}
	if diff := cmp.Diff(want, s.Policy); diff != "" {
		t.Error(diff)
	}
}

// TestPolicyErrors names the rule and the field of whatever could never hold.
func TestPolicyErrors(t *testing.T) {
	for _, tt := range []struct{ rule, want string }{
		{`agent = ""`, `policy[0].agent: it is missing; allowed: agent-1 to agent-3, or "*" for every agent`},
		{`agent = "agent-4"`, `policy[0].agent: there is no agent "agent-4"; allowed: agent-1 to agent-3, or "*" for every agent`},
		{`action = ""`, `policy[0].action: it is missing; allowed: wait_ticks, move_agent, `},
		{`effect = "deny"`, `policy[0].effect: "deny" is none of allow, forbid`},
		{`action = "fly"`, `policy[0].action: there is no action "fly"; allowed: wait_ticks, move_agent, `},
		{`action = "wait"`, `policy[0].action: a plain wait`},
		{`at = "moon"`, `policy[0].at: there is no place "moon"`},
		{`action = "mine_compound"` + "\n" + `to = "agent-2"`, `policy[0].to: mine_compound is directed to nobody`},
		{`action = "accept_offer"` + "\n" + `to = "rim"`, `policy[0].to: there is no such receiver of accept_offer: "rim"`},
		{`action = "mine_compound"` + "\n" + `to = "*"`, `policy[0].to: mine_compound is directed to nobody`},
		{`to = "rim"`, `policy[0].to: there is no such receiver of transfer_resource: "rim"`},
		{`action = "move_agent"` + "\n" + `to = "agent-2"`, `policy[0].to: there is no such receiver of move_agent: "agent-2"`},
		{`to = "asker"`, `policy[0].to: asker needs effect allow, one action directed to an agent or place, and asked_by`},
		{`to = "asker"` + "\n" + `effect = "forbid"`, `policy[0].to: asker needs`},
		{`to = "asker"` + "\n" + `asked_by = ["*"]` + "\n" + `action = "mine_compound"`, `policy[0].to: mine_compound is directed to nobody`},
		{`to = "asker"` + "\n" + `asked_by = ["*"]` + "\n" + `action = "decline"`, `policy[0].to: decline is directed to nobody`},
		{`to = "asker"` + "\n" + `asked_by = ["*"]` + "\n" + `action = "*"`, `policy[0].to: asker needs`},
		{`what = "gold"`, `policy[0].what: "gold" is no choice of transfer_resource`},
		{`action = "*"` + "\n" + `what = "gold"`, `policy[0].what: "gold" is no choice of *`},
		{`action = "mine_compound"` + "\n" + `what = "data"`, `policy[0].what: "data" is no choice of mine_compound`},
		{`most = -1`, `policy[0].most: -1 is outside 1 to`},
		{`effect = "forbid"` + "\n" + `most = 1`, `policy[0].most: only an allow has limits`},
		{`action = "move_agent"` + "\n" + `most = 1`, `policy[0].most: move_agent has no amount to limit; total counts how often it is done`},
		{`action = "decline"` + "\n" + `most = 1`, `policy[0].most: decline has no amount to limit`},
		{`action = "*"` + "\n" + `total = 1`, `policy[0].total: * has no amount to limit`},
		{`asked_by = ["*"]` + "\n" + `window = 9`, `policy[0].total: it is missing; what others may ask for needs a total (units) and a window, or they could ask without end`},
		{`asked_by = ["*"]` + "\n" + `total = 9`, `policy[0].window: it is missing; allowed: 1 to 1000 ticks; others may ask again and again, so that total is the most in so many ticks`},
		{`asked_by = ["*"]` + "\n" + `action = "*"` + "\n", `policy[0].asked_by: name one action; what others may ask for needs a total`},
		{`asked_by = ["*"]` + "\n" + `action = "move_agent"`, `policy[0].total: it is missing; what others may ask for needs a total (actions)`},
		{`asked_by = ["*"]` + "\n" + `action = "wait_ticks"`, `policy[0].total: it is missing; what others may ask for needs a total (ticks)`},
		{`window = 9`, `policy[0].window: it needs a total`},
		{`total = 9` + "\n" + `window = 1001`, `policy[0].window: 1001 is outside 1 to 1000`},
		{`total = 9` + "\n" + `total_each = 1`, `policy[0].total_each: it needs asked_by, those each of whom it bounds`},
		{`by_message = true`, `policy[0].by_message: it needs asked_by`},
		{`effect = "forbid"` + "\n" + `by_message = true`, `policy[0].by_message: it needs asked_by`},
		{`relayed = true`, `policy[0].relayed: it needs asked_by`},
		{`get = "data"`, `policy[0].get: transfer_resource brings nothing in return`},
		{`per = 2`, `policy[0].get: transfer_resource brings nothing in return`},
		{`action = "offer"` + "\n" + `most = 2`, `policy[0].what: it is missing; limits of a trade count the resource given`},
		{`action = "accept_offer"` + "\n" + `what = "gold"`, `policy[0].what: "gold" is no resource; allowed: electricity, `},
		{`action = "accept_offer"` + "\n" + `what = "data"` + "\n" + `get = "gold"`, `policy[0].get: "gold" is no resource; allowed: electricity, `},
		{`action = "accept_offer"` + "\n" + `what = "data"` + "\n" + `get = "data"`, `policy[0].get: a trade of data brings something else`},
		{`action = "offer"` + "\n" + `what = "data"` + "\n" + `get = "hardware"`, `policy[0].get_at_least: get and get_at_least are given together`},
		{`action = "offer"` + "\n" + `what = "data"` + "\n" + `get_at_least = 3`, `policy[0].get_at_least: get and get_at_least are given together`},
		{`action = "buy_power"` + "\n" + `per = 3`, `policy[0].per: it counts what is given`},
		{`action = "buy_power"` + "\n" + `what = "electricity"`, `policy[0].what: buy_power gives data, not "electricity"`},
		{`action = "sell_power"` + "\n" + `get = "hardware"`, `policy[0].get: sell_power brings data, not "hardware"`},
		{`action = "sell_power"` + "\n" + `asked_by = ["*"]` + "\n" + `total = 9` + "\n" + `window = 9`, `policy[0].get: it is missing; without get and get_at_least whoever may ask`},
		{`action = "place_power_order"` + "\n" + `asked_by = ["agent-2"]` + "\n" + `total = 9` + "\n" + `window = 9`, `policy[0].asked_by: no rule bounds the price of place_power_order; let others ask for buy_power or sell_power`},
		{`action = "accept_offer"` + "\n" + `what = "data"` + "\n" + `get = "hardware"` + "\n" + `get_at_least = 1` + "\n" + `asked_by = ["*"]` + "\n" + `total = 9` + "\n" + `window = 9` + "\n" + `by_message = true`, `policy[0].by_message: accept_offer answers an offer or a request, no message`},
		{`get_at_least = 1000001`, `policy[0].get_at_least: 1000001 is outside 1 to 1000000`},
		{`window = 0`, `policy[0].window: 0 is no limit`},
		{`get_at_least = 0`, `policy[0].get_at_least: 0 is no limit`},
		{`effect = "forbid"` + "\n" + `asked_by = ["*"]`, `policy[0].asked_by: only an allow may be asked for`},
		{"total = 9\nwindow = 9\n" + `asked_by = ["agent-2", "agent-9"]`, `policy[0].asked_by[1]: there is no agent "agent-9"`},
		{"total = 9\nwindow = 9\n" + `asked_by = ["agent-2", "agent-2"]`, `policy[0].asked_by[1]: "agent-2" is listed twice`},
		{`most = 0`, `policy[0].most: 0 is no limit`},
		{`total = 0`, `policy[0].total: 0 is no limit`},
		{`total_each = -3` + "\n" + `total = 9`, `policy[0].total_each: -3 is outside 1 to 1000000000000`},
		{`most = "ten"`, `: policy.most: cannot be a TOML string`},
		{`tone = "polite"`, `unknown field "policy.tone"`},
		{`most = "ten"`, `most`},
	} {
		rule := tt.rule
		for _, base := range []string{`agent = "*"`, `action = "transfer_resource"`} {
			if key, _, _ := strings.Cut(base, " "); !strings.Contains(rule, key+" =") {
				rule += "\n" + base
			}
		}
		_, err := Parse("guild.toml", []byte(guildTOML+"[[policy]]\n"+rule))
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "guild.toml:") {
			t.Errorf("%s\n%v\nwant %s", rule, err, tt.want)
		}
	}
	_, err := Parse("guild.toml", []byte(guildTOML+strings.Repeat("[[policy]]\nagent = \"*\"\naction = \"*\"\n", 201)))
	if err == nil || !strings.Contains(err.Error(), "policy: 201 rules, want at most 200") {
		t.Error(err)
	}
}

// TestClausesOfAgents gives each agent its own rules, also where the scenario has
// another number of agents than it was written for.
func TestClausesOfAgents(t *testing.T) {
	s := guild(t, `
[[policy]]
agent = "agent-2"
action = "send_message"
to = "agent-3"
total = 3
window = 10
asked_by = ["agent-3"]
[[policy]]
agent = "*"
action = "mine_compound"
`)
	for _, tt := range []struct {
		agents int
		owners []int // of the first rule
	}{
		{3, []int{1}},
		{1, nil},
		{2, []int{1}},
		{8, []int{1, 4, 7}},
	} {
		w, err := world.New(s.WithAgents(7).WithAgents(tt.agents), 1)
		if err != nil {
			t.Fatalf("%d agents: %v", tt.agents, err)
		}
		var owners []int
		for n := range tt.agents {
			list := w.PolicyRules(n)
			if list[len(list)-1].Action != "mine_compound" {
				t.Errorf("agent %d of %d lacks everybody's rule", n, tt.agents)
			}
			if len(list) == 2 {
				owners = append(owners, n)
				list[0].AskedBy[0] = "agent-1"
			}
		}
		if diff := cmp.Diff(tt.owners, owners); diff != "" {
			t.Errorf("%d agents: %s", tt.agents, diff)
		}
		if s.Policy[0].AskedBy[0] != "agent-3" {
			t.Fatal("a rule that was handed out is no copy")
		}
	}
}

// TestClausesAreNoRules: a world with a policy that forbids everything runs as one
// without, action by action and digest by digest.
func TestClausesAreNoRules(t *testing.T) {
	var digests [2][]world.Digest
	for i, policy := range []string{"", "[[policy]]\nagent = \"*\"\neffect = \"forbid\"\naction = \"*\"\n"} {
		w, err := world.New(guild(t, policy), 3)
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			w.Advance()
			var intents []world.Intent
			for _, n := range w.Due() {
				intents = append(intents, world.Intent{Agent: n, Action: world.Mine{MassG: 100}})
			}
			w.Apply(intents)
			if o, _ := w.LastOutcome(0); w.Tick() == 1 && !o.Accepted {
				t.Fatalf("refused by the world: %+v", o.Rejection)
			}
			digests[i] = append(digests[i], w.Digest())
		}
	}
	if diff := cmp.Diff(digests[0], digests[1]); diff != "" {
		t.Error(diff)
	}
}

// TestAllThatIsWrongIsTold: each field that is wrong has a line, those of one rule, belt or task
// too. What follows from another mistake has none.
func TestAllThatIsWrongIsTold(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{`
[[policy]]
agent = "agent-9"
effect = "permit"
action = "sing"
at = "nowhere"
asked_by = ["agent-2", "agent-7"]
[[policy]]
agent = "agent-1"
action = "transfer_resource"
to = "agent-8"
what = "gold"
most = -1
asked_by = ["agent-2"]
[task]
family = "chess"
ticks = 20
metric = "joy"
agents = ["agent-5", "agent-6"]
`, []string{
			"policy[0].agent", "policy[0].effect", "policy[0].action", "policy[0].at", "policy[0].asked_by[1]",
			"policy[1].to", "policy[1].what", "policy[1].most", "policy[1].total", "policy[1].window",
			"task.family", "task.metric", "task.agents[0]", "task.agents[1]",
		}},
		{`
[belt]
seed_offset = -1
count = 4
min_spacing_cm = -5
radius_min_cm = 1_000
radius_max_cm = 2_000
materials = [{ material = "cheese", weight = 0 }]
[rules]
move_cost_per_km = 0
[vary]
compound_pct = 99
`, []string{"vary.compound_pct", "rules.move_cost_per_km", "belt.seed_offset", "belt.min_spacing_cm", "belt.materials[0].material", "belt.materials[0].weight"}},
	} {
		_, err := Parse("guild.toml", []byte(guildTOML+c.text))
		if err == nil {
			t.Fatal("nothing is wrong")
		}
		var fields []string
		for line := range strings.Lines(err.Error()) {
			_, line, _ = strings.Cut(line, ": ")
			field, _, _ := strings.Cut(line, ": ")
			fields = append(fields, field)
		}
		if diff := cmp.Diff(c.want, fields); diff != "" {
			t.Errorf("fields (-want +got):\n%s\n%v", diff, err)
		}
	}
}
