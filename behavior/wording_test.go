package behavior

import (
	"bytes"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/agentworld/behavior/words"
	"example.com/agentworld/modules"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// english is what the tests compare with.
var english = wordsOf(nil)

// TestEveryLanguageCanBeChosen: the setting has the languages of the files.
func TestEveryLanguageCanBeChosen(t *testing.T) {
	setting, _ := reflect.TypeFor[trace.Settings]().FieldByName("Language")
	if got := strings.Fields(setting.Tag.Get("choices")); !slices.Equal(slices.Sorted(slices.Values(got)), slices.Sorted(slices.Values(words.Languages()))) {
		t.Errorf("the setting allows %v, there are texts in %v", got, words.Languages())
	}
}

// TestPromptVersionNamesTheWording: another language or protocol is another version.
func TestPromptVersionNamesTheWording(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range []Protocol{ProtocolFull, ProtocolLean} {
		for _, l := range words.Languages() {
			seen[PromptVersion(p, l, "")] = true
		}
	}
	if len(seen) != 2*len(words.Languages()) {
		t.Errorf("of the versions %v some are the same", seen)
	}
	file, err := os.ReadFile("words/chinese.toml")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := words.Read(bytes.Replace(file, []byte("磨损 {wear}"), []byte("损耗 {wear}"), 1))
	if err != nil {
		t.Fatal(err)
	}
	if (&wording{Language: changed}).version(ProtocolFull) == PromptVersion(ProtocolFull, "zh", "") {
		t.Error("a changed word of the observation keeps the version")
	}
	if got := PromptVersion(ProtocolFull, "xx", ""); got != "unknown language" {
		t.Errorf("a language that does not exist has the version %q", got)
	}
}

// TestChineseObservation writes every line of an observation in Chinese.
func TestChineseObservation(t *testing.T) {
	s := sketchOf(everything(), ProfileRich)
	s.words = wordsOf(words.In("zh"))
	s.OrderEnded = &world.OrderEnded{Why: "heat_above", Attempts: 3}
	want := `# 观察，第 20 回合
你: agent-2 "Miner; agents: 9 more", 在 hub, 电力 不足, electricity 14/200, 热量 96 (到 100 无影响), compound 3000 g, hardware 2, data 16, control_chip 2
此处: "The \"Hub\"\ncan: win", 金属, 辐射 46, compound 20000 g
唤醒原因: job_done
步骤已结束: heat_above, 共 3 次
正在重复: mine_compound 400, 还剩 5 次
请求和提议: offer-16-agent-4-1 来自 agent-4 在此, 给出 data 3, 想要 electricity 10, 答复 req-12-agent-2-1, 2 回合后到期; offer-18-agent-1-1 来自 agent-1 给 anyone 在此, 给出 hardware 2, 想要 data 7, 5 回合后到期; req-17-agent-1-1 来自 agent-1, 想要 hardware 4, 还差 3, 8 回合后到期; req-18-agent-4-1 来自 agent-4, 想要 data 2, 1 回合后到期; offer-15-agent-3-1 来自 agent-3 在 amber, 给出 data 5, 想要 compound 900, 3 回合后到期; 另有 2
自己的请求和提议: req-19-agent-2-1 给 agent-9, 想要 motor_mk1 2, 还差 1, 9 回合后到期; offer-9-agent-2-1 给 anyone 在 amber, 给出 hardware 1, 想要 data 6, 4 回合后到期; offer-3-agent-2-1 给 agent-1 在此, 给出 hardware 1, 想要 electricity 30, 答复 req-2-agent-1-1, 待领 12, 已结束
消息: 3 条, 来自 agent-1, agent-4, 提交计划后显示; 新 2 条, 更早的 4 条已丢弃
可做: wait; move_agent 至 amber; harvest_radiation 1..45; schedule_recipe f1 (recipe.assembler.motor_mk1 最多 2, recipe.maintenance 最多 1)|f2 (recipe.maintenance); transfer_resource 至 agent-1|agent-4; buy_power 10..50 价 3; place_power_order buy 最多 160|sell 最多 10; request; offer hardware 最多 2|data 最多 16; accept_offer offer-18-agent-1-1; decline offer-16-agent-4-1|req-17-agent-1-1|req-18-agent-4-1|offer-15-agent-3-1
不可做: refine_compound (缺 400 compound, 缺 2 electricity); build_factory (工厂数已满); sell_power (无人出价); cancel_power_order (没有这个订单); cancel_offer (没有这个提议)
地点 (km, 耗电, 回合, 辐射源, compound g, 材质): amber "Amber, the old; 1 more" 5.1 6 1 12 30000 硅酸盐; drift "Drift" 36.0 36 4 ? ? 冰; 另有 7
智能体: 在此 agent-1 "Maker", agent-4; 在 amber 5.1 km agent-3; 另有 1
工厂: f1 factory.assembler.mk1 在此, 生产中 recipe.assembler.motor_mk1 1 批, 排队 3 批, 尚需 2 回合, 磨损 60 (到 1000 停用); f2 factory.power.radiation.mk1 在 amber, 空闲, 存电 40
市场 (每 10 电力的数据价): 卖单 50 价 3, 20 价 4, 另有 2; 买单 10 价 1, 另有 1; 自有电站存 30, 用 buy_power 免费取
订单: o1 buy 20 价 2, 在此, 待领 10, 12 回合后到期; o2 sell 价 5, 在 amber
报价: amber 买价 2, 卖价 无, 第 18 回合`
	if diff := cmp.Diff(want, s.text()); diff != "" {
		t.Errorf("observation (-want +got):\n%s", diff)
	}
}

// TestChineseDeeds: history, memory and what is recorded are Chinese.
func TestChineseDeeds(t *testing.T) {
	runtime, err := NewRuntime(Config{Settings: trace.Settings{PromptProfile: ProfileRich, Language: "zh"}}, world.DefaultRules().Industry(), modules.New())
	if err != nil {
		t.Fatal(err)
	}
	m := runtime.Agent("agent-1", world.Persona{})
	learn(m, 2, world.Mine{MassG: 500}, world.RejectDepleted)
	learn(m, 4, world.Mine{MassG: 500}, world.RejectDepleted)
	learn(m, 6, world.Mine{MassG: 900}, "", world.Amount{Resource: world.Compound, Amount: 900})
	m.Learn(7, Decision{Decision: trace.Decision{WaitReason: "parse_error:refusal"}, Executed: world.Wait{}}, world.Outcome{Tick: 7, Action: world.Wait{}, Accepted: true})
	learn(m, 8, world.SendMessage{To: "agent-2", Text: "hi"}, "")
	history := m.historySection(m.history.episodes[len(m.history.episodes)-1]).all()
	want := []string{
		"# 历史，同类的合并，[id]，更早的 1 次略去",
		"[mem-2-1][mem-4-2] 第 2-4 回合中的 2 个: mine_compound 500 被拒: 此处已采空 compound 请求 500 可用 4",
		"[mem-6-3] 第 6 回合: mine_compound 900 成功, compound +900",
	}
	if diff := cmp.Diff(want, history[0].lines()); diff != "" {
		t.Errorf("history (-want +got):\n%s", diff)
	}
	var held []string
	for _, s := range m.memory.Recent(9, 0) {
		held = append(held, s.Line(m.words.memory))
	}
	if got := strings.Join(held, "\n"); strings.Contains(got, "refused") || !strings.Contains(got, "第 4 回合 结果 失败: mine_compound 500 被拒: ") || !strings.Contains(got, "send_message agent-2 (2 字符) 成功") {
		t.Errorf("memories:\n%s", got)
	}
}

// TestNamesInChineseGoals: a script without spaces must not hide a name.
func TestNamesInChineseGoals(t *testing.T) {
	for _, tc := range []struct {
		goals, name string
		want        bool
	}{
		{"前往llm-outpost采矿。", "llm-outpost", true}, {"守住北区基地", "北区", true}, {"守住北区基地", "区北", false},
		{"前往llm-outpost2采矿", "llm-outpost", false}, {"守住基地", "", false}, {"守住基地", "。", false},
	} {
		if got := mentions(wordsIn(tc.goals), tc.name); got != tc.want {
			t.Errorf("mentions(%q, %q) = %v", tc.goals, tc.name, got)
		}
	}
}
