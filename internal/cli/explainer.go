package cli

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"example.com/agentworld/explain"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report/wording"
	"example.com/agentworld/trace"
	"example.com/agentworld/world"
)

// explainer writes a transcript as text. What models and providers wrote is complete,
// with each line of it after a gutter.
//
// The layout leads from the result to its causes: what was done and what came of it, why, the
// sources back to the first event, how the decision came about, the steps of the turn and, on
// demand, every call with instructions, input and output.
//
// Within a turn each request begins with all of the one before, so a part that
// was shown is referred to, unless full is set.
type explainer struct {
	b bytes.Buffer
	d *explain.Decision
	// parentDir is the directory of the run that this one was forked from, empty if it was not found.
	parentDir string
	// full repeats parts that an earlier call has shown.
	full bool
	// shownIn is the number of the call that showed a part first.
	shownIn map[string]int
}

// write writes the whole text. sources says whether the decision's sources belong to it.
func (e *explainer) write(sources bool) {
	t := e.d
	plaintext.Fprintf(&e.b, "%s, tick %d  (%s)\n", t.Agent, t.Tick, runText(t.Header.Settings))
	if t.Idle != nil {
		e.idle(*t.Idle)
		return
	}
	e.decision()
	if sources && t.Order != nil {
		e.order(*t.Order)
		if len(t.Order.SourcesRetrieved) > 0 {
			e.sources(*t.Order)
		}
	}
	if d := t.Decision; sources && d != nil && len(d.SourcesRetrieved)+len(d.SourcesCited) > 0 {
		e.sources(*d)
	}
	// A turn that a standing order continued has one step; a transcript restricted to a
	// step may have none.
	if len(t.Steps) > 0 {
		plaintext.Fprintf(&e.b, "\nSteps\n")
	}
	for _, s := range t.Steps {
		words := []string{strings.ToUpper(string(s.Level)), string(s.Kind), s.Name, string(s.Status), s.Code, s.CallID}
		if s.Minted {
			words = append(words, "(id made here)")
		}
		if len(s.Repairs) > 0 {
			words = append(words, "forgiven: "+strings.Join(s.Repairs, ", "))
		}
		detail := string(s.Detail)
		if len(t.Calls) == 0 {
			detail = plaintext.Clip(detail, shownDetailMax) // the calls say the rest
		}
		words = append(words, detail)
		plaintext.Fprintf(&e.b, "  %2d  %s\n", s.Step, strings.Join(strings.Fields(strings.Join(words, " ")), " "))
	}
	for _, u := range t.Tools {
		plaintext.Fprintf(&e.b, "\nTool %s  (step %d, %s)\n", u.Of(), u.Step, u.TrustText())
		e.field("arguments", string(u.Arguments))
		if u.Code != "" {
			e.field("no result", string(u.Code))
		}
		if len(u.Result) > 0 {
			e.field("result", u.ResultText())
		}
	}
	for i, p := range t.Calls {
		e.call(i+1, p)
	}
	for _, r := range t.Turn.Refusals {
		plaintext.Fprintf(&e.b, "\nRefused  (step %d, stage %s)\n", r.Step, r.Stage)
		e.field("cap", fmt.Sprintf("%s of %d: %d left, %d needed", r.Cap, r.Limit, r.Available, r.Requested))
		e.field("request", r.RequestHash)
	}
}

