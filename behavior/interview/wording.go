package interview

import "example.com/agentworld/modules"

// wording is what is said to an agent in one language.
type wording struct {
	heading, leftOut, decided, order, accepted, refused, asked string
}

// wordingOf holds the wording of each language; empty is English. The embedded model recognizes a
// question by the heading.
var wordingOf = map[modules.Language]wording{
	"": english, modules.English: english,
	modules.Chinese: {
		heading: "# 提问，第 %d 回合之后", leftOut: "（略去 %d 个更早的决定）",
		decided: "第 %d 回合%s：%s：%s", order: "（持续指令）",
		accepted: "已接受", refused: "被世界拒绝",
		asked: "接下来有一位旁观者向你提问。你的回答不会改变世界，其他智能体也听不到。用几句平实的话说明你看到了什么、想要什么、预期什么。用方括号写出所依据来源的编号，例如 [mem-3-1]。不知道就说不知道。不要调用工具。",
	},
}

var english = wording{
	heading: "# Question, after tick %d", leftOut: "(%d earlier decisions left out)", decided: "tick %d%s: %s: %s",
	order:    " (standing order)",
	accepted: "accepted", refused: "refused by the world:",
	asked: "Someone who watches the world asks you a question. Your answer changes nothing, and no other agent hears " +
		"it. Say in a few plain sentences what you saw, wanted and expected. Name the sources you rest on by their ids in " +
		"brackets, such as [mem-3-1]. If you do not know, say so. Do not call tools.",
}
