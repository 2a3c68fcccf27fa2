package answer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// fullVocabulary and leanVocabulary are those of a turn in either protocol, with one module.
func fullVocabulary() *Vocabulary {
	module := llmclient.Tool{Name: "world_route", Parameters: []byte(`{"properties":{"to":{"type":"string"}},"required":["to"]}`)}
	return &Vocabulary{
		Tools: []llmclient.Tool{
			{Name: ToolPlan, Parameters: []byte(`{"properties":{"goal":{},"steps":{},"actions":{}}}`)},
			{Name: ToolDraft, Parameters: []byte(`{"properties":{"candidates":{}}}`)},
			{Name: ToolDecision, Parameters: []byte(`{"properties":{"candidate":{},"execute_until":{},"why":{},"sources_used":{}}}`)},
			module,
		},
		ToolOf:  func(name string) (string, bool) { return "world_route", name == "world.route" },
		Fields:  []FieldTool{{"candidates", ToolDraft}, {"steps", ToolPlan}, {"actions", ToolPlan}},
		Decides: ToolDecision, WindowTokens: 8000,
	}
}

func leanVocabulary() *Vocabulary {
	v := fullVocabulary()
	v.Tools = []llmclient.Tool{v.Tools[0], v.Tools[3], {Name: ToolTurn, Parameters: []byte(
		`{"properties":{"plan":{},"candidates":{},"candidate":{},"execute_until":{},"why":{},"sources_used":{}}}`)}}
	v.Fields, v.Decides = v.Fields[:1], ToolTurn
	return v
}

// scribe writes calls down, with choices of its own.
type scribe struct{ *rand.Rand }

func (s scribe) of(words ...string) string { return words[s.IntN(len(words))] }

// name is a tool's name between what templates and servers put around names.
func (s scribe) name(name string) string {
	before := s.of("", "functions.", "function.", "tools.", "functions::", "tools/", "default_api.", "to=functions.", "functions.tools.", "mcp__world__", " ", "`", "functions_")
	after := s.of("", "</arg_value>", "</arg_key>", "</tool_call>", ":0", "#12", "()", ".call", "<|channel|>commentary", "<|constrain|>json", "<｜tool▁sep｜>", " json", "\n", "`", "_1", "-2", "_tool")
	return before + name + after
}

func (s scribe) space() string { return s.of("", "", " ", "  ", "\n", " \n\t") }

// bar is a bar of a template's token, and token one as a whole.
func (s scribe) bar() string { return s.of("|", "｜", "||", "｜｜", "‖", " | ") }

func (s scribe) token(word string) string {
	bar := s.bar()
	return "<" + bar + word + bar + ">"
}

// junk is what comes between a leaked recipient and its object.
func (s scribe) junk() string {
	return s.of("", " ", "json", " code ", "\n", " commentary json\n", " 天天中彩票能json\n", " ӝ commentary to the tool, json: ", "   ", " numerusform json ")
}

// header is that of a message in the template with channels.
func (s scribe) header(name string) string {
	channel := s.of("commentary", "analysis", "final")
	to := "to=" + s.of("functions.", "") + name
	start := s.of("", s.token("start")+"assistant")
	form := s.of("", s.space()+s.token("constrain")+s.space()+"json", " code", " json")
	if s.IntN(2) == 0 {
		return start + s.of("", " ") + to + s.space() + s.token("channel") + channel + form + s.token("message")
	}
	return start + s.token("channel") + s.space() + channel + " " + s.space() + to + form + s.space() + s.token("message")
}

