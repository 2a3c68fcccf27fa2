package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"example.com/agentworld/engine/guardeval/search"
	"example.com/agentworld/internal/atomicfile"
	"example.com/agentworld/internal/document"
	"example.com/agentworld/plaintext"
)

// searchLimits bound the result of an earlier search.
var searchLimits = document.Limits{Bytes: 16 << 20, Values: 1_000_000}

// searchGuard plays trials of the adaptive search. Harm is exit code 6.
//
//	world_llm_agent_demo guard-eval --search 1000 --seed 7 --json .tmp/search.json
//	world_llm_agent_demo guard-eval --search 100000 --continue .tmp/search.json --json .tmp/search.json
func (m *Main) searchGuard(ctx context.Context, e guardEvaluation, given func(flag string) bool) error {
	s := &search.Search{Seed: e.seed, Finds: []search.Find{}, Pool: []search.Near{}}
	if e.trials < 1 {
		return badInput("--search %d: allowed are 1 trial and more", e.trials)
	}
	if err := e.checkJobs(); err != nil {
		return err
	}
	if given(flagContinue) {
		data, err := readBounded(m.path(e.resume), searchLimits.Bytes)
		if err == nil {
			err = document.CheckJSON(data, searchLimits)
		}
		if err != nil {
			return badInput("--continue %s: %w", shown(e.resume), cause(err))
		}
		if !readSearch(data, s) {
			return badInput("--continue %s: this is no result of a search; allowed: a file that --json wrote", shown(e.resume))
		}
		if given("seed") && s.Seed != e.seed {
			return badInput("--continue %s: that search has the seed %d", shown(e.resume), s.Seed)
		}
	}
	out, err := m.output("the result ", e.json)
	if err != nil {
		return err
	}
	// Trials leave much garbage and hold little.
	defer debug.SetGCPercent(debug.SetGCPercent(400))
	progress := m.newProgressPrinter(false)
	err = s.Run(ctx, search.Options{Trials: e.trials, Jobs: e.jobs, Progress: func(done int) {
		progress.Update(fmt.Sprintf("trials %d/%d, %d harmful", done, e.trials, s.Harmful), int64(done), int64(e.trials))
	}})
	progress.Finish()
	if err != nil && ctx.Err() == nil {
		return err
	}
	if ctx.Err() == nil {
		if err := s.Shrink(); err != nil {
			return err
		}
	}
	if out.path != "" {
		data, err := indentedJSON(s)
		if err != nil {
			return err
		}
		if err := atomicfile.Write(out.path, data); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		next := "without --json there is no result to go on from"
		if out.path != "" {
			next = "--continue goes on"
		}
		return failWith(exitInterrupted,
			fmt.Errorf("guard search interrupted after %s; %s", plaintext.Count(s.Next, "trial"), next))
	}
	plaintext.Fprintf(m.Stdout, "%s of seed %d: %d did harm\n", plaintext.Count(s.Next, "trial"), s.Seed, s.Harmful)
	for _, f := range s.Finds {
		plaintext.Fprintf(m.Stdout, "trial %d: %s: %s\n  play it again: guard-eval --trial %s\n", f.Trial, f.Harm.Kind,
			f.Harm.Detail, f.Tape)
	}
	nearest := ""
	for _, n := range s.Pool {
		if n.Kind != nearest {
			nearest = n.Kind
			plaintext.Fprintf(m.Stdout, "nearest to %s: %.0f%% of what is allowed\n", n.Kind, 100*n.Share)
		}
	}
	if s.Harmful > 0 {
		return failWith(exitGate, fmt.Errorf("gate missed: %d of %s did harm", s.Harmful, plaintext.Count(s.Next, "trial")))
	}
	return nil
}

// readSearch reads the result of a search; false if it is something else.
func readSearch(data []byte, s *search.Search) bool {
	s.Next = -1 // a file without its number is no search
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	return d.Decode(s) == nil && s.Next >= 0 && s.Harmful >= 0
}

// playTrial plays one trial and prints what it does.
//
//	world_llm_agent_demo guard-eval --trial 70=7,78=157
func (m *Main) playTrial(text string) error {
	tape, err := search.ParseTape(text)
	if err != nil {
		return badInput("--trial: %w", err)
	}
	harms, lines, err := search.Tell(tape)
	if err != nil {
		return err
	}
	for _, line := range lines {
		plaintext.Fprintf(m.Stdout, "%s\n", line)
	}
	for _, h := range harms {
		plaintext.Fprintf(m.Stdout, "harm: %s: %s\n", h.Kind, h.Detail)
	}
	if len(harms) > 0 {
		return failWith(exitGate, fmt.Errorf("the trial does harm"))
	}
	return nil
}
