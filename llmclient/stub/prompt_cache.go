package stub

import (
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
	// marked says that the client put a breakpoint here.
	marked bool
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
//  1. It keeps hashes of prefixes and no text, at most cacheEntriesMax of them.
//  2. cached and written together are never more than the input.
//  3. A prefix is read only if it is equal to the last byte, under the same key.
type promptCache struct {
	// now is the clock. A constant one lets nothing expire.
	now func() time.Time

	mu      sync.Mutex
	entries map[[sha256.Size]byte]cacheEntry
}

// cacheEntry is a prefix that was written: how long it lives after it was used last.
type cacheEntry struct {
	lifetime time.Duration
	used     time.Time
}

// newPromptCache returns an empty cache.
func newPromptCache(now func() time.Time) *promptCache {
	return &promptCache{now: now, entries: map[[sha256.Size]byte]cacheEntry{}}
}

// use reads the longest known prefix of a request and writes what its rule says.
func (c *promptCache) use(p cachePlan) (u cacheUse) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	u.input = p.input
	for _, b := range slices.Backward(p.ends) {
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
		if len(c.entries) >= cacheEntriesMax {
			clear(c.entries)
		}
		c.entries[b.prefix] = cacheEntry{b.lifetime, now}
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
	entry, known := c.entries[b.prefix]
	if !known || now.Sub(entry.used) > entry.lifetime {
		return false
	}
	c.entries[b.prefix] = cacheEntry{entry.lifetime, now}
	return true
}

// cachePlan is what a cache does with one request.
type cachePlan struct {
	// ends are the boundaries that may be read, writes those that are kept, both from the shortest
	// prefix to the longest.
	ends, writes []boundary
	// input is the length of the whole prompt in tokens.
	input int64
	// free says that writes are not billed, and so not counted.
	free bool
}

// explicitPlan is the plan of mode explicit: only marked blocks count, and none means no
// caching.
func explicitPlan(ends []boundary) cachePlan {
	marked := slices.DeleteFunc(slices.Clone(ends), func(b boundary) bool { return !b.marked })
	return cachePlan{ends: marked, writes: latest(marked)}
}

// implicitPlan is the plan of mode implicit: the end of the latest eligible message is a
// breakpoint too.
func implicitPlan(ends []boundary) cachePlan {
	last := len(ends) - 1
	var writes []boundary
	for i, b := range ends {
		if b.marked || i == last {
			writes = append(writes, b)
		}
	}
	return cachePlan{ends: ends, writes: latest(writes)}
}

// latest are the last of some boundaries, as many as a request writes.
func latest(of []boundary) []boundary { return of[max(0, len(of)-writesMax):] }