// call writes a call down in the syntax of some template or server. fields are its arguments one by
// one, as keys and JSON values, object is all of them.
func (s scribe) call(name, object string, fields [][2]string) string {
	model := s.of("", "minimax_", "seed_")
	bar := s.bar()
	space := s.of("", bar+"DSML"+bar, "antml:")
	parameters, pairs := "", ""
	for _, f := range fields {
		parameters += s.space() + "<" + space + `parameter name="` + f[0] + `"` + s.of("", ` string="false"`) + ">" + s.space() + f[1] + s.space() + "</" + space + "parameter>"
		pairs += s.space() + "<" + model + "arg_key>" + f[0] + "</" + model + "arg_key>" + s.space() + "<" + model + "arg_value>" + f[1] + "</" + model + "arg_value>"
	}
	forms := []func() string{
		func() string { return s.header(name) + s.space() + object + s.of("", s.token("call"), s.token("end")) },
		func() string { return s.of("", " ", "assistant ") + "to=functions." + name + s.junk() + object },
		func() string {
			return "<" + model + "tool_call>" + s.space() + name + pairs + s.space() + "</" + model + "tool_call>"
		},
		func() string {
			calls := "<" + space + s.of("tool_calls", "function_calls") + ">"
			return calls + s.space() + "<" + space + `invoke name="` + name + `">` + parameters + s.space() + "</" + space + "invoke>" + s.space() + strings.Replace(calls, "<", "</", 1)
		},
		func() string { return "[TOOL_CALLS]" + s.of("", " ") + name + s.of("", "[ARGS]") + object },
		func() string { return "[" + name + "]" + s.space() + object },
		func() string {
			return "[" + s.of("tool_call: ", "Tool call: ", "function_call:") + name + s.of(" ", "(") + object + s.of(")]", "]", "")
		},
		func() string {
			return "[TOOL_REQUEST]" + s.space() + `{"name":"` + name + `","arguments":` + object + "}" + s.space() + "[END_TOOL_REQUEST]"
		},
		func() string {
			return s.token("tool_call") + s.space() + `{"name":"` + name + `","arguments":` + object + "}" + s.space() + s.token("/tool_call")
		},
		func() string { return "<tool_call>" + s.space() + name + "\n" + object + s.space() + "</tool_call>" },
		func() string {
			return s.token("tool▁call▁begin") + "function" + s.token("tool▁sep") + name + "\n```json\n" + object + "\n```"
		},
		func() string {
			return s.token("tool_call_begin") + "functions." + name + ":0" + s.token("tool_call_argument_begin") + object + s.token("tool_call_end")
		},
		func() string {
			return `{"tool_uses":[{"recipient_name":"functions.` + name + `","parameters":` + object + "}]}"
		},
		func() string {
			return "to=" + s.of("", "functions.") + "multi_tool_use.parallel" + s.junk() + `{"tool_uses":[{"recipient_name":"functions.` + name + `","parameters":` + object + "}]}"
		},
		func() string { return name + s.of("(", "") + object },
	}
	return s.of("", "", "\n") + forms[s.IntN(len(forms))]() + s.of("", "", "\n")
}

// callsWritten are calls of a turn, with what they have for arguments.
var callsWritten = []struct {
	tool   string
	fields [][2]string
}{
	{ToolPlan, [][2]string{{"goal", `"Dig | until 5 <b> {x}"`}, {"steps", `[{"kind":"respond"}]`}, {"actions", `[]`}}},
	{ToolDraft, [][2]string{{"candidates", `[{"action":"mine_compound","amount":5},{"action":"wait"}]`}}},
	{ToolDecision, [][2]string{{"candidate", `1`}, {"execute_until", `null`}, {"why", `"to=functions.plan is \"no\" name"`}, {"sources_used", `["m1"]`}}},
	{"world_route", [][2]string{{"to", `"llm-outpost"`}}},
}

func objectText(fields [][2]string) string {
	var list []string
	for _, f := range fields {
		list = append(list, fmt.Sprintf("%q:%s", f[0], f[1]))
	}
	return "{" + strings.Join(list, ",") + "}"
}

// sortedText is a JSON object with its fields in order.
func sortedText(object string) string {
	if !IsObject(object) {
		return object
	}
	return string(Parse([]byte(object)).sorted().JSON())
}

// TestNamesInEveryForm reads the names of calls between all that is put around names, with the
// arguments beside them or in them.
func TestNamesInEveryForm(t *testing.T) {
	v := fullVocabulary()
	for seed := range uint64(1500) {
		s := scribe{rand.New(rand.NewPCG(seed, 1))}
		w := callsWritten[s.IntN(len(callsWritten))]
		object := objectText(w.fields)
		name, arguments := s.name(w.tool), object
		var repairs []Repair
		if s.IntN(3) == 0 {
			pairs := ""
			for _, f := range w.fields {
				pairs += "<arg_key>" + f[0] + "</arg_key>" + s.space() + "<arg_value>" + f[1] + "</arg_value>"
			}
			name, arguments = s.of("functions.", "", "functions_")+w.tool+s.of("", "_1", ":0", " ")+s.of(object, "("+object+")", pairs), s.of("", "{}", "null", " ", object)
			repairs = []Repair{ArgumentsInName}
		}
		calls := v.Called(name, arguments)
		if len(calls) != 1 || calls[0].Tool != w.tool || sortedText(calls[0].Arguments) != sortedText(object) {
			t.Errorf("seed=%d: %q with %s is read as %+v", seed, name, arguments, calls)
			continue
		}
		for _, r := range repairs {
			if !slices.Contains(calls[0].Repairs, r) {
				t.Errorf("seed=%d: %q is read with %v", seed, name, calls[0].Repairs)
			}
		}
	}
}

// TestCallsInEveryDialect reads calls that are written down in the syntaxes of templates, with their
// spaces, bars and leftovers.
func TestCallsInEveryDialect(t *testing.T) {
	v := fullVocabulary()
	for seed := range uint64(4000) {
		s := scribe{rand.New(rand.NewPCG(seed, 2))}
		w := callsWritten[s.IntN(len(callsWritten))]
		object := objectText(w.fields)
		text := s.call(w.tool, object, w.fields)
		r := v.Read(text)
		if len(r.Calls) != 1 || r.Calls[0].Tool != w.tool || sortedText(r.Calls[0].Arguments) != sortedText(object) {
			t.Errorf("seed=%d: %q is read as %+v, %q", seed, text, r.Calls, r.Problem)
		}
	}
}

