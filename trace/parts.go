package trace

import (
	"fmt"

	"example.com/agentworld/llmclient"
)

// Parts is an index of the parts of a trace by hash. The zero value is empty and
// ready to use. Parts are checked when they are read, not when they are added.
type Parts struct {
	byHash map[string]Part
}

// Add puts p into the index.
func (p *Parts) Add(part Part) {
	if p.byHash == nil {
		p.byHash = map[string]Part{}
	}
	p.byHash[part.Hash] = part
}

// Len counts the distinct hashes.
func (p *Parts) Len() int { return len(p.byHash) }

// Part returns the part with the given hash, unchecked.
func (p *Parts) Part(hash string) (Part, bool) {
	part, ok := p.byHash[hash]
	return part, ok
}

// Body returns the bytes with the given hash. The error says that the part is
// missing or damaged.
func (p *Parts) Body(hash string) ([]byte, error) {
	part, ok := p.byHash[hash]
	if !ok {
		return nil, fmt.Errorf("part %q is not in the trace", hash)
	}
	return part.Bytes()
}

// Items returns the items with the given hashes, in order. The error names the
// part that is missing, damaged or not an item.
func (p *Parts) Items(hashes []string) ([]llmclient.Item, error) {
	items := make([]llmclient.Item, len(hashes))
	for i, hash := range hashes {
		body, err := p.Body(hash)
		if err != nil {
			return nil, err
		}
		it, ok := llmclient.ParseItem(body)
		if !ok {
			return nil, fmt.Errorf("part %q is not an item", hash)
		}
		items[i] = it
	}
	return items, nil
}
