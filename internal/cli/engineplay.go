package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/engine/budget"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/child"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/run"
	"example.com/agentworld/run/state"
	"example.com/agentworld/trace"
)

// The files of an attempt that an engine is given, beside the run directory.
const (
	engineConfig   = "engine.toml"
	engineScenario = "scenario.toml"
	enginePlaybook = "playbook.toml"
)

const (
	// engineGrace is how long an engine may take to end once its calls are to be broken off.
	engineGrace = 5 * time.Second
	// engineSilence is after how many leases an engine that was not heard of is ended.
	engineSilence = 10
	// engineLook is how often it is looked at.
	engineLook = 500 * time.Millisecond
	// engineLogMax bounds what of its words the log of an attempt takes, in bytes.
	engineLogMax = 1 << 20
)

// byEngine is how an engine plays the cells of a plan.
type byEngine struct {
	otherEngine
	// endpoint is where the model is, as the user wrote it, empty if the plan names none. key is what that may get.
	endpoint string
	key      openai.Secret
	// withheld are the variables with keys of agents whose endpoints may not get them.
	withheld []string
}

// engineOf says how an engine plays the cells of a plan, whose session still has its access.
func engineOf(e otherEngine, p plan) *byEngine {
	by := &byEngine{otherEngine: e}
	if !p.Live() {
		return by
	}
	endpoint, key := p.session.Access().Request("")
	by.key = key
	if p.Values.Find("llm.base_url").Text != "" {
		by.endpoint = endpoint
	}
	for _, agent := range p.Settings.AgentModels {
		if _, key := p.session.Access().Request(agent.Agent); key.Empty() && agent.KeyEnv != "" {
			by.withheld = append(by.withheld, agent.KeyEnv)
		}
	}
	return by
}

// playEngine has an engine play a cell, or continue it.
func playEngine(ctx context.Context, m *Main, a batch.Attempt, of cellPlan) (r batch.Result, err error) {
	if err := of.by.unchanged(); err != nil {
		return r, err
	}
	before, err := spentIn(a.Dir)
	if err != nil {
		return r, err
	}
	most := budget.AmountOf(a.Settings.Caps.Run)
	for u := range most {
		most[u] = max(0, most[u]-before[u])
	}
	settle, err := a.Reserve(ctx, most)
	if err != nil { // which ends the batch, or this cell
		return batch.Result{Status: trace.RunInterrupted}, nil
	}
	taken := most // unless it is known what was
	defer func() { settle(taken) }()
	args, err := of.arguments(m, a)
	if err != nil {
		return r, err
	}
	if a.Progress != nil {
		a.Progress(engine.Progress{Ticks: a.Settings.Ticks})
	}
	end, err := runEngine(ctx, m, a, of, args)
	if err != nil {
		taken = budget.Amount{}
		return r, fmt.Errorf("start engine %s: %w", of.by.name, err)
	}
	s, err := run.Dir(a.Dir).State()
	switch {
	case nothingIn(err): // it called nobody
		taken = budget.Amount{}
		return r, end.failure("without a run")
	case err != nil:
		return r, end.failure("and what it recorded cannot be read: " + errorText(err))
	case s.Header.Settings.Seed != a.Settings.Seed || s.Header.Settings.ScenarioTOML != a.Settings.ScenarioTOML:
		return r, end.failure("and played another world than it was asked for")
	case s.End == nil && (ctx.Err() != nil || a.Drain.Err() != nil):
		return batch.Result{Status: trace.RunInterrupted}, nil
	case s.End == nil:
		return r, end.failure("inside its run")
	}
	taken = amountOf(s)
	for u := range taken {
		taken[u] -= before[u]
	}
	return of.by.result(m, a)
}

// result is that of a run that the engine ended.
func (by *byEngine) result(m *Main, a batch.Attempt) (r batch.Result, err error) {
	folded, err := m.foldTrace(a.Dir)
	if err != nil {
		return r, err
	}
	head := trace.Chain(folded.Timing.TraceHead)
	if folded.Advanced == nil { // under other rules the engine alone can play the world on
		folded.Advanced = advancedByEngine(a.Dir, head)
	}
	r = batch.ResultOf(a.Cell, a.Number, folded, head)
	r.Versions.Program = by.hash
	return r, nil
}

