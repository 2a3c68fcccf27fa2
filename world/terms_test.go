package world

import (
	"slices"

	"pgregory.net/rapid"
)

// openOffers counts the open offers of agent n.
func openOffers(w *World, n int) (open int) {
	for _, k := range w.agents[n].offers {
		open += int(bit(w.offers[k].open))
	}
	return open
}

// checkTerms verifies offers and requests: escrow, limits, and that no receiver of a request
// owes more of it than its sender thinks.
func checkTerms(t *rapid.T, w *World) {
	for n := range w.agents {
		a := &w.agents[n]
		if got := len(a.offers); got > OffersMax+1 || openOffers(w, n) > OffersMax {
			t.Fatalf("tick %d: %s has %d offers in %d records", w.tick, a.id, openOffers(w, n), got)
		}
		open := map[string]int{}
		for _, k := range a.mail.sent {
			if k.open(w.tick) {
				open[k.to]++
			}
			if k.left < 0 || k.left > k.wantAmount || k.until > k.sentAt+TermsTicksMax || k.from != int32(n) {
				t.Fatalf("tick %d: %s keeps %+v of %+v", w.tick, a.id, k, *k.terms)
			}
			if open[k.to] > RequestsMax {
				t.Fatalf("tick %d: %s has %d requests to %s", w.tick, a.id, open[k.to], k.to)
			}
		}
		for i, k := range a.mail.got {
			if k.to != a.id || k.left < 0 || i > 0 && inOrder(a.mail.got[i-1], k) >= 0 {
				t.Fatalf("tick %d: %s got %+v of %+v", w.tick, a.id, k, *k.terms)
			}
			sender := w.agents[k.from].mail.sent
			copied := slices.IndexFunc(sender, func(own known) bool { return own.terms == k.terms })
			if k.kind == KindRequest && k.open(w.tick) && (copied < 0 || sender[copied].left < k.left) {
				t.Fatalf("tick %d: %s owes %d of %s, its sender does not know", w.tick, a.id, k.left, k.id)
			}
		}
	}
	for i := range w.offers {
		o := &w.offers[i]
		held := w.ledger.balances[o.account]
		if o.open && (held != o.escrow() || o.terms.until <= w.tick) {
			t.Fatalf("tick %d: the open offer %s until %d holds %v", w.tick, o.id, o.terms.until, held)
		}
		// What a closed offer of somebody here holds is electricity without room.
		if electricityOnly := held; !o.open && w.at(o.owner, o.place) {
			electricityOnly[electricity] = 0
			if electricityOnly != (stock{}) {
				t.Fatalf("tick %d: %s is closed and holds %v, its owner is there", w.tick, o.id, held)
			}
		}
		if !slices.Contains(w.sites[o.place].offers, int32(i)) || w.ledger.names[o.account] != "offer:"+o.id {
			t.Fatalf("tick %d: %s is filed wrongly", w.tick, o.id)
		}
	}
}
