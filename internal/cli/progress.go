package cli

import (
	"fmt"
	"sync"

	"example.com/agentworld/engine"
	"example.com/agentworld/plaintext"
)

// progressLines is how many lines a run's progress takes where it cannot update
// one line in place.
const progressLines = 20

// progressText is a run's progress as one line, such as
//
//	tick 12/30  decisions 60  continued 0  calls 263  rejected 1  errors 0  tokens 612000  cost 0.42 USD
//
// Tokens are shown once there are some, cost if the model has a price.
func progressText(p engine.Progress) string {
	if p.Resuming {
		return fmt.Sprintf("resuming: tick %d/%d derived again", p.Tick, p.Ticks)
	}
	text := fmt.Sprintf("tick %d/%d  decisions %d  continued %d  calls %d  rejected %d  errors %d",
		p.Tick, p.Ticks, p.Decisions, p.Continued, p.ModelCalls, p.Rejected, p.Errors)
	if tokens := p.InputTokens + p.OutTokens; tokens > 0 {
		text += fmt.Sprintf("  tokens %d", tokens)
	}
	if p.Currency != "" {
		text += fmt.Sprintf("  cost %s %s", p.Cost, p.Currency)
	}
	return text
}

// progressPrinter shows the progress of a run on stderr: one updating line on a
// terminal, else a bounded number of plain lines. It may be used by several
// goroutines.
type progressPrinter struct {
	w *screen
	// terminal says that w can update a line in place.
	terminal bool
	// quiet leaves out progress; notes are printed all the same.
	quiet bool

	mu sync.Mutex
	// shown is the last step of progressLines that had its line.
	shown int64
	// open says that the updating line awaits its end.
	open bool
}

// show prints p as far as it is worth it: on a terminal every tick, elsewhere
// each twentieth of the run. It is called from the goroutine that runs the ticks.
func (pp *progressPrinter) show(p engine.Progress) {
	if !pp.quiet && (pp.terminal || !p.Resuming) {
		pp.update(progressText(p), p.Tick, p.Ticks)
	}
}

// update shows a text that says how much is over. It may be called from several
// goroutines; one that comes late has no line.
func (pp *progressPrinter) update(text string, over, of int64) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	if pp.terminal {
		pp.w.redraw(text)
		pp.open = true
	} else if step := over * min(of, progressLines) / max(of, 1); step > pp.shown {
		pp.shown = step
		plaintext.Fprintf(pp.w, "%s\n", text)
	}
}

// noteCharsMax bounds a note: it may quote a provider.
const noteCharsMax = 400

// note prints something worth a line of its own, in place of the updating line,
// which returns below it. It is printed also when progress is not.
func (pp *progressPrinter) note(text string) {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	if pp.open {
		pp.w.redraw("")
		pp.open = false
	}
	plaintext.Fprintf(pp.w, "%s\n", plaintext.Clip(text, noteCharsMax))
}

// finish ends the updating line, so that what follows starts at the margin.
func (pp *progressPrinter) finish() {
	pp.mu.Lock()
	defer pp.mu.Unlock()
	if pp.open {
		plaintext.Fprintf(pp.w, "\n")
		pp.open = false
	}
}
