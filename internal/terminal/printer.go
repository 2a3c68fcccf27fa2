package terminal

import (
	"fmt"
	"os"
	"sync"

	"golang.org/x/term"

	"example.com/agentworld/engine"
	"example.com/agentworld/plaintext"
)

// progressLines is how many lines a run's progress takes where it cannot update
// one line in place.
const progressLines = 20

// ProgressText is a run's progress as one line, such as
//
//	tick 12/30  turns 60  continued 0  calls 263  rejected 1  errors 0  tokens 612000  cost 0.42 USD
//
// Tokens are shown once there are some, cost if the model has a price, what was asked ahead where that is on.
func ProgressText(p engine.Progress) string {
	text := fmt.Sprintf("tick %d/%d  turns %d  continued %d  calls %d  rejected %d  errors %d",
		p.Tick, p.Ticks, p.Decisions, p.Continued, p.ModelCalls, p.Rejected, p.Errors)
	if tokens := p.InputTokens + p.OutTokens; tokens > 0 {
		text += fmt.Sprintf("  tokens %d", tokens)
	}
	if p.Currency != "" {
		text += fmt.Sprintf("  cost %s %s", p.Cost, p.Currency)
	}
	if a := p.Ahead; a != nil {
		text += fmt.Sprintf("  ahead %d (%d used, %d in vain), %d.%d s saved", a.Asked, a.Used, a.Wasted, a.SavedMS/1000,
			a.SavedMS%1000/100)
	}
	return text
}

// columnsDefault is the width of a terminal that does not say how wide it is.
const columnsDefault = 80

// Columns is how wide a terminal is, 0 where it does not say.
func Columns(f *os.File) int {
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}

// Printer shows progress on stderr: one updating line on a terminal, else a
// bounded number of plain lines. It may be used by several goroutines.
type Printer struct {
	Screen *Screen
	// Terminal says that Screen can update a line in place. Columns is how wide it is now, 0 for
	// unknown; nil is the same.
	Terminal bool
	Columns  func() int
	// Quiet leaves out progress; notes are printed all the same.
	Quiet bool

	mu sync.Mutex
	// shown is the last step of progressLines that had its line.
	shown int64
}

// NewPrinter returns a printer for a screen, which is quiet if the screen shows no progress.
func NewPrinter(s *Screen, isTerminal bool, columns func() int, quiet bool) *Printer {
	return &Printer{Screen: s, Terminal: isTerminal, Columns: columns, Quiet: quiet || !s.filter.shows("info")}
}

// Update shows a text that says how much is over. It may be called from several
// goroutines; one that comes late has no line.
func (pp *Printer) Update(text string, over, of int64) {
	if pp.Terminal {
		pp.Draw(func(columns int) string { return plaintext.Fit(text, columns) })
		return
	}
	pp.mu.Lock()
	defer pp.mu.Unlock()
	if step := over * min(of, progressLines) / max(of, 1); step > pp.shown {
		pp.shown = step
		plaintext.Fprintf(pp.Screen, "%s\n", text)
	}
}

// Draw shows what text returns for a width as the updating line. The last column stays
// empty: some terminals begin a new line once it is filled.
func (pp *Printer) Draw(text func(columns int) string) {
	columns := 0
	if pp.Columns != nil {
		columns = pp.Columns()
	}
	if columns < 1 {
		columns = columnsDefault
	}
	pp.Screen.redraw(text(columns - 1))
}

// noteCharsMax bounds a note: it may quote a provider.
const noteCharsMax = 400

// Note prints something worth a line of its own, above the updating line. It is printed also
// when progress is not.
func (pp *Printer) Note(text string) {
	plaintext.Fprintf(pp.Screen, "%s\n", plaintext.Clip(text, noteCharsMax))
}

// Finish ends the updating line, so that what follows starts at the margin.
func (pp *Printer) Finish() { pp.Screen.EndLine() }
