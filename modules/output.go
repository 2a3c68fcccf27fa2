package modules

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/behavior/answer"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/trace"
)

// wireAnswer is the output of a call that was answered. The fields that say how
// to read the result come before it. A result means that the call succeeded. The
// call that the output belongs to names the module.
type wireAnswer struct {
	// Source is the id under which the model may cite the result, empty when its
	// parts have ids of their own.
	Source string `json:"source,omitempty"`
	// Truncated says that something is missing: Omitted counts list elements by
	// list; CharsFull and Preview replace a result that no list could shorten.
	Truncated bool            `json:"truncated,omitempty"`
	Omitted   json.RawMessage `json:"omitted,omitempty"`
	CharsFull int             `json:"chars_full,omitempty"`
	Preview   string          `json:"preview,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// wireFailure is the output of a call that was not.
type wireFailure struct {
	OK     bool   `json:"ok"`
	Module string `json:"module,omitempty"`
	Code   Code   `json:"code"`
	// Text is one of the fixed texts of the wording.
	Text string `json:"text"`
	*answer.ArgumentError
	// Parameters repeats the schema when the arguments could not even be read.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Modules lists the tool names there are, when the name was wrong.
	Modules   []string `json:"modules,omitempty"`
	CallsLeft *int     `json:"calls_left,omitempty"`
}

// answered makes the result of a module that ran well, cut to the bound in env.
func (r Result) answered(env Env, found lookup) Result {
	full := answer.Parse(llmclient.Marshal(found.body))
	body := full
	out := wireAnswer{Source: found.id, Result: body.JSON()}
	r.Output = string(llmclient.Marshal(out))
	r.CharsFull = utf8.RuneCountInString(r.Output)
	r.Status = StatusSuccess
	if r.CharsFull > env.charsMax() {
		r.Status = StatusPartial
		r.Output, body = shortened(out, body, env.charsMax(), r.CharsFull)
	}
	r.Sources = found.sourcesIn(r.Module, r.Output, body, full)
	return r
}

// sourcesIn returns the sources that are still in the output of a module: the first ones when
// the body is a list of them, otherwise the whole output as one source. A source
// that was cut away was not read and must not count as retrieved. A result that
// quotes untrusted texts has at most their trust, and each of them is a source of
// it. If one agent wrote them all, the result has that author. full is the body before it was cut.
func (a lookup) sourcesIn(module, output string, body, full answer.Value) []trace.Source {
	if a.id == "" {
		return a.sources[:min(len(body.Items), len(a.sources))]
	}
	if body.Kind == answer.Null {
		body = full // cut within its text, which begins in the same way
	}
	whole := trace.Source{
		ID: a.id, Kind: trace.KindModule, Title: module, Preview: plainWords(body), Chars: utf8.RuneCountInString(output),
		OriginTick: a.tick, Trust: a.trust, Text: output,
	}
	var quoted []trace.Source
	for _, s := range a.texts {
		// Its id comes before its words, however the result was cut.
		if !strings.Contains(output, s.ID) {
			continue
		}
		if len(quoted) == 0 {
			whole.OriginAgent = s.OriginAgent
		} else if whole.OriginAgent != s.OriginAgent {
			whole.OriginAgent = ""
		}
		quoted = append(quoted, s)
		whole.Trust, whole.Parents = min(whole.Trust, s.Trust), append(whole.Parents, s.ID)
	}
	return append([]trace.Source{whole}, quoted...)
}

// plainWords is the beginning of a body for people, without quotes and braces: "status ok, places
// (hub, rock-a)". It is long enough for a preview.
func plainWords(body answer.Value) string {
	var b strings.Builder
	var write func(v answer.Value, inner bool)
	write = func(v answer.Value, inner bool) {
		if v.Kind != answer.Object && v.Kind != answer.Array {
			b.WriteString(cmp.Or(v.Text, "none"))
			return
		}
		if inner {
			b.WriteByte('(')
		}
		for i := range max(len(v.Fields), len(v.Items)) {
			if b.Len() > trace.PreviewMax*utf8.UTFMax {
				return // the preview is clipped before this
			}
			if i > 0 {
				b.WriteString(", ")
			}
			if v.Kind == answer.Array {
				write(v.Items[i], true)
				continue
			}
			b.WriteString(v.Fields[i].Name + " ")
			write(v.Fields[i].Value, true)
		}
		if inner {
			b.WriteByte(')')
		}
	}
	write(body, false)
	return b.String()
}

// refused makes the result of a call whose arguments did not fit. The schema is
// repeated only where the text was no JSON at all; otherwise the field at fault
// says more in less room.
func (r Result) refused(env Env, m module, fault *answer.ArgumentError) Result {
	r.ArgumentError = fault
	w := &env.words().Modules
	out := wireFailure{Module: r.Module, Code: CodeInvalidArguments, Text: w.Invalid,
		ArgumentError: FaultIn(env.words(), fault)}
	switch {
	case fault.NotJSON:
		out.Code = CodeNotJSON
		out.Text = w.NotJSON
		out.Parameters = m.Parameters
	case fault.NotObject:
		out.Code, out.Text = CodeNotObject, w.NotObject
	}
	return r.ended(env, out)
}

// ended fills in an error result. Where the bound leaves no room for the schema
// or the list of modules, they are left out; the rest is fixed text within
// ResultCharsMin.
func (r Result) ended(env Env, out wireFailure) Result {
	r.Status = StatusError
	r.Code = out.Code
	out.CallsLeft = env.CallsLeft
	r.Output = string(llmclient.Marshal(out))
	r.CharsFull = utf8.RuneCountInString(r.Output)
	if r.CharsFull > env.charsMax() {
		out.Parameters, out.Modules = nil, nil
		if out.ArgumentError != nil {
			out.ArgumentError.Also = nil
		}
		r.Output = string(llmclient.Marshal(out))
	}
	return r
}

func (e Env) charsMax() int {
	if e.ResultCharsMax == 0 {
		return ResultCharsDefault
	}
	return max(e.ResultCharsMax, ResultCharsMin)
}

// shortened returns an output within limit characters and what is left of the
// body. Lists lose their tails first, the longest list before the others, and the
// output says how many elements each lost. Lists inside elements of lists go with their
// elements. Only a body without any list element left is cut as text.
func shortened(out wireAnswer, body answer.Value, limit, charsFull int) (string, answer.Value) {
	out.Truncated = true
	var order []string // in which lists first lost an element
	lost := map[string]int{}
	for {
		var longest *answer.Value
		size, path := 0, ""
		eachList(&body, "", func(at string, list *answer.Value) {
			if n := len(list.JSON()); len(list.Items) > 0 && n > size {
				longest = list
				size = n
				path = at
			}
		})
		if longest == nil {
			return preview(out, limit, charsFull), answer.Value{Kind: answer.Null}
		}
		longest.Items = longest.Items[:len(longest.Items)-1]
		lost[path]++
		if lost[path] == 1 {
			order = append(order, path)
		}
		omitted := answer.Value{Kind: answer.Object}
		for _, list := range order {
			omitted.Fields = append(omitted.Fields,
				answer.Field{Name: list, Value: answer.Value{Kind: answer.Number, Text: fmt.Sprint(lost[list])}})
		}
		out.Result, out.Omitted = body.JSON(), omitted.JSON()
		if text := string(llmclient.Marshal(out)); utf8.RuneCountInString(text) <= limit {
			return text, body
		}
	}
}

// preview gives up the structure and shows the beginning of the result's text. It
// halves the text until its encoding fits, because quotes and control characters
// take more room encoded than counting them would tell.
func preview(out wireAnswer, limit, charsFull int) string {
	runes := []rune(string(out.Result))
	out.Result = nil
	out.Omitted = nil
	out.CharsFull = charsFull
	for size := min(len(runes), limit); ; size /= 2 {
		out.Preview = strings.TrimSpace(string(runes[:size]))
		if text := string(llmclient.Marshal(out)); size == 0 || utf8.RuneCountInString(text) <= limit {
			return text
		}
	}
}

// eachList visits the lists that are reached through objects alone, in order. The
// body itself goes by the name it has in the output.
func eachList(v *answer.Value, path string, visit func(path string, list *answer.Value)) {
	if v.Kind == answer.Array {
		visit(cmp.Or(path, "result"), v)
	}
	for i := range v.Fields {
		eachList(&v.Fields[i].Value, strings.TrimPrefix(path+"."+v.Fields[i].Name, "."), visit)
	}
}
