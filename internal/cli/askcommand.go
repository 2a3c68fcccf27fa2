package cli

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/session"
	"example.com/agentworld/session/access"
	"example.com/agentworld/trace"
)

const askHelp = `Ask an agent of a run about what it did, as it was after a tick.

The agent's last conversation with its model is continued with the question: what it
saw, planned and decided is before the model, and nothing later. The world, the
trace and the other agents stay as they are. The answer is kept in asks.jsonl
beside the trace with the sources that it names. The same question is answered
from there at no cost; --again asks once more. "replay RUN" checks what is kept.

Without a question the questions that are kept are shown. --all asks every agent.
Model and endpoint are the run's unless flags name others; the key comes from
where a resume takes it from.`

// askSettings are the settings of a run that a question has too.
var askSettings = append(settings.Caps().Keys(""), "llm.model", "llm.base_url", "llm.offline", "llm.timeout_ms",
	"llm.price_table", "run.concurrency")

// askFlags are the flags of the command that are not settings. The tick is the last one that the agent knows
// of, 0 for the last whole one.
type askFlags struct {
	Agent string `flag:"agent" doc:"id of the agent"`
	All   bool   `flag:"all" doc:"ask every agent"`
	Tick  int64  `flag:"tick" doc:"last tick that the agent knows of (default the last whole one)"`
	Again bool   `flag:"again" doc:"ask also what was answered before"`
	CSV   string `flag:"csv" doc:"also write the answers as a table to this file, - for stdout alone"`
	JSON  bool   `flag:"json" doc:"print the answers as one JSON list"`
}