// decides reports whether a call takes a decision, with or without a number of a candidate.
func decides(c Call) bool {
	if c.Tool != ToolDecision && c.Tool != ToolTurn {
		return false
	}
	d, _, e := ReadDecision(c, false)
	return e == nil && !d.IsOpen()
}

// TestACandidateIsNeverTakenForADecision writes the list of a draft under any name, in any dialect,
// whole and with parts of its frame lost. No reading of it decides anything.
func TestACandidateIsNeverTakenForADecision(t *testing.T) {
	names := []string{
		ToolDraft, ToolDecision, ToolTurn, "wait", "mine_compound", "execute_until", "final_answer", "respond", "submit_decision", "finish", "draft", "world_route",
		"commit", "action", "functions.decision", "Decision", "parallel", "launch", "json", "",
	}
	lists := []string{
		`[{"action":"mine_compound","amount":5},{"action":"wait"}]`, `[{"action":"mine_compound","amount":5}]`, `[{"action":{"action":"wait"},"execute_until":null}]`,
		`{"action":"wait"}`,
	}
	for seed := range uint64(6000) {
		s := scribe{rand.New(rand.NewPCG(seed, 3))}
		v := fullVocabulary()
		if s.IntN(3) == 0 {
			v = leanVocabulary()
		}
		name, list := names[s.IntN(len(names))], lists[s.IntN(len(lists))]
		key := s.of("candidates", "candidates", "Candidates")
		fields := [][2]string{{key, list}}
		if s.IntN(4) == 0 {
			fields = append(fields, [2]string{"why", `"They help."`})
		}
		object := objectText(fields)
		text := ""
		var calls []Call
		switch s.IntN(4) {
		case 0:
			text = s.of("", "functions.") + name + s.of("", "_1", "</arg_value>")
			calls = v.Called(text, object)
			text += " with " + object
			if s.IntN(2) == 0 && name != "" {
				calls = v.Called(name+object, s.of("", "{}"))
			}
		case 1:
			text = s.call(name, object, fields)
			calls = v.Read(text).Calls
		case 2:
			// The frame lost a part.
			key, end := "<arg_key>"+key+"</arg_key>", "</arg_value></tool_call>"
			text = s.of(
				"<tool_call>"+name+"<arg_value>"+list+end,
				"<tool_call>"+name+" "+fields[0][0]+"</arg_key><arg_value>"+list+end,
				"<tool_call>"+name+fields[0][0]+"</arg_key><arg_value>"+list+end,
				"<tool_call>"+name+"<tool_call>"+fields[0][0]+"</arg_key><arg_value>"+list+end,
				"<tool_call>"+name+key+key+"<arg_value>"+list+end,
				"<tool_call>"+name+key+list+end,
				"<tool_call>"+name+key+"<arg_value>"+list+"</tool_call>",
				"<tool_call>"+name+key+"<arg_value>"+list,
				key+"<arg_value>"+list+"</arg_value>",
				`<parameter name="`+fields[0][0]+`">`+list+"</parameter>",
				"to=functions."+name+s.junk()+`"`+fields[0][0]+`":`+list+"}",
				fields[0][0]+s.of(": ", " = ", ":\n", " ")+list,
				"**Candidates:** "+list,
			)
			calls = v.Read(text).Calls
		case 3:
			inner := `{"` + s.of("decision", "action", "arguments", "answer", "result", "final_answer") + `":` + object + "}"
			text = s.of(inner, "Final answer: "+object, "Action: "+name+"["+object+"]", "I decide:\n```json\n"+object+"\n```", `{"name":"`+name+`","arguments":`+object+"}", `{"type":"`+name+`",`+object[1:])
			calls = v.Read(text).Calls
		}
		if i := slices.IndexFunc(calls, decides); i >= 0 {
			t.Errorf("seed=%d: %q is read as %s %s", seed, text, calls[i].Tool, calls[i].Arguments)
		}
	}
}

// TestSeveralCallsInOne reads the calls that are made under the name of several at once.
func TestSeveralCallsInOne(t *testing.T) {
	v := fullVocabulary()
	uses := `{"tool_uses":[{"recipient_name":"functions.plan","parameters":{"goal":"Dig."}},{"recipient_name":"functions.world_route","parameters":{"to":"a"}},` +
		`{"recipient_name":"functions.launch","parameters":{}}]}`
	for _, name := range []string{"parallel", "multi_tool_use.parallel", "functions.multi_tool_use.parallel", "multi_tool_use_parallel", "Parallel", "parallel_1"} {
		var tools []string
		for _, c := range v.Called(name, uses) {
			tools = append(tools, c.Tool+c.Arguments)
		}
		if want := []string{`plan{"goal":"Dig."}`, `world_route{"to":"a"}`, NoTool + "{}"}; !slices.Equal(tools, want) {
			t.Errorf("%s is read as %q, want %q", name, tools, want)
		}
	}
}
