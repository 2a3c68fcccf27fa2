package cli

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"example.com/agentworld/engine"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/doctor"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// exchangePrinter prints model calls to stderr. A call is one Write, so that
// calls of agents that decide at the same time do not mix. Of each request and
// of each answer at most charsMax characters are shown.
type exchangePrinter struct {
	// w must write each Write in one piece; see screen.
	w io.Writer
	// charsMax is at least 1; the marks that show a cut are not counted.
	charsMax int
}

// show prints one call, such as
//
//	>>> tick 3 agent-2 call 2 module_call: 5 input items, 6092 characters
//	[function_call_output call_17]
//	| …"status":"ok"}
//	<<< tick 3 agent-2 call 2: completed, 3373 tokens in, 91 out, 4 ms
//	[function_call world_route call_18]
//	| {"to":"llm-outpost"}
//
// It shows the end of the request, which has the new items, and the beginning of
// the answer. The request's instructions and tools are the same in every call and
// are left to the explain command.
func (p exchangePrinter) show(x engine.Exchange) {
	var b strings.Builder
	plaintext.Fprintf(&b, ">>> tick %d %s call %d %s: %d input items, %d characters\n",
		x.Key.Tick, x.Key.Agent, x.Key.Step, x.Stage, len(x.Request.Input), x.Request.Chars())
	first, left := len(x.Request.Input), p.charsMax
	for first > 0 && left > 0 {
		first--
		left -= utf8.RuneCountInString(itemText(x.Request.Input[first]))
	}
	for i, it := range x.Request.Input[first:] {
		text := itemText(it)
		if i == 0 && left < 0 {
			text = plaintext.Last(text, utf8.RuneCountInString(text)+left)
		}
		plaintext.Fprintf(&b, "[%s]\n%s", itemTitle(it), plaintext.Block(text))
	}
	plaintext.Fprintf(&b, "<<< tick %d %s call %d: ", x.Key.Tick, x.Key.Agent, x.Key.Step)
	a := x.Answer
	switch {
	case a.Failure != nil:
		plaintext.Fprintf(&b, "failed, %s\n", failureText(a.Failure))
	case a.Reply == nil:
		b.WriteString("no answer\n")
	default:
		u := a.Reply.Usage
		plaintext.Fprintf(&b, "%s, %d tokens in, %d out, %d ms\n", a.Reply.Status, u.Input, u.Output, a.LatencyMS)
		left = p.charsMax
		for _, it := range a.Reply.Items {
			if left <= 0 {
				break
			}
			text := itemText(it)
			plaintext.Fprintf(&b, "[%s]\n%s", itemTitle(it), plaintext.Block(plaintext.Clip(text, left)))
			left -= utf8.RuneCountInString(text)
		}
	}
	_, _ = io.WriteString(p.w, b.String())
}