// askCommand puts questions to agents of a run.
func askCommand(m *Main) *cobra.Command {
	var f askFlags
	c := &cobra.Command{
		Use:   "ask RUN [QUESTION] --agent A | --all",
		Short: "ask an agent about what it did, as it was after a tick",
		Long:  askHelp,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return badInput("%s needs a run directory and a question in quotes, and got %s", commandPath(c),
					plaintext.Count(len(args), "argument"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			question := ""
			if len(args) == 2 {
				question = strings.TrimSpace(args[1])
			}
			if err := f.check(len(args) == 2, question); err != nil {
				return err
			}
			if question == "" {
				return showAsks(m, args[0], f)
			}
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return askAgents(c.Context(), m, args[0], question, config, f)
		},
	}
	c.Flags().SortFlags = false
	addOptions(c.Flags(), &f)
	borrowSettings(c.Flags(), askSettings, "llm.model", "llm.base_url")
	reads := m.readsRuns(c, nil).PreRunE
	c.PreRunE = func(c *cobra.Command, args []string) error { return reads(c, args[:1]) } // a question is no run
	return c
}

// check refuses flags that do not fit together.
func (f askFlags) check(asked bool, question string) error {
	switch {
	case asked && question == "":
		return badInput("the question is empty; allowed: a text, or none at all, which shows what was asked")
	case !utf8.ValidString(question):
		return badInput("the question is no text in UTF-8")
	case utf8.RuneCountInString(question) > interview.QuestionCharsMax:
		return badInput("the question has %d characters; allowed: at most %d", utf8.RuneCountInString(question),
			interview.QuestionCharsMax)
	case f.Tick < 0:
		return badInput("--tick %d is out of range; allowed: a tick from 1", f.Tick)
	case asked && (f.Agent == "") == !f.All:
		return badInput("ask needs --agent with an id, or --all, and not both")
	case f.JSON && f.CSV == stdoutName:
		return badInput("--json and --csv - both print to stdout; allowed: one of them")
	}
	return nil
}

// askAgents puts the question, shows the answers and keeps them.
func askAgents(ctx context.Context, m *Main, runDir, question string, c config, f askFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	i, p, err := prepareAsk(m, m.path(runDir), runDir, question, c, f, nil)
	if err != nil {
		return err
	}
	table, err := m.output("the table ", f.CSV, m.keptTrace(runDir), m.keptAsks(runDir))
	if err != nil {
		return err
	}
	defer table.made.discard() // as far as nothing was written
	records, failed := askAll(ctx, m, p, i, f.All)
	if err := showAsked(m, runDir, f, records); err != nil {
		return err
	}
	return failed
}

// prepareAsk finds out who is asked, and who answers: the models of the run as it was then, or the one
// that a flag names for all agents. name is what errors call the run. The meter is that of several
// questions, nil for one.
func prepareAsk(m *Main, dir, name, question string, c config, f askFlags, meter *engine.Meter) (
	i *session.Interview, p plan, err error) {
	reach := m.reach(c, c.Values)
	c.leaveModelToRun()
	c.places = map[string]string{settings.AgentsTable: "the run"}
	if err := m.readPrices(&c); err != nil {
		return nil, p, err
	}
	reach.Prices = c.table
	p = plan{config: c, hears: &listener{m: m, config: c}}
	of := m.sessionOf(c, reach)
	of.Dir, of.Listener = dir, p.hears
	q := session.Question{Text: question, Tick: f.Tick, Again: f.Again}
	if !f.All {
		q.Agents = []string{f.Agent}
	}
	i, err = session.Ask(of, q, meter)
	if tick, ok := errors.AsType[*session.NoSuchTickError](err); ok && tick.Last == 0 {
		return nil, p, badInput("%s has no whole tick yet: no agent can be asked", shown(name))
	} else if ok {
		return nil, p, badInput("tick %d is not there: %s has %s; allowed: 1 to %d", tick.Tick, shown(name),
			plaintext.Count(tick.Last, "tick"), tick.Last)
	}
	if agent, ok := errors.AsType[*access.UnknownError](err); ok && agent.Key == "" {
		return nil, p, badInput("no agent %s in this run; %s", shown(agent.Name), offered(agent.Name, agent.Names))
	}
	if of, ok := errors.AsType[*session.UnreadableError](err); ok {
		return nil, p, badInput("%s cannot be read: %w", shown(name), of.Err)
	}
	if err != nil {
		return nil, p, p.refused(err)
	}
	p.Settings = i.Settings()
	p.takeModelOf(p.Settings)
	return i, p, nil
}

// askAll asks the agents and returns the answers in their order, those that were kept before among
// them. The error says why one is missing; one that asked no model is none if all are asked.
func askAll(ctx context.Context, m *Main, p plan, i *session.Interview, all bool) ([]ask.Record, error) {
	open := i.Open()
	if open == 0 {
		plaintext.Fprintf(m.Stderr, "note: answered before, at no cost; --again asks once more\n")
		records, _ := answersOf(m, i.Run(ctx), all)
		return records, nil
	}
	i.Attach(session.Hooks{Drain: ctx, Listener: p.hears})
	calls, done := m.drained(ctx, i.Access().Traffic, m.newProgressPrinter(false).Note)
	defer done()
	endpoints, err := i.Reach(calls)
	if err != nil {
		return nil, p.unopened(err)
	}
	defer i.Close()
	announce(m, m.Stderr, p.config, endpoints, fmt.Sprintf("%d to %d", open, i.CallsMost()), spending{config: p.config})
	return answersOf(m, i.Run(calls), all)
}

// answersOf are the answers that were given, and why there is none of others: the first reason, and
// whom else it is about.
func answersOf(m *Main, answers []session.Answer, all bool) (records []ask.Record, first error) {
	var others []string
	for _, a := range answers {
		if a.Record.AgentID != "" { // what cannot be kept was answered all the same
			records = append(records, a.Record)
		}
		err := answerFailure(a)
		if errors.Is(err, ask.ErrNoTurn) && all {
			plaintext.Fprintf(m.Stderr, "note: %s\n", err)
			continue
		}
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			others = append(others, a.Agent)
		}
	}
	if len(others) > 0 {
		return records, fmt.Errorf("%w; no answer either from %s", first, plaintext.Listed(others))
	}
	return records, first
}

// answerFailure is why an agent gave no usable answer, nil if it did.
func answerFailure(a session.Answer) error {
	if a.Err == nil && a.Record.Failure != "" {
		return failWith(exitProvider, fmt.Errorf("%s gave no usable answer: %s", shown(a.Agent), a.Record.Failure))
	}
	if of, ok := errors.AsType[*session.NotAskableError](a.Err); ok && of.Tick > 0 {
		return badInput("%s cannot be asked after tick %d: %w", shown(a.Agent), of.Tick, of.Err)
	} else if ok {
		return badInput("%s: %w", shown(a.Agent), of.Err)
	}
	if errors.Is(a.Err, session.ErrInterrupted) {
		return errInterruptedAsk
	}
	none, ok := errors.AsType[*session.NoAnswerError](a.Err)
	switch {
	case !ok:
		return a.Err
	case none.Failure.Kind != llmclient.ErrCap:
		return failWith(exitProvider, fmt.Errorf("%s did not answer: %s", shown(a.Agent), none.Failure.Text()))
	case none.Began:
		return failWith(exitBudget, fmt.Errorf("%s was not asked once more: %s", shown(a.Agent), none.Failure.Message))
	}
	return failWith(exitBudget, fmt.Errorf("%s was not asked: %s", shown(a.Agent), none.Failure.Message))
}

