// Package storetest is the contract of a [batch.Store] as tests, which every Store has to pass.
package storetest

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"example.com/agentworld/batch"
)

// Stores are several ways to one new, empty store, as several processes have them.
type Stores struct {
	Ways []batch.Store
	// Silence makes the owner of a claim look as if it had been silent for so long. It does not renew
	// the claim before a quarter of its lease.
	Silence func(t *testing.T, key string, number int64, long time.Duration)
}

// lease is that of the claims in the tests, so long that no owner renews one within a test.
const lease = time.Hour

// Run tests the contract. open makes a new store.
func Run(t *testing.T, open func(t *testing.T) Stores) {
	for name, test := range map[string]func(*testing.T, Stores){
		"PutOnce": putOnce, "Series": series, "ClaimOnce": claimOnce, "Release": release,
		"Silence": silence, "Fence": fence, "Keys": keys,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

// putOnce: of many writers one is first, and all read what it wrote, until it is set.
func putOnce(t *testing.T, s Stores) {
	if data, ok, err := s.Ways[0].Get("a/b"); data != nil || ok || err != nil {
		t.Errorf("before: %q, %v, %v", data, ok, err)
	}
	var wins atomic.Int64
	var winner atomic.Value
	var group sync.WaitGroup
	for n := range 16 {
		group.Go(func() {
			text := fmt.Sprint("of writer ", n)
			first, err := s.Ways[n%len(s.Ways)].Put("a/b", []byte(text))
			if err != nil {
				t.Error(err)
			}
			if first {
				wins.Add(1)
				winner.Store(text)
			}
		})
	}
	group.Wait()
	if wins.Load() != 1 {
		t.Fatalf("%d writers were first", wins.Load())
	}
	for _, way := range s.Ways {
		if data, ok, err := way.Get("a/b"); string(data) != winner.Load() || !ok || err != nil {
			t.Errorf("%q, %v, %v; want %q", data, ok, err, winner.Load())
		}
	}
	if first, err := s.Ways[0].Put("a/empty", nil); !first || err != nil {
		t.Errorf("%v, %v", first, err)
	}
	if first, err := s.Ways[0].Put("a/empty", []byte("more")); first || err != nil {
		t.Errorf("what is empty was replaced: %v, %v", first, err)
	}
	for _, text := range []string{"set", "", "set again"} {
		if err := s.Ways[0].Set("a/empty", []byte(text)); err != nil {
			t.Error(err)
		}
		for _, way := range s.Ways {
			if data, ok, err := way.Get("a/empty"); string(data) != text || !ok || err != nil {
				t.Errorf("set to %q: %q, %v, %v", text, data, ok, err)
			}
		}
	}
}

// claimed is a claim that has to succeed.
func claimed(t *testing.T, s batch.Store, key string, number int64) batch.Lease {
	t.Helper()
	c, err := s.Claim(key, lease)
	if err != nil || c == nil || c.Number() != number || !c.Holds() {
		t.Fatalf("claim %d of %s: %+v, %v", number, key, c, err)
	}
	return c
}

// claimOnce: of many processes one has a key.
func claimOnce(t *testing.T, s Stores) {
	if at, err := s.Ways[0].Stand("a/b", lease); !at.Free || at.Silent || at.Number != 0 || err != nil {
		t.Errorf("before: %+v, %v", at, err)
	}
	leases := make([]batch.Lease, 16)
	var group sync.WaitGroup
	for n := range leases {
		group.Go(func() {
			c, err := s.Ways[n%len(s.Ways)].Claim("a/b", lease)
			if err != nil {
				t.Error(err)
			}
			leases[n] = c
		})
	}
	group.Wait()
	owners := 0
	for _, c := range leases {
		if c == nil {
			continue
		}
		owners++
		if c.Number() != 1 || !c.Holds() {
			t.Errorf("the owner has number %d, and holds: %v", c.Number(), c.Holds())
		}
		if err := c.Release(); err != nil {
			t.Error(err)
		}
	}
	if owners != 1 {
		t.Errorf("%d of 16 have the key", owners)
	}
}

// release: what is given up can be had at once.
func release(t *testing.T, s Stores) {
	first := claimed(t, s.Ways[0], "a/b", 1)
	for _, way := range s.Ways {
		at, err := way.Stand("a/b", lease)
		host := at.Host
		at.Host = ""
		if err != nil || host == "" || at != (batch.Standing{Number: 1}) {
			t.Errorf("owned by a process of host %q: %+v, %v", host, at, err)
		}
		if c, err := way.Claim("a/b", lease); c != nil || err != nil {
			t.Errorf("a key that is owned was claimed: %v", err)
		}
	}
	if err := first.Release(); err != nil {
		t.Fatal(err)
	}
	for _, way := range s.Ways {
		at, err := way.Stand("a/b", lease)
		at.Host = ""
		if err != nil || at != (batch.Standing{Number: 1, Free: true, Gone: true}) {
			t.Errorf("given up: %+v, %v", at, err)
		}
	}
	second := claimed(t, s.Ways[len(s.Ways)-1], "a/b", 2)
	if first.Holds() {
		t.Error("who gave the key up holds it")
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

// silence: an owner that is silent for less than a lease keeps its key, and then loses it.
func silence(t *testing.T, s Stores) {
	other := s.Ways[len(s.Ways)-1]
	first := claimed(t, s.Ways[0], "a/b", 1)
	s.Silence(t, "a/b", 1, lease-10*time.Minute)
	if c, err := other.Claim("a/b", lease); c != nil || err != nil {
		t.Errorf("a key is taken before the lease is over: %v", err)
	}
	s.Silence(t, "a/b", 1, lease+10*time.Minute)
	if at, err := other.Stand("a/b", lease); !at.Free || !at.Silent || at.Gone || err != nil {
		t.Errorf("after the lease: %+v, %v", at, err)
	}
	if !first.Holds() {
		t.Error("a silent owner lost its key to nobody")
	}
	second := claimed(t, other, "a/b", 2)
	if first.Holds() {
		t.Error("two have the key")
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
	if err := first.Release(); err != nil {
		t.Error(err)
	}
}

// fence: an owner that lost its key takes nothing from its successor.
func fence(t *testing.T, s Stores) {
	other := s.Ways[len(s.Ways)-1]
	first := claimed(t, s.Ways[0], "a/b", 1)
	s.Silence(t, "a/b", 1, 2*lease)
	second := claimed(t, other, "a/b", 2)
	if err := first.Release(); err != nil {
		t.Error(err)
	}
	for _, way := range s.Ways {
		if at, err := way.Stand("a/b", lease); at.Free || at.Number != 2 || err != nil {
			t.Errorf("the successor: %+v, %v", at, err)
		}
	}
	if !second.Holds() {
		t.Error("the successor lost the key")
	}
	if err := second.Release(); err != nil {
		t.Error(err)
	}
}

// series: processes that put numbered entries, each made of the one before, lose none.
func series(t *testing.T, s Stores) {
	const writers, each = 4, 25
	key := func(n int) string { return fmt.Sprintf("series/%04d", n) }
	var group sync.WaitGroup
	for w := range writers {
		group.Go(func() {
			way := s.Ways[w%len(s.Ways)]
			at := 0
			value := 0
			for done := 0; done < each; {
				for {
					data, ok, err := way.Get(key(at + 1))
					if err != nil {
						t.Error(err)
						return
					}
					if !ok {
						break
					}
					at++
					value, _ = strconv.Atoi(string(data))
				}
				first, err := way.Put(key(at+1), []byte(strconv.Itoa(value+1)))
				if err != nil {
					t.Error(err)
					return
				}
				if first {
					done++
				}
			}
		})
	}
	group.Wait()
	data, ok, err := s.Ways[0].Get(key(writers * each))
	if string(data) != strconv.Itoa(writers*each) || !ok || err != nil {
		t.Errorf("the sum is %q, %v, %v; want %d", data, ok, err, writers*each)
	}
}

// keys: keys that resemble each other are different.
func keys(t *testing.T, s Stores) {
	for _, key := range []string{"a/b", "a/bb", "a/b-1", "a/c", "d/b"} {
		c := claimed(t, s.Ways[0], key, 1)
		defer func() {
			if err := c.Release(); err != nil {
				t.Error(err)
			}
		}()
	}
}