// shownDetailMax bounds the details of a step that are shown without its call, in characters.
const shownDetailMax = 60

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
	d := e.d.Decision
	plaintext.Fprintf(&e.b, "\nDecision\n")
	if d == nil {
		e.field("", "none was recorded: the run ended within this tick")
		return
	}
	executed := explain.RawText(d.Executed)
	if d.WaitReason != "" {
		executed = "nothing: the turn failed, and the agent waited"
	}
	e.field("executed", executed)
	e.field("outcome", explain.OutcomeText(d.Outcome))
	e.why(*d)
	commit := ""
	if d.Commit != "" && d.Commit != trace.CommitTwoStep {
		commit = ", " + d.Commit
	}
	e.field("decided by", fmt.Sprintf("%s%s in %s%s%s%s", d.DecidedBy, e.chainStep(),
		plaintext.Count(max(0, d.Calls-len(e.d.Turn.Refusals)), "call"), commit, refusedText(int64(len(e.d.Turn.Refusals))),
		effortText(*d)))
	if w := d.Template; w != nil {
		e.field("wording", fmt.Sprintf("[%s] %s", w.ID, sourceText(*w, d.AgentID)))
	}
	e.field("proposed", sameAs(d.Proposed, d.Executed, "as executed"))
	e.field("adjusted", sameAs(d.Adjusted, d.Executed, "as executed"))
	for _, a := range d.Adjustments {
		e.field("", fmt.Sprintf("%s %d -> %d, the nearest feasible value (%s)", a.Field, a.From, a.To, a.Bound))
	}
	if d.Authority != nil {
		e.field("allowed by", authorityText(*d.Authority))
	}
	if len(d.Parents) > 0 {
		e.field("parents", orNone(d.Parents))
	}
	if left, ok := e.d.Left(); ok {
		p, did := e.d.Parent, "nothing in this tick"
		switch {
		case e.parentDir == "":
			did = "not known: " + left.Parent.Name + " is not beside this run, or cannot be read"
		case p != nil && p.WaitReason != "":
			did = wording.Failed(p.WaitReason)
		case p != nil:
			did = fmt.Sprintf("%s (by %s; %s)", sameAs(p.Executed, d.Executed, "the same"), p.DecidedBy,
				explain.OutcomeText(p.Outcome))
		}
		e.field("parent did", did)
	}
}

// why writes the reason of a decision, what kept it from being the model's, and its sources.
func (e *explainer) why(d trace.Decision) {
	if d.Why != "" {
		e.field("why", d.Why)
	}
	if d.WaitReason != "" {
		e.field("because", fmt.Sprintf("%s [%s]", wording.Failed(d.WaitReason), d.WaitReason))
	}
	if d.FailedBy != "" {
		e.field("because", fmt.Sprintf("%s [%s]; the best of its %s was done in its place",
			wording.Failed(d.FailedBy), d.FailedBy, d.By))
	}
	if calls := e.d.Turn.Calls; len(calls) > 0 && (d.WaitReason != "" || d.FailedBy != "") {
		if f := calls[len(calls)-1].Answer.Failure; f != nil {
			e.field("failure", failureText(f))
		}
	}
	e.field("sources", fmt.Sprintf("%d in view, used: %s", len(d.SourcesRetrieved), orNone(d.SourcesUsed)))
}

// effortText says what a decision took.
func effortText(d trace.Decision) string {
	text := ""
	if u := d.Tokens; u != nil {
		text += ", " + tokensText(*u)
	}
	if d.Timing != nil {
		text += fmt.Sprintf(", %d ms", d.Timing.DurationMS)
	}
	return text
}

func tokensText(u llmclient.Usage) string {
	cache := fmt.Sprintf("%d cached", u.Cached)
	if u.Written > 0 {
		cache += fmt.Sprintf(", %d written to the cache", u.Written)
	}
	text := fmt.Sprintf("%d in (%s), %d out (%d reasoning)", u.Input, cache, u.Output, u.Reasoning)
	if u.ServiceTier != "" {
		text += ", tier " + u.ServiceTier
	}
	return text
}

// order writes the decision that gave the standing order which the tick continued.
func (e *explainer) order(d trace.Decision) {
	plaintext.Fprintf(&e.b, "\nOrder\n")
	e.field("given in", fmt.Sprintf("tick %d", d.Tick))
	e.field("executed", explain.RawText(d.Executed))
	e.why(d)
}