var errInterruptedAsk = failWith(exitInterrupted, errors.New("interrupted; what was answered before is kept"))

// showAsks shows the questions that are kept, of one agent or of one tick if a flag says so.
func showAsks(m *Main, runDir string, f askFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	records, err := ask.Kept(run.Dir(m.path(runDir)))
	if err != nil {
		return badInput("%w", err)
	}
	records = slices.DeleteFunc(records, func(r ask.Record) bool {
		return f.Agent != "" && r.AgentID != f.Agent || f.Tick != 0 && r.Tick != f.Tick
	})
	if len(records) == 0 && !f.JSON && f.CSV != stdoutName {
		return m.print("no such question is kept; to ask one: ask RUN QUESTION --agent A, or --all\n")
	}
	return showAsked(m, runDir, f, records)
}

// showAsked prints answers as text, as JSON or as a table, and writes the table.
func showAsked(m *Main, runDir string, f askFlags, records []ask.Record) error {
	if f.CSV != "" {
		err := m.writeFromTrace(runDir, f.CSV, func(w io.Writer) error { return answersTable(w, records) })
		if err != nil || f.CSV == stdoutName {
			return err
		}
	}
	if f.JSON {
		return m.printJSON(append([]ask.Record{}, records...))
	}
	var text strings.Builder
	for i, r := range records {
		if i > 0 {
			text.WriteString("\n")
		}
		answerText(&text, r)
	}
	return m.print(text.String())
}

// answerText writes a question with its answer, each line of which begins with a gutter.
func answerText(w io.Writer, r ask.Record) {
	decided := ""
	if r.TurnTick != r.Tick {
		decided = fmt.Sprintf(", decided last in tick %d", r.TurnTick)
	}
	plaintext.Fprintf(w, "%s after tick %d%s  (%s, %s)\n", r.AgentID, r.Tick, decided, r.Model, r.ModelSource)
	plaintext.Fprintf(w, "question\n%sanswer\n", plaintext.Block(r.Question))
	if r.Failure != "" {
		plaintext.Fprintf(w, "  none: %s\n", r.Failure)
	} else {
		plaintext.Fprintf(w, "%s", plaintext.Block(r.Text))
	}
	sources := none
	if len(r.Cited) > 0 {
		sources = citedText(r.Cited)
	}
	cost := ""
	if r.Currency != "" {
		cost = fmt.Sprintf(", %s %s", price.FromMicros(r.CostMicros), r.Currency)
	}
	plaintext.Fprintf(w, "sources  %s\ntook     %s%s\n", sources, tokensText(r.Usage), cost)
}

// citedText lists the sources that an answer names; those that the agent did not have in view are
// marked.
func citedText(cited []trace.Citation) string {
	var words []string
	for _, c := range cited {
		word := "[" + c.ID + "]"
		if c.Status != trace.CitedUsed {
			word += " (not in view)"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// answersTable writes the answers as CSV, a row each.
func answersTable(w io.Writer, records []ask.Record) error {
	out := csv.NewWriter(w)
	// Flush reports it
	_ = out.Write([]string{"tick", "agent", "turn_tick", "model", "question", "answer", "failure", "sources",
		"input_tokens", "output_tokens", "cost_micros"})
	for _, r := range records {
		_ = out.Write([]string{
			strconv.FormatInt(r.Tick, 10), plaintext.Cell(r.AgentID), strconv.FormatInt(r.TurnTick, 10),
			plaintext.Cell(r.Model), plaintext.Cell(r.Question), plaintext.Cell(r.Text),
			plaintext.Cell(string(r.Failure)), citedText(r.Cited), strconv.FormatInt(r.Usage.Input, 10),
			strconv.FormatInt(r.Usage.Output, 10), strconv.FormatInt(r.CostMicros, 10),
		})
	}
	out.Flush()
	return out.Error()
}
