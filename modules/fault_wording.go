package modules

import "example.com/agentworld/behavior/answer"

// FaultIn returns an argument error as a model reads it in a language: path and names
// stay, sentences are translated. Errors are made, logged and recorded in English; only
// what goes into a prompt is not.
func FaultIn(l Language, e *answer.ArgumentError) *answer.ArgumentError {
	w, told := wordsOf(l), *e
	for _, phrase := range []*answer.Phrase{&told.Expected, &told.Got} {
		form, translated := w.faults[phrase.Form]
		if !translated {
			// Names of JSON types alone, and numbers, are the same in every language.
			continue
		}
		said := answer.Phrase{Form: form}
		for _, value := range phrase.Values {
			if noun, ok := value.(answer.Noun); ok {
				value = w.noun(string(noun))
			}
			said.Values = append(said.Values, value)
		}
		*phrase = said
	}
	told.Also = nil
	for _, other := range e.Also {
		told.Also = append(told.Also, FaultIn(l, other))
	}
	return &told
}

// chineseFaults are the forms of all phrases of errors. An unlisted one would reach the
// model in English; a test looks for such forms in the sources.
var chineseFaults = map[string]string{
	"an object":                             "一个对象",
	"a JSON object":                         "一个 JSON 对象",
	"one JSON object":                       "一个 JSON 对象",
	"an action object":                      "一个行动对象",
	"none here: candidates are given in %s": "此处不填；候选在 %s 中给出",
	"an object with the fields %s":          "一个含字段 %s 的对象",
	"only the fields %s":                    "只能有字段 %s",
	"another field":                         "其他字段",
	`the field "%s"`:                        `字段 "%s"`,
	"one of %s":                             "以下之一：%s",
	"an integer":                            "一个整数",
	"an integer number of units":            "整数，单位数量",
	"an integer number of %s":               "整数，单位：%s",
	"an integer of at least 0 for %s":       "%s 所需的不小于 0 的整数",
	"a text of 1 to %d characters":          "1 到 %d 个字符的文本",
	"an %s id of 1 to %d characters":        "1 到 %[2]d 个字符的%[1]s id",
	"a %s id of 1 to %d characters":         "1 到 %[2]d 个字符的%[1]s id",
	"an array of conditions":                "由条件组成的数组",
	"at most %d elements":                   "最多 %d 个元素",
	"an array with one of %s":               "由以下各项组成的数组：%s",
	"conditions the world accepts":          "世界接受的条件",
	"the tool's schema":                     "该工具的 schema",
	"a value it does not accept":            "不被接受的值",
	"others":                                "其他内容",
	"something else":                        "其他内容",
	"the action to repeat, with %s as a field beside it": "要重复的行动；%s 是与它并列的字段",
	"the value that %s has, or only one of the two":      "与 %s 相同的值，或两者只写其一",
	"another value":                "另一个值",
	"at most %d bytes":             "最多 %d 字节",
	"%d bytes":                     "%d 字节",
	"at most %d levels of nesting": "最多 %d 层嵌套",
	"more levels":                  "更多层",
	"text that is not JSON":        "不是 JSON 的文本",
	"a key and a value for each argument, each between its tags": "每个参数一个键和一个值，各在其标签之间",
	"tags that do not fit together":                              "不成对的标签",
	"arguments in one place":                                     "只写在一处的参数",
	"others in the name of the call":                             "调用名中另有参数",
	"an object that breaks off":                                  "中途断开的对象",
	"one that is too long or nested too deep":                    "过长或嵌套过深的对象",
	"several objects":                                            "多个对象",
	"a value in place of the placeholder":                        "用实际的值代替占位符",
	"a placeholder in angle brackets":                            "尖括号中的占位符",
	"the number %s":                                              "数字 %s",
	"a string of %d characters":                                  "%d 个字符的字符串",
	"a string":                                                   "字符串",
	"an array":                                                   "数组",
	"a boolean":                                                  "布尔值",
	"a number":                                                   "数字",
	"nothing":                                                    "什么也没有",
	"none":                                                       "没有",
	"both":                                                       "两者都有",
	"1 to %d candidates":                                         "1 到 %d 个候选行动",
	"a candidate's number or an action, not both":                "候选行动的编号或一个行动，不能都写",
	"the number of a candidate: call %s before; or 0 to wait":                        "候选行动的编号：请先调用 %s；或 0 表示等待",
	"at least one candidate":                                                         "至少一个候选行动",
	"the number of a candidate that could be read: %s; or 0 to wait":                 "可读的候选行动的编号：%s；或 0 表示等待",
	"a value: only how much you make may be left open":                               "写明的值：只有自己产出的数量可以不写",
	"the number of a candidate, and none could be read: call %s again; or 0 to wait": "候选行动的编号，但没有一个可读：请再次调用 %s；或 0 表示等待",
	"the number of a candidate from 1, or 0 to wait": "候选行动的编号，从 1 " +
		"开始；或 0 表示等待",
	"%s or %s": "%s 或 %s",
}
