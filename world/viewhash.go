package world

import "math/bits"

// ViewHashes returns a number for each agent. If two forks of a world that differ by [World.Apply] and [World.Advance]
// alone are in the same tick and their numbers for an agent are equal, so are its views, except for what the refusal
// of its last action says beside its code. The views may be equal if the numbers are not. All of them together cost
// less than a few views.
func (w *World) ViewHashes() []uint64 {
	w.Digest()
	h := viewHasher{World: w, here: make([]mixed, len(w.sites)), afar: make([]mixed, len(w.sites))}
	list := make([]uint64, len(w.agents))
	for n := range list {
		list[n] = uint64(h.agent(int32(n)))
	}
	return list
}

// viewHasher hashes what agents see. Its lists have what was hashed before, by place; 0 is nothing.
type viewHasher struct {
	*World
	here, afar []mixed
}

// mixed is a hash of numbers in order, which begins with seeded: none of the numbers takes it to 0, where further
// zeros would leave it.
type mixed uint64

const seeded mixed = 0x2545f4914f6cdd1d

func (m mixed) with(numbers ...uint64) mixed {
	for _, n := range numbers {
		m = mixed(bits.RotateLeft64(uint64(m)^n, 29)*0x9e3779b97f4a7c15) + seeded
	}
	return m
}

// records mixes in the hashes of records of a kind.
func (h *viewHasher) records(m mixed, kind recordKind, list []int32) mixed {
	m = m.with(uint64(len(list)))
	for _, k := range list {
		m = m.with(h.digest.hashes[kind][k][0])
	}
	return m
}

// agent is what agent n sees, itself included.
func (h *viewHasher) agent(n int32) mixed {
	a := &h.agents[n]
	m := seeded.with(uint64(h.tick), h.digest.hashes[recordAgent][n][0])
	m = h.records(m, recordFactory, a.factories)
	m = h.records(m, recordOrder, a.orders)
	m = h.records(m, recordOffer, a.offers)
	if a.travelling() {
		return m
	}
	return m.with(uint64(h.atPlace(a.place)))
}

// atPlace is what all see who are at a place.
func (h *viewHasher) atPlace(p int32) mixed {
	if h.here[p] != 0 {
		return h.here[p]
	}
	s := &h.sites[p]
	m := seeded.with(h.digest.hashes[recordSite][p][0], uint64(len(s.present)))
	for _, n := range s.present {
		m = m.with(uint64(n), uint64(h.law.stateOf(h.electricityOf(&h.agents[n]), h.agents[n].shut)))
	}
	m = h.records(m, recordOrder, s.asks)
	m = h.records(m, recordOrder, s.bids)
	m = h.records(m, recordOffer, s.offers)
	m = h.records(m, recordFactory, s.plants)
	see := func(k near) { m = m.with(uint64(h.fromAfar(k.place))) }
	h.geo.eachVisible(p, see)
	if h.quoted {
		for _, k := range h.geo.chartedBeyond(p, sightsMax) {
			see(k)
		}
	}
	h.here[p] = m
	return m
}

// fromAfar is what can be seen of a place from others.
func (h *viewHasher) fromAfar(p int32) mixed {
	if h.afar[p] != 0 {
		return h.afar[p]
	}
	look, _ := h.seenFrom(p)
	m := seeded.with(uint64(look.storedG), uint64(look.settledAt), uint64(len(look.present)))
	for _, n := range look.present {
		m = m.with(uint64(n))
	}
	for _, q := range h.sites[p].quotes {
		if q.Tick < h.tick { // later ones are not known elsewhere
			m = m.with(uint64(q.Tick), uint64(q.Bid), uint64(q.Ask))
		}
	}
	h.afar[p] = m
	return m
}
