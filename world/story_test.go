package world

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestStories runs the scripts in testdata. A script is a list of blocks: lines
// of commands, a line of four dashes, the expected output, an empty line. Lines
// that start with # are comments.
//
//	world NAME [agents=N]     start an embedded scenario (seed 1)
//	with RESOURCE=N ...       what every agent of the next world starts with
//	set RULE VALUE            override a rule for the next world command
//	terms                     the worlds that follow enable requests and offers
//	tick                      one tick; the lines that follow in the block, of the
//	  agent-1 mine_compound compound_mass_g=5000
//	                          form agent, action, arguments, are its intents;
//	                          others wait or continue their orders. An order adds
//	                          "until EVENT[<=N] ... max=N". Ids after parents= in
//	                          front of the action are the intent's parents.
//	ticks N                   N ticks in which all agents wait or continue
//	check|clamp AGENT ACTION  a dry run, a clamp
//	look AGENT FIELD          a field of the observation as JSON
//	parents AGENT             those of the messages, notes and terms it sees
//	stock AGENT               what it holds
//	goals                     all goals
func TestStories(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { tellStory(t, path) })
	}
}

func tellStory(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	teller := &storyTeller{t: t, rules: DefaultRules()}
	var rewritten []string
	for _, block := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		commands, want, _ := strings.Cut(block, "\n----")
		got := teller.block(strings.Split(commands, "\n"))
		rewritten = append(rewritten, strings.TrimRight(commands+"\n----\n"+got, "\n"))
		if want = strings.TrimPrefix(want, "\n"); !*update && strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
			t.Errorf("%s\ngot:\n%s\nwant:\n%s", commands, got, want)
		}
	}
	if *update {
		if err := os.WriteFile(path, []byte(strings.Join(rewritten, "\n\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// storyTeller carries out the commands of one story.
type storyTeller struct {
	t     *testing.T
	w     *World
	rules Rules
	set   bool
	terms bool
	stock []Amount
	out   strings.Builder
}

func (s *storyTeller) block(lines []string) string {
	s.out.Reset()
	for i := 0; i < len(lines); i++ {
		words := strings.Fields(lines[i])
		if len(words) == 0 || words[0] == "#" {
			continue
		}
		var intents [][]string
		for words[0] == "tick" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			i++
			intents = append(intents, strings.Fields(lines[i]))
		}
		s.command(words, intents)
	}
	return s.out.String()
}

func (s *storyTeller) command(words []string, intents [][]string) {
	switch words[0] {
	case "world":
		s.start(words[1:])
	case "set":
		s.override(words[1], s.int(words[2]))
	case "terms":
		s.terms = true
	case "with":
		s.stock = nil
		for _, word := range words[1:] {
			name, n, _ := strings.Cut(word, "=")
			s.stock = append(s.stock, Amount{name, s.int(n)})
		}
	case "tick":
		s.tick(intents)
	case "ticks":
		for range s.int(words[1]) {
			s.tick(nil)
		}
	case "check":
		s.print(s.view(words[1]).Check(s.action(words[2:])))
	case "clamp":
		a, adjusted := s.view(words[1]).Clamp(s.action(words[2:]))
		fmt.Fprintf(&s.out, "%s ", EncodeAction(a))
		s.print(adjusted)
	case "tell": // by the operator; all for every agent
		to := words[1]
		if to == "all" {
			to = ""
		}
		if err := s.w.Tell(to, strings.Join(words[2:], " ")); err != nil {
			fmt.Fprintln(&s.out, err)
		}
	case "look":
		s.look(words[1], words[2])
	case "parents":
		o := s.view(words[1]).Observe()
		for _, m := range o.Inbox {
			fmt.Fprintln(&s.out, "message", m.ID, m.Parents)
		}
		for _, note := range o.Here.Notes {
			fmt.Fprintln(&s.out, "note", note.ID, note.Parents)
		}
		for _, t := range slices.Concat(o.Requests, o.Offers, o.Here.Offers, o.OwnRequests, o.OwnOffers) {
			fmt.Fprintln(&s.out, "terms", t.ID, t.Parents)
		}
	case "stock":
		n, _ := s.w.AgentNumber(words[1])
		fmt.Fprintln(&s.out, listAmounts(s.w.Stock(n)), "heat", s.w.heatOf(&s.w.agents[n]))
	case "goals":
		for _, g := range s.w.Goals() {
			fmt.Fprintf(&s.out, "%s %s: %d of %d, met at %d\n", g.AgentID, g.Goal.ID, g.Now, g.Goal.AtLeast, g.MetAt)
		}
	default:
		s.t.Fatalf("unknown command %v", words)
	}
}

func (s *storyTeller) start(words []string) {
	scenario := mustScenario(s.t, words[0])
	if len(words) > 1 {
		scenario = scenario.WithAgents(int(s.int(strings.TrimPrefix(words[1], "agents="))))
	}
	if s.set {
		scenario.Rules = s.rules
	}
	scenario.Terms = s.terms
	if s.stock != nil {
		scenario.Agents.Stock = [][]Amount{s.stock}
	}
	var err error
	if s.w, err = New(scenario, 1); err != nil {
		s.t.Fatal(err)
	}
}

func (s *storyTeller) override(name string, value int64) {
	s.set = true
	if err := json.Unmarshal(fmt.Appendf(nil, "{%q:%d}", name, value), &s.rules); err != nil {
		s.t.Fatal(err)
	}
}

func (s *storyTeller) tick(lines [][]string) {
	s.events(s.w.Advance())
	chosen, parents := map[int]Action{}, map[int][]string{}
	for _, line := range lines {
		n, ok := s.w.AgentNumber(line[0])
		if !ok {
			s.t.Fatalf("no agent %s", line[0])
		}
		if list, ok := strings.CutPrefix(line[1], "parents="); ok {
			parents[n], line = strings.Split(list, ","), line[1:]
		}
		chosen[n] = s.action(line[1:])
	}
	var intents []Intent
	for _, n := range s.w.Due() {
		if a, ok := chosen[n]; ok {
			intents = append(intents, Intent{Agent: n, Action: a, Parents: parents[n]})
		}
		delete(chosen, n)
	}
	for _, n := range s.w.Continuing() {
		order, _ := s.w.Standing(n)
		intents = append(intents, Intent{Agent: n, Action: order.Do})
	}
	for n := range chosen {
		fmt.Fprintf(&s.out, "%d %s is not due\n", s.w.Tick(), s.w.AgentID(n))
	}
	s.events(s.w.Apply(intents))
}

func (s *storyTeller) view(agent string) View {
	n, ok := s.w.AgentNumber(agent)
	if !ok {
		s.t.Fatalf("no agent %s", agent)
	}
	return s.w.View(n)
}

func (s *storyTeller) look(agent, field string) {
	raw, err := json.Marshal(s.view(agent).Observe())
	if err != nil {
		s.t.Fatal(err)
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		s.t.Fatal(err)
	}
	if fields[field] == nil {
		fields[field] = json.RawMessage("-")
	}
	fmt.Fprintf(&s.out, "%s\n", fields[field])
}

// action reads "name key=value ... [until EVENT[<=N|>=N] ... max=N [ignore=EVENT ...]]", or several
// of them with "then" between.
func (s *storyTeller) action(words []string) Action {
	if i := slices.Index(words, "then"); i > 0 {
		return Chain(append(Steps(s.action(words[:i])), Steps(s.action(words[i+1:]))...)...)
	}
	args := Args{}
	for i, word := range words[1:] {
		if word == "until" {
			return s.order(s.action(words[:i+1]), words[i+2:])
		}
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			args[key] = Value{Text: value}
			continue
		}
		args[key] = Value{Int: n}
	}
	a, err := MakeAction(words[0], args)
	if err != nil {
		s.t.Fatalf("%v: %v", words, err)
	}
	return a
}

func (s *storyTeller) order(do Action, words []string) Action {
	var conditions []Condition
	var ignore []string
	last := len(words) - 1
	for ; strings.HasPrefix(words[last], "ignore="); last-- {
		ignore = append(ignore, strings.TrimPrefix(words[last], "ignore="))
	}
	for _, word := range words[:last] {
		event, value, hasValue := strings.Cut(strings.ReplaceAll(word, ">=", "<="), "<=")
		c := Condition{Event: event}
		if hasValue {
			c.Value = number(s.int(value))
		}
		conditions = append(conditions, c)
	}
	order, err := NewExecuteUntil(do, conditions, s.int(strings.TrimPrefix(words[last], "max=")), ignore...)
	if err != nil {
		s.t.Fatal(err)
	}
	return order
}

func (s *storyTeller) int(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		s.t.Fatal(err)
	}
	return n
}

func (s *storyTeller) print(v any) {
	b, err := json.Marshal(v)
	if err != nil {
		s.t.Fatal(err)
	}
	fmt.Fprintf(&s.out, "%s\n", b)
}

func (s *storyTeller) events(events []Event) {
	for _, e := range events {
		fmt.Fprintf(&s.out, "%d %s %s", e.Tick, e.Agent, e.Kind)
		for _, word := range []string{e.Place, e.Subject, e.Detail} {
			if word != "" {
				fmt.Fprintf(&s.out, " %s", word)
			}
		}
		if e.Text != "" {
			fmt.Fprintf(&s.out, " %q", e.Text)
		}
		if e.Action != nil {
			fmt.Fprintf(&s.out, " %s", EncodeAction(e.Action))
		}
		if e.Trade != nil {
			fmt.Fprintf(&s.out, " %d at %d from %q to %q", e.Trade.Amount, e.Trade.Price, e.Trade.Seller, e.Trade.Buyer)
		}
		for _, p := range e.Postings {
			fmt.Fprintf(&s.out, " [%s>%s %d %s]", p.From, p.To, p.Amount, p.Resource)
		}
		if e.Rejection != nil {
			b, _ := json.Marshal(e.Rejection)
			fmt.Fprintf(&s.out, " %s", b)
		}
		fmt.Fprintln(&s.out)
	}
}

func listAmounts(list []Amount) string {
	var words []string
	for _, a := range list {
		words = append(words, fmt.Sprintf("%s=%d", a.Resource, a.Amount))
	}
	return strings.Join(words, " ")
}
