package behavior

// Afford tells the turn how many more requests its caller can send, the next one
// included. A turn that knows keeps what it needs to decide: it offers no modules and
// takes no reason step where only enough is left for a draft and a decision. The
// caller says it before Next; a turn that is never told supposes that there is no end.
func (t *Turn) Afford(requests int) { t.affordable, t.bounded = requests, true }

// spares reports whether the turn can afford a request now that decides nothing. sent
// is how many requests were sent since Afford was told.
func (t *Turn) spares(sent int) bool {
	deciding := 2
	if t.mind.cfg.Protocol == ProtocolLean {
		deciding = 1
	}
	return !t.bounded || t.affordable-sent > deciding
}