// idle writes how the agent was in a tick in which it decided nothing, and its last decision.
func (e *explainer) idle(at explain.Idle) {
	r := at.Row
	plaintext.Fprintf(&e.b, "\nState\n")
	e.field("state", fmt.Sprintf("%s since tick %d; no decision", at.Did, at.Since))
	e.field("place", cmp.Or(r.Place, "on the way"))
	e.field("charge", fmt.Sprintf("%d of %d, %s; heat %d", r.Electricity, r.Capacity, r.PowerState, r.Heat))
	e.field("stock", cmp.Or(stockText(r.Stock), none))
	for _, n := range r.Notes() {
		e.field("", n)
	}
	if d := at.Last; d != nil {
		plaintext.Fprintf(&e.b, "\nLast decision\n")
		e.field("made in", fmt.Sprintf("tick %d", d.Tick))
		e.field("executed", explain.RawText(d.Executed))
		e.field("outcome", explain.OutcomeText(d.Outcome))
		e.why(*d)
	}
	plaintext.Fprintf(&e.b, "\n")
}

// next are the commands that lead on: to the tick that gave an order, or made the last decision,
// to the first source used, and to the prompts.
func (e *explainer) next(runDir string, prompts bool) (list []advice) {
	t := e.d
	d := t.Decision
	switch {
	case t.Idle != nil && t.Idle.Last != nil:
		return []advice{turnAdvice(runDir, t.Idle.Last.Tick, t.Agent, "shows its last decision before")}
	case t.Order != nil:
		list, d = append(list, turnAdvice(runDir, t.Order.Tick, t.Agent, "shows the tick that gave the order")), t.Order
	}
	if d != nil && len(d.SourcesUsed) > 0 {
		used := func(s trace.Source) bool { return s.ID == d.SourcesUsed[0] }
		var s trace.Source
		if at := slices.IndexFunc(d.SourcesRetrieved, used); at >= 0 {
			s = d.SourcesRetrieved[at]
		}
		tick := s.OriginTick
		if t.Provenance.Decided(tick) && s.Kind == trace.KindMemory && tick < d.Tick {
			list = append(list, turnAdvice(runDir, tick, t.Agent, "shows the decision that it remembers"))
		} else {
			list = append(list, sourceAdvice(runDir, d.SourcesUsed[0], e.owner(s.Kind)))
		}
	}
	if len(t.Turn.Calls) > 0 && !prompts {
		list = append(list, promptsAdvice(runDir, t.Tick, t.Agent))
	}
	if len(list) > 0 {
		plaintext.Fprintf(&e.b, "\n")
	}
	return list
}

// authorityText says by what an action was allowed.
func authorityText(a trace.Authority) string {
	text := string(a.By)
	if a.By == trace.AuthorityUnguarded {
		text += ", texts or terms of others were in view and a check of the guard was off"
	}
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
		text += fmt.Sprintf(", counted as %s", plaintext.Count(a.Deviation, "tick of deviation"))
	}
	return text
}

// chainStep says which step of an order a tick continued, empty for an order of one.
func (e *explainer) chainStep() string {
	if e.d.Order == nil || e.d.Decision.ChainStep == 0 {
		return ""
	}
	a, err := world.DecodeAction(e.d.Order.Executed)
	order, ok := a.(world.ExecuteUntil)
	if err != nil || !ok || len(order.Then) == 0 {
		return ""
	}
	return fmt.Sprintf(", step %d of %d of its order,", e.d.Decision.ChainStep, 1+len(order.Then))
}

// sameAs shows an action, or a word when it is the one shown before. Actions are
// recorded in one canonical encoding, so equal bytes are equal actions.
func sameAs(action, before json.RawMessage, word string) string {
	if string(action) == string(before) && explain.RawText(action) != none {
		return word
	}
	return explain.RawText(action)
}

// none is shown for an empty field of a record.
const none = "none"

// orNone lists names, or says that there are none.
func orNone(names []string) string {
	if len(names) == 0 {
		return none
	}
	return strings.Join(names, ", ")
}

// stockText lists amounts.
func stockText(stock []world.Amount) string {
	var words []string
	for _, a := range stock {
		words = append(words, fmt.Sprintf("%s %d", a.Resource, a.Amount))
	}
	return strings.Join(words, ", ")
}
