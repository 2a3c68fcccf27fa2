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
// subtracting its old hash and adding its new one, and the order in which records
// were touched does not matter.
//
// It compares runs that should be equal. It is no commitment: an attacker who chooses
// records could make two sums collide.

// lanes is a hash or a sum of hashes; each lane wraps around by itself.
type lanes [4]uint64

// digest writes the lanes one after the other.
func (l lanes) digest() Digest {
	var d Digest
	for i, n := range l {
		binary.BigEndian.PutUint64(d[8*i:], n)
	}
	return d
}

// hashRecord is the hash of one record's canonical bytes.
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
	// recordHeader is the tick, the seed and the counts.
	recordHeader recordKind = iota + 1
	// recordSystem is a source or sink.
	recordSystem
	recordAgent
	recordSite
	recordFactory
	recordOrder
	recordOffer
	recordKinds
)

// touched is a set of changed records of one kind.
type touched struct {
	list  []int32
	dirty []bool
}

// add notes n once, however often it is touched.
func (t *touched) add(n int32) {
	if more := int(n) + 1 - len(t.dirty); more > 0 {
		t.dirty = append(t.dirty, make([]bool, more)...)
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

// touchHeader notes that the tick or the number of factories, orders or offers changed.
func (d *digester) touchHeader() { d.dirty[recordHeader].add(0) }

// touchAgent notes that the record or account of agent n changed.
func (w *World) touchAgent(n int32) {
	w.digest.dirty[recordAgent].add(n)
	w.digest.agents.add(n)
}

// touchSite notes that the compound, notes, book or quotes of place p changed.
func (w *World) touchSite(p int32) { w.digest.dirty[recordSite].add(p) }

// touchFactory also touches the owner, whose goals may count factories.
func (w *World) touchFactory(k int32) {
	w.digest.dirty[recordFactory].add(k)
	w.touchAgent(w.factories[k].owner)
}

// records is how many records of a kind there are.
func (w *World) records(kind recordKind) int {
	return [recordKinds]int{
		recordHeader: 1, recordSystem: int(systemAccounts), recordAgent: len(w.agents),
		recordSite: len(w.sites), recordFactory: len(w.factories), recordOrder: len(w.orders), recordOffer: len(w.offers),
	}[kind]
}

// Digest is the digest of the present state, at the cost of what changed since
// it was last asked for.
// Call it after Apply. It may also be called less often: what changed in between
// is hashed then.
func (w *World) Digest() Digest {
	d := &w.digest
	for kind := recordHeader; kind < recordKinds; kind++ {
		if hashed, n := len(d.hashes[kind]), w.records(kind); hashed < n {
			d.hashes[kind] = append(d.hashes[kind], make([]lanes, n-hashed)...)
			for k := n - 1; k >= hashed; k-- {
				d.dirty[kind].add(int32(k)) // from the end, so that room is made once
			}
		}
		// A long list is put in order, so that the records are then read as they lie in
		// memory; all flags are looked at only where that is a small part of the work.
		if t := &d.dirty[kind]; len(t.list) > len(t.dirty)/16 {
			t.list = t.list[:0]
			for n, dirty := range t.dirty {
				if dirty {
					t.list = append(t.list, int32(n))
				}
			}
		}
		// A new record replaces the zero hash, which is no record's.
		for _, n := range d.dirty[kind].take() {
			d.scratch = w.appendRecord(d.scratch[:0], kind, n)
			fresh := hashRecord(d.scratch)
			for i := range d.sum {
				d.sum[i] += fresh[i] - d.hashes[kind][n][i]
			}
			d.hashes[kind][n] = fresh
		}
	}
	return d.sum.digest()
}