// advancedByEngine is how the engine itself says that a run would have ended, nil if it does not say it of this trace.
func advancedByEngine(dir string, head trace.Chain) *report.Advanced {
	var told struct {
		Advanced *report.Advanced `json:"advanced"`
	}
	text, of, err := run.Dir(dir).Report()
	if err != nil || of != head || json.Unmarshal(text, &told) != nil {
		return nil
	}
	return told.Advanced
}

// amountOf is what the calls of a run took.
func amountOf(s *state.State) budget.Amount {
	spent := s.SpentByNow()
	return budget.Amount{spent.Calls, spent.Tokens, int64(spent.Cost)}
}

// nothingIn says that a run directory, by the error of reading it, is not there or holds no record.
func nothingIn(err error) bool {
	return errors.Is(err, run.ErrNoRun) || errors.Is(err, run.ErrNothingRecorded)
}

// spentIn is what the calls of the run in a directory took, nothing without one.
func spentIn(dir string) (budget.Amount, error) {
	s, err := run.Dir(dir).State()
	if nothingIn(err) {
		return budget.Amount{}, nil
	}
	if err != nil {
		return budget.Amount{}, err
	}
	return amountOf(s), nil
}

// engineEnd is how an engine ended: how is such as "with signal: killed", words the last line that it said.
type engineEnd struct{ name, how, words string }

// failure is the error of a run that did not end well.
func (e engineEnd) failure(what string) error {
	text := fmt.Sprintf("engine %s %s %s", e.name, e.how, what)
	if e.words != "" {
		text += "; it said: " + e.words
	}
	return errors.New(text)
}

// runEngine runs an engine until it ends. The error says that it was not started.
func runEngine(ctx context.Context, m *Main, a batch.Attempt, of cellPlan, args []string) (engineEnd, error) {
	last := &child.LastWords{}
	log := &lineLog{to: a.Log, left: engineLogMax}
	end := engineEnd{name: of.by.name, how: "ended"}
	c := exec.Command(of.by.path, args...)
	c.Dir = m.path(".")
	c.Env = engineEnvironment(m, of.by)
	c.Stderr = io.MultiWriter(last, log)
	c.WaitDelay = engineGrace // so that what holds its output open holds up nobody
	ended, err := child.Start(c)
	if err != nil {
		return end, err
	}
	silent := m.lease() * engineSilence
	heard, sign := time.Now(), signOfLife(a.Dir)
	look := time.NewTicker(engineLook)
	defer look.Stop()
	drained, broken := a.Drain.Done(), ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case err := <-ended:
			if exit, ok := errors.AsType[*exec.ExitError](err); ok {
				end.how += " with " + exit.Error()
			}
			log.flush()
			end.words = last.Line()
			return end, nil
		case <-drained:
			drained = nil
			child.Ask(c)
		case <-broken:
			broken = nil
			child.Ask(c)
			late = time.After(engineGrace)
		case <-late:
			late = nil
			child.Kill(c)
		case <-look.C:
			_ = a.Holds() // which breaks the run off
			if now := signOfLife(a.Dir); now != sign {
				heard, sign = time.Now(), now
			} else if time.Since(heard) > silent {
				end.how = fmt.Sprintf("was not heard of for %v and was ended,", silent)
				heard = time.Now()
				child.Kill(c)
			}
		}
	}
}

// signOfLife is another text whenever the process that plays a run was heard of: it writes records, and its claim.
func signOfLife(dir string) string {
	var b strings.Builder
	for _, name := range []string{run.TraceFile, run.ClaimFile} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil {
			b.WriteString(fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano(), " "))
		}
	}
	return b.String()
}

