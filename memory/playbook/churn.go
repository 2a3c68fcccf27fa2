package playbook

// A model that is asked to tidy up tends to rewrite everything into a few general
// sentences, and what was learned is gone in one step. So a curation may lose only
// so much to the changes a model asked for; what the operator asks for is not
// counted.
const (
	// churnBulletsShare: a tenth of the bullets may go, and two in any case, without
	// which a small playbook could lose none.
	churnBulletsShare = 10
	churnBulletsFree  = 2
	// churnCharsShare: a fifth of the characters may go, or any number of them as
	// long as no more than churnBulletsFree bullets were removed or shortened.
	churnCharsShare = 5
)

// churn is what a curation loses, and what it started from.
type churn struct {
	bullets int // at the start
	chars   int // at the start

	removed   int // bullets removed or merged away
	displaced int // bullets that made room for others
	shortened int // bullets removed, merged away or made shorter
	less      int // characters lost so far, additions set off
}

func (c *churn) remove(chars int) {
	c.removed++
	c.shorten(chars)
}

// shorten counts a change by that many characters; a negative number is a gain.
func (c *churn) shorten(chars int) {
	c.less += chars
	if chars > 0 {
		c.shortened++
	}
}

// allowance returns how many bullets may go.
func (c *churn) allowance() int { return max(c.bullets/churnBulletsShare, churnBulletsFree) }

// collapse returns why the curation must be rejected as a whole, if it must.
func (c *churn) collapse() *Rejected {
	switch {
	case c.removed > c.allowance():
		return &Rejected{Code: Collapse, Other: "bullets", Value: int64(c.removed), Limit: int64(c.allowance())}
	case c.shortened > churnBulletsFree && c.less*churnCharsShare > c.chars:
		return &Rejected{Code: Collapse, Other: "chars", Value: int64(c.less), Limit: int64(c.chars / churnCharsShare)}
	}
	return nil
}
