package cli

import (
	"fmt"
	"maps"
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
	done := 0
	failed := 0
	calls := int64(0)
	tokens := int64(0)
	cost := int64(0)
	currency := ""
	arms := map[string]int{}
	playing := maps.Clone(p.Playing)
	for _, r := range p.Results {
		if again, on := playing[r.ID]; on {
			again.ModelCalls = max(0, again.ModelCalls-r.Calls)
			again.InputTokens, again.OutTokens = max(0, again.InputTokens+again.OutTokens-r.Tokens), 0
			playing[r.ID] = again
		} else {
			done++
			arms[r.Arm()]++
			if !r.Scored() {
				failed++
			}
		}
		calls += r.Calls
		tokens += r.Tokens
		cost += r.CostMicros
		if r.Currency != "" {
			currency = r.Currency
		}
	}
	for _, one := range playing {
		calls, tokens = calls+one.ModelCalls, tokens+one.InputTokens+one.OutTokens
	}
	text := fmt.Sprintf("cells %d/%d  failed %d  playing %d  calls %d  tokens %d", done, len(bp.cells), failed,
		len(playing), calls, tokens)
	if currency != "" {
		text += fmt.Sprintf("  cost %s %s", price.FromMicros(cost), currency)
	}
	if played := done - bp.first; played > 0 && done < len(bp.cells) && !bp.part {
		left := bp.now().Sub(bp.began) / time.Duration(played) * time.Duration(len(bp.cells)-done)
		text += "  left about " + left.Round(time.Second).String()
	}
	return text + bp.armsText(arms)
}

// armsText is how many cells of each arm are done; empty for a single arm.
func (bp *batchPrinter) armsText(done map[string]int) string {
	var names []string
	all := map[string]int{}
	for _, c := range bp.cells {
		all[c.Arm()]++
		if all[c.Arm()] == 1 {
			names = append(names, c.Arm())
		}
	}
	if len(names) < 2 {
		return ""
	}
	var parts []string
	for _, name := range names[:min(len(names), armsShown)] {
		parts = append(parts, fmt.Sprintf("%s %d/%d", name, done[name], all[name]))
	}
	if more := len(names) - len(parts); more > 0 {
		parts = append(parts, plaintext.Count(more, "arm")+" more")
	}
	return "  " + strings.Join(parts, ", ")
}