// arguments are the command line for an attempt: all that the batch file and the configuration file set. What neither
// says has the default of the engine, which belongs to it. Files that it needs are written beside the run directory.
func (of cellPlan) arguments(m *Main, a batch.Attempt) (args []string, err error) {
	at := func(name string) string { return filepath.Join(filepath.Dir(a.Dir), name) }
	files := map[string]string{engineConfig: "# The settings of this run are in the command line.\n"}
	if a.Resume {
		resumes := resumeSettings(m)
		args = append([]string{"resume", a.Dir}, of.fromFiles(func(s settings.Setting) bool {
			_, taken := resumes.ByKey(s.Key)
			return taken && !s.Shapes
		})...)
	} else {
		files[engineScenario] = a.Settings.ScenarioTOML
		args = append([]string{at(engineScenario), "--run-dir=" + a.Dir}, of.flags(a.Settings)...)
		if a.Settings.Playbook != "" { // a copy, since no run of a batch teaches another
			files[enginePlaybook] = a.Settings.Playbook
			args = append(args, "--playbook="+at(enginePlaybook))
		}
	}
	for name, text := range files {
		if err := atomicfile.Write(at(name), []byte(text)); err != nil {
			return nil, fmt.Errorf("write what engine %s is given: %w", of.by.name, err)
		}
	}
	if len(a.Settings.Tools) > 0 {
		for _, server := range m.servers.named {
			args = append(args, "--tools-mcp="+server)
		}
	}
	return append(args, "--config="+at(engineConfig), "--quiet"), nil
}

// ofAttempt are the settings that an attempt says, not a file.
var ofAttempt = append(slices.Clone(cellSettings), "run.ticks", "run.playbook", "llm.base_url", "llm.scripted_seed",
	"llm.fault_seed", "llm.max_output_tokens")

// flags are the settings of a run as an engine takes them.
func (of cellPlan) flags(s trace.Settings) []string {
	args := []string{"--ticks=" + strconv.FormatInt(s.Ticks, 10), "--seed=" + strconv.FormatUint(s.Seed, 10),
		"--scripted-seed=" + strconv.FormatUint(s.ScriptedSeed, 10)}
	if s.Faults != "" {
		args = append(args, "--fault-seed="+strconv.FormatUint(s.FaultSeed, 10))
	}
	if s.MaxOutputTokens > 0 { // a budget sets it, too
		args = append(args, "--max-output-tokens="+strconv.Itoa(s.MaxOutputTokens))
	}
	return append(args, of.fromFiles(func(settings.Setting) bool { return true })...)
}

// fromFiles are the settings that the batch file or the configuration file says, of those that are wanted.
func (of cellPlan) fromFiles(wanted func(settings.Setting) bool) (args []string) {
	for _, v := range of.Values {
		said := v.Origin.Rank == settings.FromFile && v.Setting.Flag != "" && !slices.Contains(ofAttempt, v.Setting.Key)
		if !said || !wanted(v.Setting) {
			continue
		}
		text := v.Text
		if text == "" {
			text = settings.None
		}
		args = append(args, "--"+v.Setting.Flag+"="+text)
	}
	return args
}

// engineEnvironment is that of this process, but for keys and endpoint: these are the ones that the cell may have.
func engineEnvironment(m *Main, by *byEngine) (all []string) {
	key, _ := settingTable().ByKey("llm.api_key")
	endpoint, _ := settingTable().ByKey("llm.base_url")
	dropped := slices.Concat(key.Env, endpoint.Env, by.withheld)
	if m.Environ != nil {
		for _, one := range m.Environ() {
			if name, _, _ := strings.Cut(one, "="); !slices.Contains(dropped, name) {
				all = append(all, one)
			}
		}
	}
	if !by.key.Empty() {
		all = append(all, key.Env[0]+"="+by.key.Reveal())
	}
	if by.endpoint != "" {
		all = append(all, endpoint.Env[0]+"="+by.endpoint)
	}
	return all
}

// lineLog writes lines of others into a log, as far as there is room.
type lineLog struct {
	to   io.Writer
	left int
	line []byte
}

// Write implements [io.Writer]. What cannot be written is left out: the run does not depend on it.
func (l *lineLog) Write(p []byte) (int, error) {
	for part := range strings.Lines(string(p)) {
		l.line = append(l.line, part[:min(len(part), max(0, l.left-len(l.line)))]...)
		if strings.HasSuffix(part, "\n") {
			l.flush()
		}
	}
	return len(p), nil
}

// flush writes the line that is open.
func (l *lineLog) flush() {
	if len(l.line) > 0 {
		plaintext.Fprintf(l.to, "%s\n", strings.TrimRight(string(l.line), "\r\n"))
	}
	l.left -= len(l.line)
	l.line = nil
}
