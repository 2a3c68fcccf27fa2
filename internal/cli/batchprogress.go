package cli

import (
	"fmt"
	"strings"
	"time"

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/terminal"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
)

// batchPrinter shows how far a batch is: one updating line on a terminal, and a line for each cell
// that ends elsewhere.
type batchPrinter struct {
	*terminal.Printer
	cells []batch.Cell
	began time.Time
	now   func() time.Time
	drawn time.Time
	first int
	seen  bool
	// part says that other processes play a part of the cells: when they are done is not known here.
	part bool
	// names are the arms in the order of cells, and arms the numbers of their cells; nil before the first look.
	names []string
	arms  map[string]int
}

// show prints p as far as it is worth it. It is called one call at a time.
func (bp *batchPrinter) show(p batch.Progress) {
	if bp.Quiet {
		return
	}
	if !bp.seen {
		bp.first, bp.seen = len(p.Results), true
	}
	if p.Ended != nil && !bp.Terminal {
		bp.Note(fmt.Sprintf("cell %s %s: %s%s", p.Ended.Cell.ID, p.Ended.Name(), p.Ended.Status, scoreText(*p.Ended)))
		bp.Note(bp.text(p))
		return
	}
	if now := bp.now(); bp.Terminal && (p.Ended != nil || now.Sub(bp.drawn) >= time.Second/4) {
		bp.drawn = now
		bp.Update(bp.text(p), int64(len(p.Results)), int64(len(bp.cells)))
	}
}

// scoreText is the score of a cell, if it has one.
func scoreText(r batch.Result) string {
	if v, ok := r.Metrics.Get("score"); ok {
		return fmt.Sprintf(", score %g", v)
	}
	if r.Reason != "" {
		return ", " + r.Reason
	}
	return ""
}

// text is the progress as one line. A cell that failed and is played again is not done, and its calls
// count once.
func (bp *batchPrinter) text(p batch.Progress) string {
	done, failed := len(p.Results), p.Failed
	calls, tokens := p.Calls, p.Tokens
	again := map[string]int{} // cells of each arm
	for id, now := range p.Playing {
		nowTokens := now.InputTokens + now.OutTokens
		if r, failedBefore := p.Of(id); failedBefore {
			done--
			again[r.Arm()]++
			if !r.Scored() {
				failed--
			}
			now.ModelCalls = max(0, now.ModelCalls-r.Calls)
			nowTokens = max(0, nowTokens-r.Tokens)
		}
		calls += now.ModelCalls
		tokens += nowTokens
	}
	text := fmt.Sprintf("cells %d/%d  failed %d  playing %d  calls %d  tokens %d", done, len(bp.cells), failed,
		len(p.Playing), calls, tokens)
	if p.Currency != "" {
		text += fmt.Sprintf("  cost %s %s", price.FromMicros(p.CostMicros), p.Currency)
	}
	if played := done - bp.first; played > 0 && done < len(bp.cells) && !bp.part {
		left := bp.now().Sub(bp.began) / time.Duration(played) * time.Duration(len(bp.cells)-done)
		text += "  left about " + left.Round(time.Second).String()
	}
	return text + bp.armsText(p.Arms, again)
}

// armsText is how many cells of each arm are done, but for those that are played again; empty for a single arm.
func (bp *batchPrinter) armsText(done, again map[string]int) string {
	if bp.arms == nil {
		bp.arms = map[string]int{}
		for _, c := range bp.cells {
			arm := c.Arm()
			bp.arms[arm]++
			if bp.arms[arm] == 1 {
				bp.names = append(bp.names, arm)
			}
		}
	}
	if len(bp.names) < 2 {
		return ""
	}
	var parts []string
	for _, name := range bp.names[:min(len(bp.names), armsShown)] {
		parts = append(parts, fmt.Sprintf("%s %d/%d", name, done[name]-again[name], bp.arms[name]))
	}
	if more := len(bp.names) - len(parts); more > 0 {
		parts = append(parts, plaintext.Count(more, "arm")+" more")
	}
	return "  " + strings.Join(parts, ", ")
}
