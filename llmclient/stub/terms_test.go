package stub

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/llmclient"
)

// bargain is what agent a of a dark hall is shown, but for what the cases add.
const bargain = `# Goals
Scored, open: Hold 4 control chips. (control_chip 0 of 4)
Scored, open: Hold 9 data. (data %[1]d of 9)
# Known rules
recipes (inputs and ticks for one product): recipe.assembler.control_chip 6 electricity + 2 hardware, 2
# Observation, tick 5
you: a, at hall, power normal, electricity %[2]s, heat 0 (harmless to 100), compound 0 g, hardware %[3]d, data %[1]d
here: metal, radiation 0, compound 0 g
can: wait; %[4]s
agents: %[5]s
places (km, cost, ticks, emission, compound g, material): attic 5.0 5 1 0 0 metal
`

// translated is a prompt in the other language.
var translated = strings.NewReplacer(
	"# Goals", "# 目标", "# Known rules", "# 已知规则", "recipes (inputs and ticks for one product)", "配方 (每件产品的原料, 回合)", "Scored, open: ", "计分，未达成：", " of 4)", " / 4)", " of 9)", " / 9)", "# Observation, tick 5", "# 观察，第 5 回合",
	"own requests and offers: ", "自己的请求和提议: ", "requests and offers: ", "请求和提议: ", "you: a, at ", "你: a, 在 ", "power normal", "电力 normal",
	"here: metal, radiation", "此处: metal, 辐射", "can: ", "可做: ", " max ", " 最多 ", "agents: ", "智能体: ", "transfer_resource to", "transfer_resource 至", "move_agent to", "move_agent 至",
	"at attic", "在 attic", "here b", "在此 b", " here", " 在此", " from b", " 来自 b", " to anyone", " 给 anyone", " to b", " 给 b",
	"gives", "给出", "wants", "想要", "expires in 9", "9 回合后到期", "places (km, cost, ticks, emission, compound g, material)", "地点 (km, 耗电, 回合, 辐射源, compound g, 材质)",
)

// elsewhere renames agents, places and what was sent.
var elsewhere = strings.NewReplacer("hall", "cellar.9", "attic", "Q7", "offer-4-b-1", "offer-4-zz:top-1", "req-4-b-1", "req-4-zz:top-1", " b ", " zz:top ", "|b", "|zz:top", " b,", " zz:top,", " b\n", " zz:top\n")

// TestPolicyTrades looks at the first idea of an agent in a dark hall, in both languages and
// with other names.
func TestPolicyTrades(t *testing.T) {
	const rich, poor = "290/300", "19/300"
	const offers, charge = "request; offer electricity max 7|hardware max 80|data max 20; ", "request; offer electricity max 230|data max 20; "
	for _, tc := range []struct {
		name, charge   string
		hardware, data int64
		can, agents    string
		terms          string
		want           object
	}{
		{
			"offers what it has", poor, 80, 9, offers, "here b", "",
			object{"action": "offer", "to": "anyone", "what": "hardware", "amount": int64(10), "want": "electricity", "want_amount": int64(30), "for_ticks": int64(10)},
		},
		{
			"to who is elsewhere", poor, 80, 9, offers, "at attic b", "",
			object{"action": "offer", "to": "b", "what": "hardware", "amount": int64(10), "want": "electricity", "want_amount": int64(30), "for_ticks": int64(20)},
		},
		{
			"waits for what it offered", poor, 55, 9, "wait_ticks 1..64; " + offers, "here b",
			"own requests and offers: offer-4-a-1 to anyone here, gives hardware 25, wants electricity 75, expires in 9",
			object{"action": "wait_ticks", "amount": int64(1)},
		},
		{
			"takes a good offer", poor, 80, 9, offers + "accept_offer offer-4-b-1; ", "here b",
			"requests and offers: offer-4-b-1 from b to anyone here, gives electricity 60, wants hardware 20, expires in 9",
			object{"action": "accept_offer", "id": "offer-4-b-1"},
		},
		{
			"leaves a bad one", poor, 80, 9, offers + "accept_offer offer-4-b-1; ", "here b",
			"requests and offers: offer-4-b-1 from b to anyone here, gives electricity 20, wants hardware 20, expires in 9",
			object{"action": "offer", "to": "anyone", "what": "hardware", "amount": int64(10), "want": "electricity", "want_amount": int64(30), "for_ticks": int64(10)},
		},
		{
			"answers who asks", poor, 80, 9, offers, "at attic b",
			"requests and offers: req-4-b-1 from b, wants hardware 10, expires in 9",
			object{"action": "offer", "to": "b", "id": "req-4-b-1", "what": "hardware", "amount": int64(10), "want": "electricity", "want_amount": int64(30), "for_ticks": int64(20)},
		},
		{
			"asks for what it lacks", rich, 0, 9, charge, "at attic b", "",
			object{"action": "request", "to": "b", "what": "hardware", "amount": int64(14), "for_ticks": int64(20)},
		},
		{
			"goes where an offer is held", rich, 0, 9, charge + "move_agent to attic; ", "at attic b",
			"requests and offers: offer-4-b-1 from b at attic, gives hardware 20, wants electricity 60, expires in 9",
			object{"action": "move_agent", "to": "attic"},
		},
	} {
		tools := toolsOf(full)
		text := fmt.Sprintf(bargain, tc.data, tc.charge, tc.hardware, tc.can, tc.agents) + tc.terms
		for in, prompt := range map[string]string{
			"English": text, "Chinese": translated.Replace(text), "other names": elsewhere.Replace(text), "both": elsewhere.Replace(translated.Replace(text)),
		} {
			body := llmclient.Request{Model: "m", Instructions: "i", Input: []llmclient.Item{llmclient.Message("user", prompt)}, Tools: tools}.Body()
			r, refused := parseRequest(body)
			if refused != nil {
				t.Fatal(refused)
			}
			want := maps.Clone(tc.want)
			for slot, v := range want {
				if name, ok := v.(string); ok && (in == "other names" || in == "both") {
					want[slot] = strings.TrimSpace(elsewhere.Replace(" " + name + " "))
				}
			}
			if diff := cmp.Diff(want, newStage(1, r).ideas[0].action); diff != "" {
				t.Errorf("%s, %s (-want +got):\n%s", tc.name, in, diff)
			}
		}
	}
}
