package playbook

// A model that is asked to tidy up tends to rewrite everything into a few general
// sentences, and what was learned is gone in one step. So a curation may lose only
// so much to the changes a model asked for; what the operator asks for is not
// counted.
const (
	// lossBulletsShare: a tenth of the bullets may go, and two in any case, without
	// which a small playbook could lose none.
	lossBulletsShare = 10
	lossBulletsFree  = 2
	// lossCharsShare: a fifth of the characters may go, or any number of them as
	// long as no more than lossBulletsFree bullets were removed or shortened.
	lossCharsShare = 5
)

// loss is what a curation loses, and what it started from.
type loss struct {
	bullets int // at the start
	chars   int // at the start

	removed   int // bullets removed or merged away
	displaced int // bullets that made room for others
	shortened int // bullets removed, merged away or made shorter
	less      int // characters lost so far, additions set off
}

func (l *loss) remove(chars int) {
	l.removed++
	l.shorten(chars)
}

// shorten counts a change by that many characters; a negative number is a gain.
func (l *loss) shorten(chars int) {
	l.less += chars
	if chars > 0 {
		l.shortened++
	}
}

// allowance returns how many bullets may go.
func (l *loss) allowance() int { return max(l.bullets/lossBulletsShare, lossBulletsFree) }

// spare returns how many more bullets may make room for others.
func (l *loss) spare() int { return max(l.allowance()-l.removed-l.displaced, 0) }

// collapse returns why the curation must be rejected as a whole, if it must.
func (l *loss) collapse() refusal {
	switch {
	case l.removed > l.allowance():
		return refusal{code: Collapse, other: "bullets", value: int64(l.removed), limit: int64(l.allowance())}
	case l.shortened > lossBulletsFree && l.less*lossCharsShare > l.chars:
		return refusal{code: Collapse, other: "chars", value: int64(l.less), limit: int64(l.chars / lossCharsShare)}
	}
	return refusal{}
}
