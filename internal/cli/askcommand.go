package cli

import (
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"example.com/agentworld/behavior/interview"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/ask"
	"example.com/agentworld/explain"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/llmclient/stub"
	"example.com/agentworld/llmclient/tokens"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
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

// askFlags are the flags of the command that are not settings.
type askFlags struct {
	agent string
	all   bool
	// tick is the last one that the agent knows of, 0 for the last whole one.
	tick int64
	// again asks what was answered before.
	again bool
	// csv is a file for a table of the answers, - for stdout.
	csv  string
	json bool
}

// askCommand puts questions to agents of a run.
func (m *Main) askCommand() *cobra.Command {
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
				return m.showAsks(args[0], f)
			}
			config, err := m.configure(c.Flags())
			if err != nil {
				return err
			}
			return m.ask(c.Context(), args[0], question, config, f)
		},
	}
	c.Flags().SortFlags = false
	c.Flags().StringVar(&f.agent, "agent", "", "id of the agent")
	c.Flags().BoolVar(&f.all, "all", false, "ask every agent")
	c.Flags().Int64Var(&f.tick, "tick", 0, "last tick that the agent knows of (default the last whole one)")
	c.Flags().BoolVar(&f.again, "again", false, "ask also what was answered before")
	c.Flags().StringVar(&f.csv, "csv", "", "also write the answers as a table to this file, - for stdout alone")
	c.Flags().BoolVar(&f.json, "json", false, "print the answers as one JSON list")
	borrowSettings(c.Flags(), askSettings)
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
	case f.tick < 0:
		return badInput("--tick %d is out of range; allowed: a tick from 1", f.tick)
	case asked && (f.agent == "") == !f.all:
		return badInput("ask needs --agent with an id, or --all, and not both")
	case f.json && f.csv == "-":
		return badInput("--json and --csv - both print to stdout; allowed: one of them")
	}
	return nil
}

// asking is a question on its way to one or more agents.
type asking struct {
	dir      run.Source
	index    *state.Index
	question string
	flags    askFlags
	// agents are asked, in this order.
	agents  []string
	options ask.Options
	kept    []ask.Record
}

// ask puts the question, shows the answers and keeps them.
func (m *Main) ask(ctx context.Context, runDir, question string, c config, f askFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	a, p, err := m.prepareAsk(m.source(runDir), runDir, question, c, f)
	if err != nil {
		return err
	}
	table, err := m.output("the table ", strings.TrimPrefix(f.csv, "-"), m.keptTrace(runDir), m.keptAsks(runDir))
	if err != nil {
		return err
	}
	defer table.made.discard() // as far as nothing was written
	records, failed := m.askAll(ctx, p, a)
	if err := m.showAsked(runDir, f, records); err != nil {
		return err
	}
	return failed
}

// prepareAsk finds out who is asked, and who answers. name is what errors call the run.
func (m *Main) prepareAsk(dir run.Source, name, question string, c config, f askFlags) (*asking, plan, error) {
	fail := func(err error) (*asking, plan, error) { return nil, plan{}, err }
	a := &asking{dir: dir, question: question, flags: f}
	header, err := a.dir.Header()
	if err != nil {
		return fail(badInput("%s cannot be read: %w", shown(name), err))
	}
	x, now, err := a.dir.Index(false)
	if err != nil {
		return fail(badInput("%s cannot be read: %w", shown(name), err))
	}
	a.index = x
	if now.Tick == 0 {
		return fail(badInput("%s has no whole tick yet: no agent can be asked", shown(name)))
	}
	if f.tick > now.Tick {
		return fail(badInput("tick %d is not there: %s has %s; allowed: 1 to %d", f.tick, shown(name),
			plaintext.Count(now.Tick, "tick"), now.Tick))
	}
	if a.flags.tick == 0 {
		a.flags.tick = now.Tick
	}
	a.agents = explain.AgentIDs(header)
	if !f.all {
		if err := explain.CheckAgent(header, f.agent); err != nil {
			return fail(m.unread(name, err))
		}
		a.agents = []string{f.agent}
	}
	a.kept, err = ask.Kept(a.dir.Dir)
	if err == nil {
		err = a.dir.ProbeAsks()
	}
	if err != nil {
		return fail(badInput("%w", err))
	}
	p, err := m.planAsk(header, c, a)
	return a, p, err
}

