package stub

import (
	"container/list"
	"crypto/sha256"
	"slices"
	"sync"
	"time"
)

// The provider's rule of prompt caching, as OpenAI's guide and the notices of its client
// state it in the fall of 2026.
const (
	// cacheablePrefix is the shortest prefix that is kept, in tokens.
	cacheablePrefix = 1024
	// writesMax is how many prefixes a request writes; an implicit breakpoint is one of them.
	writesMax = 4
	// Of a request's explicit breakpoints the first and the latest are looked up, and the latest
	// ends of messages before an implicit one.
	lookupsFirst    = 2
	lookupsLatest   = 50
	lookupsMessages = 20
	// An entry lives for so long after it was last written or read.
	lifetimeDefault, lifetimeLong = 30 * time.Minute, 12 * time.Hour
	// cacheStep is where models that take no breakpoints keep prefixes: at each multiple, in
	// tokens. They are kept for as long as prompt_cache_retention says.
	cacheStep                          = 128
	retentionInMemory, retentionOfADay = time.Hour, 24 * time.Hour
	// cacheEntriesMax bounds the memory of a cache, to some megabytes.
	cacheEntriesMax = 1 << 15
)

// boundary is the end of a prefix of a request, where it can be found again.
type boundary struct {
	// prefix identifies everything up to here, the settings that shape a prompt included.
	prefix [sha256.Size]byte
	// tokens is the length of the prefix.
	tokens int64
	// lifetime is how long an entry lives that is written here.
	lifetime time.Duration
}

// cacheUse is what became of a request's input. What is neither read nor written is plain
// input.
type cacheUse struct {
	// input is the whole of it, 0 where no cache has counted.
	input int64
	// cached tokens were read, written ones kept for later; writtenLong are those of written
	// that are kept for [lifetimeLong].
	cached, written, writtenLong int64
}

// promptCache is a provider's cache of prompts. What it says of a request follows from the
// requests before it, in their order, and from the clock. It may be used concurrently.
//
// Invariants:
//  1. It keeps hashes of prefixes and no text, at most cacheEntriesMax of them; the
//     one that was used longest ago goes first.
//  2. cached and written together are never more than the input.
//  3. A prefix is read only if it is equal to the last byte, under the same key.
type promptCache struct {
	// now is the clock. A constant one lets nothing expire.
	now func() time.Time

	mu sync.Mutex
	// entries are the elements of order by prefix. The front of order was used last.
	entries map[[sha256.Size]byte]*list.Element
	order   *list.List
}

// cacheEntry is a prefix that was written.
type cacheEntry struct {
	boundary
	used time.Time
}

// newPromptCache returns an empty cache.
func newPromptCache(now func() time.Time) *promptCache {
	return &promptCache{now: now, entries: map[[sha256.Size]byte]*list.Element{}, order: list.New()}
}

// use reads the longest known prefix of a request and writes what its rule says.
func (c *promptCache) use(p cachePlan) (u cacheUse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	u.input = p.input
	for _, b := range slices.Backward(p.lookups) {
		if b.tokens >= cacheablePrefix && c.refresh(b, now) {
			u.cached = b.tokens
			break
		}
	}
	end := u.cached
	for _, b := range p.writes {
		if b.tokens < cacheablePrefix || c.refresh(b, now) {
			continue
		}
		c.insert(b, now)
		added := max(0, b.tokens-end)
		end += added
		if p.free {
			continue
		}
		u.written += added
		if b.lifetime == lifetimeLong {
			u.writtenLong += added
		}
	}
	return u
}

// refresh reports whether a prefix is there, which then lives longer.
func (c *promptCache) refresh(b boundary, now time.Time) bool {
	at, known := c.entries[b.prefix]
	if !known {
		return false
	}
	entry := at.Value.(*cacheEntry)
	if now.Sub(entry.used) > entry.lifetime {
		c.order.Remove(at)
		delete(c.entries, b.prefix)
		return false
	}
	entry.used = now
	c.order.MoveToFront(at)
	return true
}

// insert keeps a prefix that is not there.
func (c *promptCache) insert(b boundary, now time.Time) {
	c.entries[b.prefix] = c.order.PushFront(&cacheEntry{boundary: b, used: now})
	for c.order.Len() > cacheEntriesMax {
		last := c.order.Remove(c.order.Back()).(*cacheEntry)
		delete(c.entries, last.prefix)
	}
}

// cachePlan is what a cache does with one request.
type cachePlan struct {
	// lookups are the boundaries that may be read, writes those that are kept, both from the
	// shortest prefix to the longest.
	lookups, writes []boundary
	// input is the length of the whole prompt in tokens.
	input int64
	// free says that writes are not billed, and so not counted.
	free bool
}

// explicitPlan is the plan of mode explicit: only marked blocks count, and none means no
// caching.
func explicitPlan(marked []boundary) cachePlan {
	return cachePlan{lookups: lookedUp(marked), writes: latest(marked, writesMax)}
}

// implicitPlan is the plan of mode implicit: the end of the latest eligible message is a
// breakpoint too. opening is the end of the initial developer messages, nil for none.
func implicitPlan(marked, messages []boundary, opening *boundary) cachePlan {
	p := cachePlan{lookups: lookedUp(marked), writes: latest(marked, writesMax)}
	p.lookups = append(p.lookups, latest(messages, 1+lookupsMessages)...)
	if opening != nil {
		p.lookups = append(p.lookups, *opening)
	}
	if len(messages) > 0 {
		p.writes = append(slices.Clone(latest(marked, writesMax-1)), messages[len(messages)-1])
	}
	p.lookups, p.writes = byLength(p.lookups), byLength(p.writes)
	return p
}

// steppedPlan is the plan of models that take no breakpoints.
func steppedPlan(steps []boundary) cachePlan {
	return cachePlan{lookups: steps, writes: steps, free: true}
}

// lookedUp are the explicit breakpoints that are looked up.
func lookedUp(marked []boundary) []boundary {
	if len(marked) <= lookupsFirst+lookupsLatest {
		return slices.Clone(marked)
	}
	return slices.Concat(marked[:lookupsFirst], latest(marked, lookupsLatest))
}

// latest are the last n at most.
func latest(of []boundary, n int) []boundary { return of[max(0, len(of)-n):] }

// byLength sorts boundaries by length. Of those at one place the first stays.
func byLength(of []boundary) []boundary {
	slices.SortStableFunc(of, func(a, b boundary) int { return int(a.tokens - b.tokens) })
	return slices.CompactFunc(of, func(a, b boundary) bool { return a.prefix == b.prefix })
}
