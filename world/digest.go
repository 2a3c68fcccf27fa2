package world

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// Digest identifies the complete state of a world after a tick.
type Digest [32]byte

// String is the digest in hexadecimal.
func (d Digest) String() string { return hex.EncodeToString(d[:]) }

// The digest is the sum, in four lanes modulo 2^64, of the SHA-256 of every
// record's canonical bytes. Sums commute, so a changed record is replaced by
// subtracting its old hash and adding its new one.

// lanes is a hash or a sum of hashes.
type lanes [4]uint64

func (l *lanes) add(m lanes) {
	for i := range l {
		l[i] += m[i]
	}
}

func (l *lanes) subtract(m lanes) {
	for i := range l {
		l[i] -= m[i]
	}
}

func (l lanes) digest() Digest {
	var d Digest
	for i, n := range l {
		binary.BigEndian.PutUint64(d[8*i:], n)
	}
	return d
}

func hashRecord(b []byte) lanes {
	sum := sha256.Sum256(b)
	var l lanes
	for i := range l {
		l[i] = binary.BigEndian.Uint64(sum[8*i:])
	}
	return l
}

// recordKind is the first byte of every record, so that no two kinds collide.
type recordKind byte

const (
	recordHeader recordKind = iota + 1
	recordSystem
	recordAgent
	recordSite
	recordFactory
	recordKinds
)

// touched is a set of changed records of one kind.
type touched struct {
	list  []int32
	dirty []bool
}

func (t *touched) add(n int32) {
	for int(n) >= len(t.dirty) {
		t.dirty = append(t.dirty, false)
	}
	if !t.dirty[n] {
		t.dirty[n] = true
		t.list = append(t.list, n)
	}
}

// take empties the set. The list is good until the next add.
func (t *touched) take() []int32 {
	list := t.list
	for _, n := range list {
		t.dirty[n] = false
	}
	t.list = list[:0]
	return list
}

// digester keeps the sum and what has changed since.
type digester struct {
	sum    lanes
	hashes [recordKinds][]lanes
	dirty  [recordKinds]touched
	// agents changed in the Advance or Apply under way, for their goals.
	agents  touched
	scratch []byte
}

func newDigester(w *World) digester {
	var d digester
	for kind := recordHeader; kind < recordKinds; kind++ {
		for n := range w.records(kind) {
			d.dirty[kind].add(int32(n))
		}
	}
	return d
}

func (d *digester) touchHeader() { d.dirty[recordHeader].add(0) }

func (d *digester) touchSystem(accounts ...account) {
	for _, a := range accounts {
		if a < systemAccounts {
			d.dirty[recordSystem].add(int32(a))
		}
	}
}

func (d *digester) takeTouchedAgents() []int32 { return d.agents.take() }

func (w *World) touchAgent(n int32) {
	w.digest.dirty[recordAgent].add(n)
	w.digest.agents.add(n)
}

func (w *World) touchSite(p int32) { w.digest.dirty[recordSite].add(p) }

// touchFactory also touches the owner, whose goals may count factories.
func (w *World) touchFactory(k int32) {
	w.digest.dirty[recordFactory].add(k)
	w.touchAgent(w.factories[k].owner)
}

// records is how many records of a kind there are.
func (w *World) records(kind recordKind) int {
	switch kind {
	case recordHeader:
		return 1
	case recordSystem:
		return int(systemAccounts)
	case recordAgent:
		return len(w.agents)
	case recordSite:
		return len(w.sites)
	case recordFactory:
		return len(w.factories)
	}
	panic("world: unknown record kind")
}

// Digest is the digest of the present state, at the cost of what changed since
// it was last asked for.
func (w *World) Digest() Digest {
	d := &w.digest
	for kind := recordHeader; kind < recordKinds; kind++ {
		for _, n := range d.dirty[kind].take() {
			d.rehash(w, kind, n)
		}
	}
	return d.sum.digest()
}

func (d *digester) rehash(w *World, kind recordKind, n int32) {
	for int(n) >= len(d.hashes[kind]) {
		d.hashes[kind] = append(d.hashes[kind], lanes{})
	}
	d.scratch = w.appendRecord(d.scratch[:0], kind, n)
	fresh := hashRecord(d.scratch)
	d.sum.subtract(d.hashes[kind][n])
	d.sum.add(fresh)
	d.hashes[kind][n] = fresh
}

// RecomputeDigest is the digest from scratch; it always equals Digest.
func (w *World) RecomputeDigest() Digest {
	var sum lanes
	for kind := recordHeader; kind < recordKinds; kind++ {
		for n := range w.records(kind) {
			sum.add(hashRecord(w.appendRecord(nil, kind, int32(n))))
		}
	}
	return sum.digest()
}
