package answer

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/world"
)

// Models write a candidate, and name one, in more ways than the schema has. These bring them
// to the schema's, and read nothing that leaves two meanings.

// fieldWords are fields in Chinese: a model that is asked in it may translate them.
var fieldWords = map[string]string{
	"goal": "目标", "steps": "步骤", "actions": "动作 行动", "plan": "计划",
	"candidates": "候选 候选动作", "candidate": "候选 选择", "why": "理由 原因",
	"sources_used": "来源", ActionField: "动作 行动", "to": "目标 目的地", "what": "种类 什么",
	"amount": "数量", "price": "价格", "text": "文本 内容",
	"want": "想要 换取", "want_amount": "想要数量 换取数量", "for_ticks": "期限 有效回合",
}

// respelled gives fields in another case, with other separators or translated the names that
// are known.
func respelled(o Value, known []string) (Value, []Repair) {
	var used []Repair
	for _, f := range o.Fields {
		if slices.Contains(known, f.Name) {
			continue
		}
		name := first(known, func(k string) bool {
			listed := k != "candidates" || f.Value.Kind == Array || f.Value.Kind == Object
			return sameName(k, f.Name) || listed && !o.has(k) && slices.Contains(strings.Fields(fieldWords[k]), f.Name)
		})
		if name != "" && !o.has(name) {
			o = o.without(f.Name)
			o.set(name, f.Value)
			used = append(used, FieldAlias)
		}
	}
	return o, used
}

// actionLists brings the lists of actions in the arguments of a call to the schema's form: under
// their own names, and each action an object. An element that is no object is put under the
// action's name, so that its error says what is allowed there.
func (c Call) actionLists(o Value) (mended Value, used []Repair) {
	mend := func(list string, to Value, repair Repair) {
		o.set(list, to)
		used = append(used, repair)
	}
	switch {
	case c.Tool == ToolPlan && !o.gives("actions") && o.gives("candidates"):
		mend("actions", o.Field("candidates"), FieldAlias)
	case !o.gives("candidates") && (c.Tool == ToolDraft || c.Tool == ToolTurn):
		// The actions may have another name, and of a draft the one action may be in their place.
		key := first([]string{"actions", "candidate", "action"}, func(key string) bool {
			return o.Field(key).Kind == Array || o.Field(key).Kind == Object &&
				(c.Tool == ToolDraft || key == "action" && o.gives("candidate"))
		})
		one := o.Field(key)
		if flat, more := actionIn(o); key == "" && ownName(flat) != "" && (c.Tool == ToolDraft || o.gives("candidate")) {
			one, used = flat, append(used, more...)
		}
		if one.Kind != Null {
			o = o.without(key)
			mend("candidates", one, DraftShorthand)
		}
	}
	for _, list := range []string{"candidates", "actions"} {
		given := o.Field(list)
		flat, _ := actionIn(given)
		numbered := ownName(flat) == "" &&
			!slices.ContainsFunc(given.Fields, func(f Field) bool { return f.Value.Kind != Object || f.Name == ActionField })
		switch {
		case given.Kind == Null && list == "actions" && o.has(list):
			mend(list, arrayOf(), ListFromNull)
		case len(given.Items) == 1 && given.Items[0].Kind == Array:
			mend(list, given.Items[0], ListOfOne)
		case given.Kind == Object && numbered:
			items := arrayOf()
			for _, f := range given.Fields {
				items.Items = append(items.Items, f.Value)
			}
			mend(list, items, ListFromOne)
		case given.Kind == Object, given.Kind == String:
			mend(list, arrayOf(given), ListFromOne)
		}
		items, mended := o.Field(list).Items, false
		for i, item := range items {
			action, more := actionIn(item)
			if action.Kind == String {
				action = objectOf(Field{ActionField, action})
			} else if len(more) == 0 {
				continue // as it was
			}
			if !mended {
				items, mended = slices.Clone(items), true
			}
			items[i], used = action, append(used, more...)
		}
		if mended {
			o.set(list, arrayOf(items...))
		}
	}
	return o, used
}

