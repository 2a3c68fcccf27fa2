package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/agentworld/run"
)

// cancelAt passes on what is written and calls cancel when a text comes by.
type cancelAt struct {
	bytes.Buffer
	text   string
	cancel context.CancelFunc
}

// Write implements io.Writer.
func (c *cancelAt) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(c.text)) {
		c.cancel()
	}
	return c.Buffer.Write(p)
}

// TestInterruptedWhileDeriving stops a resume before it derives the first recorded tick
// and in the middle of them.
func TestInterruptedWhileDeriving(t *testing.T) {
	p := newProcess(t, nil, "minimal", "--ticks", "60", "--run-dir", "run", "--quiet")
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, p.output())
	}
	kept := func() string {
		var all []byte
		for _, name := range []string{run.TraceFile, run.ReportFile} {
			b, err := os.ReadFile(filepath.Join(p.dir, "run", name))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, b...)
		}
		return string(all)
	}
	before := kept()
	for _, text := range []string{"resume: run", "tick 12/"} {
		again := newProcess(t, nil, "resume", "run", "--until-tick", "80", "--report-json", "new/report.json")
		ctx, cancel := context.WithCancel(t.Context())
		errs := &cancelAt{text: text, cancel: cancel}
		again.Stderr, again.Getwd, again.Terminal = errs, p.Getwd, true
		now := time.Now()
		again.Now = func() time.Time { now = now.Add(time.Second); return now } // every tick is drawn
		code := again.Run(ctx)
		cancel()
		if code != exitInterrupted || !strings.Contains(errs.String(), "interrupted while the 60 recorded ticks of \"run\" were derived again, after ") {
			t.Errorf("at %q: exit code %d\n%s", text, code, errs.String())
		}
		if again.stdout.Len() > 0 {
			t.Errorf("at %q: a summary of a run that did not go on:\n%s", text, again.stdout.String())
		}
		if kept() != before {
			t.Errorf("at %q: trace or report changed", text)
		}
		if _, err := os.Stat(filepath.Join(p.dir, "new")); err == nil {
			t.Errorf("at %q: the directory of a report that was not written is left", text)
		}
		// As it is advised, it starts over.
		advised := nextArguments(t, errs.String(), "starts over")
		until := slices.Index(advised, "80")
		if until < 0 {
			t.Fatalf("advised is %q, without the last tick", advised)
		}
		advised[until] = "60"
		next := newProcess(t, nil, advised...)
		if next.Getwd = p.Getwd; next.run(t) != exitCompleted {
			t.Errorf("%q: %s", next.Args, next.output())
		}
		if err := os.RemoveAll(filepath.Join(p.dir, "new")); err != nil {
			t.Fatal(err)
		}
		before = kept()
	}
}