// itemTitle names an item: its kind and who or what it belongs to, such as
// "message user" or "function_call plan call_17".
func itemTitle(it llmclient.Item) string {
	words := []string{string(it.Kind), it.Role, it.Name, it.CallID}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// itemText is what an item says: a message's text, a call's arguments, an output's
// text, all as they were written. An item without text of its own, such as
// encrypted reasoning or a kind of a later API, is shown as it is on the wire.
func itemText(it llmclient.Item) string {
	switch {
	case it.Refusal != "":
		return strings.TrimSpace(it.Text + "\nrefusal: " + it.Refusal)
	case it.Text != "":
		return it.Text
	}
	return string(it.Raw)
}

// failureText describes a failed call on one line, such as "rate_limited, slow_down, HTTP
// 429: try again in 2 s". The client has removed secrets from the
// provider's message.
func failureText(f *llmclient.Failure) string {
	text := string(f.Kind)
	if f.Status != 0 && !strings.HasPrefix(f.Message, "HTTP ") {
		text += fmt.Sprintf(", HTTP %d", f.Status)
	}
	for _, more := range []string{f.Code, f.Message} {
		if more != "" {
			text += ", " + more
		}
	}
	return text
}

// notesPerKind is how many failed calls of one kind are noted; the report counts
// all of them.
const notesPerKind = 3

// failureNotes reports failed calls to the user during the run. It also reports answers to
// requests that were not made. One goroutine uses it at a time.
type failureNotes struct {
	printer *terminal.Printer
	seen    map[llmclient.ErrorKind]int
	// said are the notes about answers.
	said map[string]bool
}

// once notes something about an answer that is true of all like it.
func (n *failureNotes) once(note string) {
	n.onceOf(note, note)
}

// onceOf notes the first thing of a kind.
func (n *failureNotes) onceOf(kind, note string) {
	if n.said == nil {
		n.said = map[string]bool{}
	}
	if !n.said[kind] {
		n.said[kind] = true
		n.printer.Note(note)
	}
}

// see notes a failed call, unless enough of its kind were noted or the run's own
// end is the reason, and of an answer who gave it and what was not asked.
func (n *failureNotes) see(x engine.Exchange) {
	if r := x.Answer.Reply; r != nil {
		if doctor.OtherModel(x.Request.Model, r.Model) {
			n.once(fmt.Sprintf("note: %s was asked, and %s answers", x.Request.Model, r.Model))
		}
		n.usage(x)
		for _, repair := range r.Repairs {
			if repair == llmclient.RepairTierFallback {
				n.once(fmt.Sprintf("note: tier %s of %s is full; calls go to the default tier and try it again "+
					"from time to time, counted as %s", x.Request.Sampling.Tier(), x.Request.Model, repair))
			}
		}
	}
	f := x.Answer.Failure
	if f == nil || f.Kind == llmclient.ErrInterrupted || n.seen[f.Kind] >= notesPerKind {
		return
	}
	if n.seen == nil {
		n.seen = map[llmclient.ErrorKind]int{}
	}
	n.seen[f.Kind]++
	note := fmt.Sprintf("tick %d, %s: model call failed: %s", x.Key.Tick, x.Key.Agent, failureText(f))
	switch f.Kind {
	case llmclient.ErrCap:
		note = fmt.Sprintf("tick %d, %s: model call refused: %s", x.Key.Tick, x.Key.Agent, f.Message)
	case llmclient.ErrSeat:
		note = fmt.Sprintf("tick %d, %s: no move of seat %s: %s, %s", x.Key.Tick, x.Key.Agent, x.Request.Model, f.Code,
			f.Message)
	}
	if n.seen[f.Kind] == notesPerKind {
		note += " (more of this kind are only counted)"
	}
	n.printer.Note(note)
}

// usage notes what is doubtful about the usage of an answer, each kind once.
func (n *failureNotes) usage(x engine.Exchange) {
	u, model := x.Answer.Reply.Usage, x.Request.Model
	call := trace.ModelCall{Answer: trace.Answer{Usage: u}, Counted: x.Counted}
	for _, doubt := range call.Doubts() {
		says := ""
		switch doubt {
		case trace.DoubtTotal:
			says = fmt.Sprintf("%d input and %d output tokens, and a total of %d", u.Input, u.Output, u.Total)
		case trace.DoubtOutputLow:
			says = fmt.Sprintf("%d output tokens where %d were counted here; caps count those", u.Output, x.Counted.Output)
		case trace.DoubtInputLow:
			says = fmt.Sprintf("%d input tokens where %d were counted here; caps count those",
				u.Input, x.Counted.Input)
		case trace.DoubtInputHigh:
			says = fmt.Sprintf("%d input tokens where %d were counted here; caps count what it says",
				u.Input, x.Counted.Input)
		}
		n.onceOf("usage "+doubt+" "+model, fmt.Sprintf("note: the usage of %s is doubtful: it says %s", model, says))
	}
}
