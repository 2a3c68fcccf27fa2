package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// explainer writes a transcript as text. What models and providers wrote is complete,
// with each line of it after a gutter.
//
// The layout leads from the result to its causes: the decision as proposed, adjusted and
// executed with its outcome, its sources back to the first event, the steps of the turn, and
// every call with instructions, input and output.
//
// Within a turn each request begins with all of the one before, so a part that
// was shown is referred to, unless full is set.
type explainer struct {
	b bytes.Buffer
	t *transcript
	// provenance says where the decision's sources come from.
	provenance *provenance
	// full repeats parts that an earlier call has shown.
	full bool
	// shownIn is the number of the call that showed a part first.
	shownIn map[string]int
}

// write writes the whole text. sources says whether the decision's sources belong to it.
func (e *explainer) write(prompts []prompt, sources bool) {
	t := e.t
	plaintext.Fprintf(&e.b, "%s, tick %d  (%s)\n", t.agent, t.tick, runText(t.header.Settings))
	e.decision()
	if d := t.decision; sources && d != nil && len(d.SourcesRetrieved)+len(d.SourcesCited) > 0 {
		e.sources(*d)
	}
	// A turn that a standing order continued has one step; a transcript restricted to a
	// step may have none.
	if len(t.steps) > 0 {
		plaintext.Fprintf(&e.b, "\nSteps\n")
	}
	for _, s := range t.steps {
		words := []string{strings.ToUpper(string(s.Level)), string(s.Kind), s.Name, string(s.Status), s.Code, s.CallID}
		if s.Minted {
			words = append(words, "(id made here)")
		}
		if len(s.Repairs) > 0 {
			words = append(words, "forgiven: "+strings.Join(s.Repairs, ", "))
		}
		words = append(words, string(s.Detail))
		plaintext.Fprintf(&e.b, "  %2d  %s\n", s.Step, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	for i, p := range prompts {
		e.call(i+1, p)
	}
	for _, r := range t.refused {
		plaintext.Fprintf(&e.b, "\nRefused  (step %d, stage %s)\n", r.Step, r.Stage)
		e.field("cap", fmt.Sprintf("%s of %d: %d left, %d needed", r.Cap, r.Limit, r.Available, r.Requested))
		e.field("request", r.RequestHash)
	}
}

// runText says of which run something is shown.
func runText(s trace.Settings) string {
	return fmt.Sprintf("%s, seed %d, model %s, %s", s.Scenario, s.Seed, s.Model, s.ModelSource)
}

// field writes one aligned line of facts.
func (e *explainer) field(name, text string) { plaintext.Fprintf(&e.b, "  %-12s%s\n", name, text) }

// decision writes the first section, from what the model wanted to the outcome. The
// proposed, adjusted and executed actions are recorded separately. A line says so if two
// are the same.
func (e *explainer) decision() {
	d := e.t.decision
	plaintext.Fprintf(&e.b, "\nDecision\n")
	if d == nil {
		e.field("", "none was recorded: the run ended within this tick")
		return
	}
	commit := ""
	if d.Commit != "" && d.Commit != trace.CommitTwoStep {
		commit = ", " + d.Commit
	}
	e.field("decided by", fmt.Sprintf("%s in %d calls%s%s", d.DecidedBy, max(0, d.Calls-len(e.t.refused)), commit, refusedText(int64(len(e.t.refused)))))
	if d.WaitReason != "" {
		e.field("because", string(d.WaitReason))
	}
	if d.FailedBy != "" {
		e.field("because", fmt.Sprintf("the turn failed: %s; the best of its %s stands in", d.FailedBy, d.By))
	}
	if d.Why != "" {
		e.field("why", d.Why)
	}
	e.field("proposed", rawText(d.Proposed))
	e.field("adjusted", sameAs(d.Adjusted, d.Proposed, "as proposed"))
	for _, a := range d.Adjustments {
		e.field("", fmt.Sprintf("%s %d -> %d, the nearest feasible value (%s)", a.Field, a.From, a.To, a.Bound))
	}
	if d.Authority != nil {
		e.field("allowed by", authorityText(*d.Authority))
	}
	if len(d.Parents) > 0 {
		e.field("parents", orNone(d.Parents))
	}
	e.field("executed", sameAs(d.Executed, d.Adjusted, "as adjusted"))
	e.field("outcome", outcomeText(d.Outcome))
	if left, ok := e.t.left(); ok {
		p, did := e.t.parent, "nothing in this tick"
		switch {
		case e.t.parentDir == "":
			did = "not known: " + left.Parent.Name + " is not beside this run, or cannot be read"
		case p != nil:
			did = fmt.Sprintf("%s (by %s; %s)", sameAs(p.Executed, d.Executed, "the same"), p.DecidedBy, outcomeText(p.Outcome))
		}
		e.field("parent did", did)
	}
	e.field("sources", fmt.Sprintf("%d in view, used: %s", len(d.SourcesRetrieved), orNone(d.SourcesUsed)))
}

// authorityText says by what an action was allowed.
func authorityText(a trace.Authority) string {
	text := string(a.By)
	if a.Planned > 0 {
		text += fmt.Sprintf(", planned action %d", a.Planned)
	}
	if a.Rule > 0 {
		text += fmt.Sprintf(", rule %d", a.Rule)
	}
	if a.Asker != "" {
		text += fmt.Sprintf(", asked by %s (%s)", a.Asker, a.Terms)
	}
	if a.Deviation > 0 {
		text += fmt.Sprintf(", counted as %d ticks of deviation", a.Deviation)
	}
	return text
}

// sameAs shows an action, or a word when it is the one shown before. Actions are
// recorded in one canonical encoding, so equal bytes are equal actions.
func sameAs(action, before json.RawMessage, word string) string {
	if string(action) == string(before) && rawText(action) != none {
		return word
	}
	return rawText(action)
}

// none is shown for an empty field of a record.
const none = "none"

// rawText shows recorded JSON on one line.
func rawText(raw json.RawMessage) string {
	if len(raw) == 0 || string(raw) == "null" {
		return none
	}
	return string(raw)
}

// orNone lists names, or says that there are none.
func orNone(names []string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// outcomeText renders the outcome of the action with the world's numbers, such as
// "accepted, electricity -10, hardware +5". An outcome that this version cannot read is
// shown as it was recorded.
func outcomeText(raw json.RawMessage) string {
	var o world.Outcome
	switch {
	case rawText(raw) == none:
		return none
	case json.Unmarshal(raw, &o) != nil:
		return rawText(raw)
	}
	before := ""
	if o.RefusedBefore > 0 {
		before = fmt.Sprintf(" after %d decided before it that the world refused", o.RefusedBefore)
	}
	if !o.Accepted {
		return "rejected" + before + ": " + rejectionText(o.Rejection)
	}
	text := "accepted" + before
	for _, c := range o.Changes {
		text += fmt.Sprintf(", %s %+d", c.Resource, c.Amount)
	}
	if o.Created != "" {
		text += ", created " + o.Created
	}
	return text
}

// rejectionText shows a refusal with its code, its field and the numbers that it
// has, such as "storage_full electricity, requested 50 units, maximum 40 units".
func rejectionText(r *world.Rejection) string {
	if r == nil {
		return "without a code"
	}
	text := string(r.Code)
	for _, word := range []string{r.Field, r.Resource} {
		if word != "" {
			text += " " + word
		}
	}
	for _, n := range []struct {
		name  string
		value *int64
	}{{"requested", r.Requested}, {"available", r.Available}, {"maximum", r.Maximum}} {
		if n.value != nil {
			text += strings.TrimRight(fmt.Sprintf(", %s %d %s", n.name, *n.value, r.Unit), " ")
		}
	}
	return text
}

// sources writes the sources of a decision, each with its score, whether it was
// used, and the chain back to what it comes from; then what the decision named
// without having it in view.
//
//	Sources
//	  [mem-4-3] memory, score 812, used (self), trust self_observation, 58 characters
//	      remembered in tick 4, agent-1: {"action":"mine_compound",...}, accepted, compound +5000
//	  named and not in view: [nav-00007] unknown (text)
func (e *explainer) sources(d trace.Decision) {
	plaintext.Fprintf(&e.b, "\nSources\n")
	for _, s := range d.SourcesRetrieved {
		plaintext.Fprintf(&e.b, "  [%s] %s, score %d, %s, trust %s, %d characters\n", s.ID, s.Kind, s.Score, useOf(d, s.ID), s.Trust, s.Chars)
		for _, line := range e.provenance.chain(s.ID) {
			plaintext.Fprintf(&e.b, "      %s\n", line)
		}
	}
	for _, c := range d.SourcesCited {
		if c.Status != "used" {
			plaintext.Fprintf(&e.b, "  named and not in view: [%s] %s (%s)\n", c.ID, c.Status, c.Channel)
		}
	}
}

// call writes one model call: what was sent, item by item, and what ended it: the output
// items in the provider's order with the tokens billed, or why there are none. n counts
// the calls shown, from 1.
func (e *explainer) call(n int, p prompt) {
	c, a := p.Record, p.Record.Answer
	plaintext.Fprintf(&e.b, "\nCall %d  (step %d, stage %s)\n", n, c.Step, c.Stage)
	e.field("model", c.Model)
	e.field("request", fmt.Sprintf("%s, %d characters and %d of tools", c.RequestHash, c.InputChars, c.ToolChars))
	e.field("tools", orNone(p.toolNames)) // descriptions and schemas are the same in every call of a run; --json shows them
	e.field("tool choice", choiceText(c.ToolChoice))
	for _, s := range c.Sections {
		// Sections that were sent whole are not worth a line: their text follows.
		if s.Clipped {
			e.field("clipped", fmt.Sprintf("section %s by %d characters", s.Name, s.ClippedChars))
		}
	}
	e.part(n, "instructions", c.Instructions, p.Instructions)
	for i, it := range p.Input {
		e.part(n, fmt.Sprintf("input %d of %d: %s", i+1, len(p.Input), itemTitle(it)), c.Input[i], itemText(it))
	}
	if a.Failure != nil {
		plaintext.Fprintf(&e.b, "--- answer: failed, %s\n", failureText(a.Failure))
		return
	}
	plaintext.Fprintf(&e.b, "--- answer: %s\n", strings.TrimSpace(a.Status+" "+a.IncompleteReason))
	for i, it := range p.Output {
		plaintext.Fprintf(&e.b, "--- output %d of %d: %s\n%s", i+1, len(p.Output), itemTitle(it), plaintext.Block(itemText(it)))
	}
	plaintext.Fprintf(&e.b, "--- tokens: %d in (%d cached), %d out (%d reasoning)\n", a.Usage.Input, a.Usage.Cached, a.Usage.Output, a.Usage.Reasoning)
}

// part writes one text, or where it was shown before.
func (e *explainer) part(call int, title, hash, text string) {
	if earlier, ok := e.shownIn[hash]; ok && !e.full {
		plaintext.Fprintf(&e.b, "--- %s, as in call %d\n", title, earlier)
		return
	}
	e.shownIn[hash] = call
	plaintext.Fprintf(&e.b, "--- %s\n%s", title, plaintext.Block(text))
}

// choiceText describes a tool choice: its mode, such as "none", or the tools it
// narrows to, such as "required of plan decision". Anything else a later version
// may record is shown as it is.
func choiceText(choice json.RawMessage) string {
	var narrowed struct {
		Mode  string `json:"mode"`
		Tools []struct {
			Name string `json:"name"`
		} `json:"tools"`
	}
	if json.Unmarshal(choice, &narrowed) != nil || narrowed.Mode == "" {
		return strings.Trim(string(choice), `"`)
	}
	text := narrowed.Mode + " of"
	for _, t := range narrowed.Tools {
		text += " " + t.Name
	}
	return text
}