// planAsk decides who answers: the models of the run as it was then, or the one that a flag names
// for all agents.
func (m *Main) planAsk(h trace.Header, c config, a *asking) (p plan, err error) {
	own, s := c.Values, h.SettingsAt(a.flags.tick-1)
	c.Values = slices.Clone(own)
	c.ScriptedSeed, c.ContextWindowTokens = s.ScriptedSeed, s.ContextWindowTokens
	c.trusts = m.trusted(own)
	if c.takeModel(s, lastEndpoint(a.dir)) {
		m.withholdKey(&c, own)
	}
	if err := c.chooseModel(); err != nil {
		return p, err
	}
	c.AgentModels = nil
	if c.Values.Find("llm.model").Origin.Rank != settings.FromFlag && c.Live() == s.Live() {
		c.AgentModels = s.AgentModels
	}
	p = plan{config: c, endpoints: newEndpoints(c)}
	p.own, err = m.chooseAgents(c, "the run", explain.AgentIDs(h))
	if err != nil {
		return p, err
	}
	p.Prices, err = m.choosePrices(c)
	if err != nil {
		return p, err
	}
	a.options.ModelSource = c.ModelSource
	a.options.Prices = p.Prices
	a.options.Currency = p.Currency()
	a.options.CountTokens = tokens.Count
	a.options.Meter = engine.NewMeter(p.Settings)
	a.options.Now = m.Now
	return p, nil
}

// askAll asks the agents, several at once where no cap has to be kept, and returns the answers in
// their order. The error says why one is missing.
func (m *Main) askAll(ctx context.Context, p plan, a *asking) ([]ask.Record, error) {
	records := make([]ask.Record, len(a.agents))
	var open []int
	for i, id := range a.agents {
		if at := slices.IndexFunc(a.kept, func(r ask.Record) bool { return a.answers(r, id, p) }); at >= 0 && !a.flags.again {
			records[i] = a.kept[at]
		} else {
			open = append(open, i)
		}
	}
	if len(open) == 0 {
		plaintext.Fprintf(m.Stderr, "note: answered before, at no cost; --again asks once more\n")
		return records, nil
	}
	p.endpoints.drain = ctx
	source, stop, err := m.openModel(ctx, p, stub.Options{Seed: p.ScriptedSeed},
		fmt.Sprintf("%d to %d", len(open), len(open)*interview.CallsMax))
	if err != nil {
		return nil, err
	}
	defer stop()
	calls, done := m.drained(ctx, p.endpoints.traffic, m.newProgressPrinter(false).Note)
	defer done()
	a.options.Source = source
	errs := make([]error, len(a.agents))
	var group errgroup.Group
	if group.SetLimit(int(p.Concurrency)); p.Caps != (trace.Caps{}) {
		group.SetLimit(1)
	}
	for _, i := range open {
		group.Go(func() error {
			records[i], errs[i] = a.one(calls, ctx, a.agents[i], p)
			return nil
		})
	}
	_ = group.Wait() // each has its error
	for i, err := range errs {
		if a.flags.all && errors.Is(err, ask.ErrNoTurn) {
			plaintext.Fprintf(m.Stderr, "note: %s\n", err)
			errs[i] = nil
		}
	}
	// What cannot be kept was answered all the same.
	answered := slices.DeleteFunc(slices.Clone(records), func(r ask.Record) bool { return r.AgentID == "" })
	return answered, a.failure(errs, records)
}

// answers reports whether a kept record answers the question for an agent.
func (a *asking) answers(r ask.Record, id string, p plan) bool {
	o := a.optionsOf(id, p)
	return r.AgentID == id && r.Tick == a.flags.tick && r.Question == a.question && r.Text != "" &&
		r.ModelSource == o.ModelSource && r.Model == o.Model && r.BaseURL == o.BaseURL
}