// draftKeys are the fields whose list is one of candidates, whatever the name of the call. The first
// that fits counts. Only under "candidates" the items need not name an action.
var draftKeys = []string{"candidates", "actions", "candidate", "action", "decision", "decisions", "options", "choices"}

// draftIn returns the draft that the arguments of another tool amount to: they list candidates and
// decide on none, so none of them may be executed. tool is empty for a name that is no tool's.
func (v *Vocabulary) draftIn(tool string, args Value) (Call, bool) {
	mayList := func(f Field) bool {
		switch f.Value.Kind {
		case Object:
			return true
		case String:
			return strings.Contains(f.Value.Text, "{")
		}
		return len(f.Value.Items) > 0
	}
	if v.Decides == "" || tool == ToolDraft || tool == ToolPlan || !slices.ContainsFunc(args.Fields, mayList) {
		return Call{}, false
	}
	o, _ := respelled(args, toolFields)
	o, _ = mendEncoded(o)
	key := first(draftKeys, func(key string) bool {
		list := o.Field(key)
		if key == "candidates" {
			return list.Kind == Object || len(list.Items) > 0
		}
		other := func(item Value) bool { action, _ := actionIn(item); return namedIn(action, ActionField) == "" }
		return len(list.Items) > 0 && !slices.ContainsFunc(list.Items, other)
	})
	if key == "" || tool != "" && tool != ToolDecision && v.schemaOf(tool).Field("properties").has(key) {
		return Call{}, false
	}
	decides := func(key string) bool { _, numbered := numberOf(o.Field(key)); return numbered }
	if namedIn(o, ActionField) != "" || namedIn(o, "decision") != "" || slices.ContainsFunc(numberKeys, decides) {
		return Call{}, false
	}
	list := o.Field(key)
	o = o.without(key)
	o.set("candidates", list)
	if v.Tool(ToolDraft) == NoTool {
		return textCall(v.Decides, o, ToolFromFields), true
	}
	return textCall(ToolDraft, o, ToolFromFields), true
}

// actionFields are the fields of a flat action, and the fields allowed next to them.
var actionFields = []string{ActionField, "to", "id", "what", "amount", "price", "text", "want", "want_amount",
	"for_ticks", "max_ticks", "execute_until", thenField}

// actionText matches a text that begins with a word, with an input or without.
var actionText = regexp.MustCompile(`^([\pL_]+)\s*:?\s*(.*)$`)

// actionIn brings an action to an object that has its name under "action": from a text such
// as NAME(amount=5), NAME 5 or an object in a string, from {NAME:{...}}, and from an object
// that has the name under another key. Anything else stays as it is.
func actionIn(v Value) (Value, []Repair) {
	if v.Kind == String {
		text := strings.TrimSpace(v.Text)
		if o, _, e := ReadObject(text); e == nil && strings.HasPrefix(text, "{") {
			o, used := actionIn(o)
			return o, append(used, JSONInString)
		}
		at := actionText.FindStringSubmatch(text)
		if at == nil || !isAction(at[1]) {
			return v, nil
		}
		input, _, problem := bracketed(at[2], false)
		o, used, unread := new(Vocabulary).inputOf(at[1], input)
		if problem+unread != "" || o.has(bareInput) || slices.Contains(used, BareInput) && strings.ContainsAny(input, ", ") {
			return v, nil // a sentence, perhaps
		}
		o.set(ActionField, stringOf(at[1]))
		return o, []Repair{ActionLine}
	}
	v, used := respelled(v, actionFields)
	if inner := v.Field(ActionField); inner.Kind == Object {
		inner, more := actionIn(inner)
		v.set(ActionField, inner)
		return v, append(used, more...)
	}
	if v.textOf(ActionField)+namedIn(v, "decision") != "" {
		return v, used
	}
	var names []Field
	for _, f := range v.Fields {
		switch {
		case isAction(f.Value.Text) && (f.Name == "type" || slices.Contains(nameKeys, f.Name)):
			names = append(names, f)
		case isAction(f.Name) && f.Value.Kind == Object && len(v.Fields) == 1:
			f.Value.set(ActionField, stringOf(f.Name))
			return f.Value, append(used, CallKey)
		}
	}
	if len(names) == 1 {
		v = v.without(names[0].Name)
		v.set(ActionField, names[0].Value)
		used = append(used, CallKey)
	}
	return v, used
}

// commentFields are what models write next to an action, which is the same without them.
var commentFields = []string{"n", "number", "rank", "score", "priority", "title", "label", "description", "note",
	"comment", "expected", "expected_outcome", "effect", "risk", "purpose"}

// candidateNumber matches a text that names a candidate by its number.
var candidateNumber = regexp.MustCompile(
	`(?i)^\s*(?:(?:candidate|option|choice|number|no\.?)[\s_-]*)?[#(]?(\d{1,3})(?:\.0*)?[).:]?\s*$`)

// numberKeys are other names for the number of a candidate. An index is none: it may count
// from 0.
var numberKeys = []string{"candidate", "candidate_number", "candidate_id", "selected_candidate", "chosen_candidate",
	"selected", "choice", "option", "number", "n", "decision"}

// numberOf is the number of a candidate that a value names: a number, a text around one or
// for one, or either alone in a list.
func numberOf(v Value) (n int64, ok bool) {
	switch {
	case v.Kind == Number:
		return floor(v.Text)
	case v.Kind == String:
		if at := candidateNumber.FindStringSubmatch(v.Text); at != nil {
			n, err := strconv.ParseInt(at[1], 10, 64)
			return n, err == nil
		}
		if n, used, ok := v.integer(); ok && len(used) == 1 {
			return n, true // 1.000e+00
		}
		i := slices.Index([]string{"", "first", "second", "third"}, strings.ToLower(v.Text))
		return int64(i), i > 0
	case len(v.Items) == 1:
		return numberOf(v.Items[0])
	}
	return 0, false
}

// chosen brings the number of a candidate, or the action that is in its place, to where the
// schema has it. Numbers that differ are a list, which names no candidate.
func chosen(o Value) (Value, []Repair) {
	key, n := "", int64(0)
	for _, k := range numberKeys {
		inner := o.Field(k)
		if inner.Kind == Object && ownName(inner) == "" && first(numberKeys, inner.gives) != "" {
			// The number is in an object, with what else is decided.
			whole := o.without(k)
			if slices.ContainsFunc(inner.Fields, func(f Field) bool { return whole.gives(f.Name) }) {
				return o, nil
			}
			for _, f := range inner.Fields {
				whole.set(f.Name, f.Value)
			}
			whole, used := chosen(whole)
			return whole, append(used, FieldAlias)
		}
		m, ok := numberOf(inner)
		switch {
		case ok && key == "":
			key, n = k, m
		case ok && m != n:
			o.set("candidate", arrayOf(o.Field(key), inner))
			return o, nil
		}
	}
	given := o.Field("candidate")
	switch {
	case key == "candidate" && given.Kind == Number:
	case key == "candidate" || key != "" && given.Kind == Null:
		o = o.without(key)
		o.set("candidate", Value{Kind: Number, Text: strconv.FormatInt(n, 10)})
		if key == "candidate" && given.Kind == String {
			return o, []Repair{NumberFromString}
		}
		return o, []Repair{FieldAlias}
	case !o.gives(ActionField) && namedIn(o, "decision") == "":
		if action, used := actionIn(given); namedIn(action, ActionField) != "" {
			o = o.without("candidate")
			o.set(ActionField, action)
			return o, append(used, WrappedAction)
		}
	}
	return o, nil
}

// fits reports whether an action that a decision writes next to the number of a candidate, or in
// its place, says nothing that the candidate does not say.
func fits(said Value, a world.Action, names Names) bool {
	if order, ok := a.(world.ExecuteUntil); ok {
		a = order.Do
	}
	open := []world.Slot{}
	do, _, e := decodeWhole(said, Value{Kind: Null}, names, &open)
	if a == nil || e != nil || do.ActionName() != a.ActionName() {
		return false
	}
	has := world.ActionArgs(do)
	for is := range world.Arguments(a) {
		if !slices.Contains(open, is.Slot()) && is.Value != has[is.Name] {
			return false
		}
	}
	return true
}

func actionSpec(name string) world.ActionSpec {
	spec, _, _ := actionNamed(name)
	return spec
}