// optionsOf are those for one agent, which may have a model and an endpoint of its own.
func (a *asking) optionsOf(id string, p plan) ask.Options {
	o := a.options
	o.Model, o.BaseURL = p.Model, p.BaseURL
	for _, own := range p.own {
		if own.Agent == id {
			o.Model, o.BaseURL = cmp.Or(own.Model, o.Model), own.url.String()
		}
	}
	return o
}

// one asks an agent, unless no question may begin any more, and keeps the answer.
func (a *asking) one(calls, drain context.Context, id string, p plan) (ask.Record, error) {
	if drain.Err() != nil {
		return ask.Record{}, errInterruptedAsk
	}
	agent, err := ask.Agent(a.dir, a.index, a.flags.tick, id)
	if err != nil {
		return ask.Record{}, badInput("%s cannot be asked after tick %d: %w", shown(id), a.flags.tick, err)
	}
	r, err := ask.Ask(calls, agent, a.question, a.optionsOf(id, p))
	if err != nil {
		return ask.Record{}, badInput("%s: %w", shown(id), err)
	}
	f := r.LastFailure()
	if f != nil && len(r.Exchanges) == 1 { // nothing was said that could be kept
		r = ask.Record{}
	} else if err := ask.Keep(a.dir.Dir, r); err != nil {
		return r, err
	}
	switch {
	case f == nil:
		return r, nil
	case calls.Err() != nil, drain.Err() != nil:
		return r, errInterruptedAsk
	case f.Kind == llmclient.ErrCap && r.AgentID == "":
		return r, failWith(exitBudget, fmt.Errorf("%s was not asked: %s", shown(id), f.Message))
	case f.Kind == llmclient.ErrCap:
		return r, failWith(exitBudget, fmt.Errorf("%s was not asked once more: %s", shown(id), f.Message))
	}
	return r, failWith(exitProvider, fmt.Errorf("%s did not answer: %s", shown(id), f.Text()))
}

var errInterruptedAsk = failWith(exitInterrupted, errors.New("interrupted; what was answered before is kept"))

// failure is why agents gave no usable answer: the first reason, and whom else it is about.
func (a *asking) failure(errs []error, records []ask.Record) error {
	var first error
	var others []string
	for i, id := range a.agents {
		err := errs[i]
		if err == nil && records[i].Failure != "" {
			err = failWith(exitProvider, fmt.Errorf("%s gave no usable answer: %s", shown(id), records[i].Failure))
		}
		switch {
		case err == nil:
		case first == nil:
			first = err
		default:
			others = append(others, id)
		}
	}
	if len(others) > 0 {
		return fmt.Errorf("%w; no answer either from %s", first, plaintext.Listed(others))
	}
	return first
}

// showAsks shows the questions that are kept, of one agent or of one tick if a flag says so.
func (m *Main) showAsks(runDir string, f askFlags) error {
	if err := m.checkRun(runDir); err != nil {
		return err
	}
	records, err := ask.Kept(run.Dir(m.path(runDir)))
	if err != nil {
		return badInput("%w", err)
	}
	records = slices.DeleteFunc(records, func(r ask.Record) bool {
		return f.agent != "" && r.AgentID != f.agent || f.tick != 0 && r.Tick != f.tick
	})
	if len(records) == 0 && !f.json && f.csv != "-" {
		_, err := io.WriteString(m.Stdout, "no such question is kept; to ask one: ask RUN QUESTION --agent A, or --all\n")
		return err
	}
	return m.showAsked(runDir, f, records)
}

// showAsked prints answers as text, as JSON or as a table, and writes the table.
func (m *Main) showAsked(runDir string, f askFlags, records []ask.Record) error {
	switch f.csv {
	case "":
	case "-":
		return answersTable(m.Stdout, records)
	default:
		if err := m.writeFromTrace(runDir, f.csv,
			func(file *os.File) error { return answersTable(file, records) }); err != nil {
			return err
		}
	}
	if f.json {
		return m.printJSON(append([]ask.Record{}, records...))
	}
	var text strings.Builder
	for i, r := range records {
		if i > 0 {
			text.WriteString("\n")
		}
		answerText(&text, r)
	}
	_, err := io.WriteString(m.Stdout, text.String())
	return err
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
