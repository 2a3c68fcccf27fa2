package llmclient

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
)

// ItemFault names a break of the rules by which the items of an input belong
// together. A provider refuses a request that breaks one of them, even if the model
// caused it, so the whole list is checked before it is sent.
type ItemFault string

// The item faults, each with what [PairItems] does about it.
const (
	// FaultItemIDRepeated: two items have the same own id. If the later one is a call, it
	// loses its id, which is optional. A message is sent as text. Any other item gets a new id.
	// FaultItemIDMissing: a reasoning item has no id, which it must have. It gets one.
	FaultItemIDRepeated ItemFault = "item_id_repeated"
	FaultItemIDMissing  ItemFault = "item_id_missing"
	// FaultReasoning: a reasoning item is not followed by an item of the model. It
	// is dropped: a provider takes it back only with what it led to.
	FaultReasoning ItemFault = "reasoning_dangling"
	// FaultCallIDMissing and FaultCallIDRepeated: nothing can be bound to the call.
	// It gets an id of its own.
	FaultCallIDMissing  ItemFault = "call_id_missing"
	FaultCallIDRepeated ItemFault = "call_id_repeated"
	// FaultOrphanOutput: no call before the output has its id. It is dropped.
	FaultOrphanOutput ItemFault = "output_without_call"
	// FaultOutputRepeated: the call is answered already. The output is dropped.
	FaultOutputRepeated ItemFault = "output_repeated"
	// FaultUnanswered: no output answers the call. One is added that says so.
	FaultUnanswered ItemFault = "call_without_output"
)

// ItemRepair is one change that [PairItems] made.
type ItemRepair struct {
	Kind ItemFault
	// CallID is the call the change is about, empty when it is about none. Minted
	// says that the repair made the id.
	CallID string
	Minted bool
}

// PairItems returns items without faults, and what it took. missing is the output
// of a call that has none. Items that break no rule keep their bytes and order.
//
// Invariants:
//  1. Repairing the result again changes nothing.
//  2. A prefix that needs no repair stays as it is, so that a provider's prompt
//     cache survives a repair of what follows.
func PairItems(items []Item, missing string) ([]Item, []ItemRepair) {
	p := pairer{missing: missing, ids: map[string]bool{}, taken: map[string]bool{}, answered: map[string]bool{}}
	for _, it := range items {
		p.taken[it.CallID] = true
	}
	for i, it := range items {
		if !it.fromModel() {
			p.answerOpen(items[i:])
		}
		if it.Kind == KindReasoning {
			// What it led to may be more reasoning, and then is something else of the model.
			led := slices.IndexFunc(items[i:], func(it Item) bool { return it.Kind != KindReasoning })
			if led < 0 || !items[i+led].fromModel() {
				p.repair(FaultReasoning, "")
				continue
			}
		}
		p.add(it)
	}
	p.answerOpen(nil)
	return p.out, p.repairs
}

// WithoutReasoning returns items without reasoning, and how much of it there was. What
// reasoning led to loses its own id, by which a provider would miss it.
func WithoutReasoning(items []Item) (kept []Item, dropped int) {
	for _, it := range items {
		switch {
		case it.Kind == KindReasoning:
			dropped++
			continue
		case dropped > 0 && it.ID != "" && it.fromModel():
			it = it.withoutID()
		}
		kept = append(kept, it)
	}
	return kept, dropped
}

// WithoutReasoningIDs returns items in which reasoning, and what it led to, has no id of its own, and
// whether that changed any. A provider that keeps nothing cannot know these ids.
func WithoutReasoningIDs(items []Item) (kept []Item, changed bool) {
	return withOthers(items, func(it Item, led bool) (Item, bool) {
		switch {
		case it.ID == "" || !it.fromModel():
		case it.Kind == KindReasoning:
			it.ID, it.Raw = "", Marshal(it.without("id"))
			return it, true
		case led:
			return it.withoutID(), true
		}
		return it, false
	})
}

// withOthers returns items with another in place of each that change changes, and whether there was
// any. change is told whether there was one before.
func withOthers(items []Item, change func(it Item, before bool) (Item, bool)) (kept []Item, changed bool) {
	kept = slices.Clone(items)
	for i, it := range items {
		other, is := change(it, changed)
		if is {
			kept[i], changed = other, true
		}
	}
	return kept, changed
}

// WithoutItemIDs returns items of which none that a model wrote has an id of its own, and whether that
// changed any. A server may refuse the ids that another one gave them.
func WithoutItemIDs(items []Item) (kept []Item, changed bool) {
	return withOthers(items, func(it Item, _ bool) (Item, bool) {
		if it.ID == "" || !it.fromModel() {
			return it, false
		}
		return it.withoutID(), true
	})
}

// WithPlainCallIDs returns items whose call ids are all made here, and whether that changed any. A
// server that had its model's calls made by another one may refuse their ids.
func WithPlainCallIDs(items []Item) (kept []Item, changed bool) {
	return withOthers(items, func(it Item, _ bool) (Item, bool) {
		if it.CallID == "" || len(it.CallID) == mintedChars && strings.Trim(it.CallID, mintLetters) == "" {
			return it, false // every server takes it
		}
		id := MintCallID("plain " + it.CallID)
		it.CallID, it.Raw = id, it.with("call_id", id)
		return it, true
	})
}

// pairer builds a list without faults item by item.
type pairer struct {
	missing string
	out     []Item
	repairs []ItemRepair
	// ids are the items' own ids so far, answered the call ids with their output,
	// taken the call ids that a new one must not repeat.
	ids, answered, taken map[string]bool
	// open are the calls without an output so far, oldest first.
	open   []openCall
	minted int
}

// openCall is a call that waits for its output.
type openCall struct {
	// wasID is the id in the list that is repaired, callID the one in its place.
	wasID, callID string
	// custom says that the call is one of a custom tool.
	custom bool
}

// add takes the next item.
func (p *pairer) add(it Item) {
	repeated := it.ID != "" && p.ids[it.ID]
	missing := it.ID == "" && it.Kind == KindReasoning
	if repeated {
		p.repair(FaultItemIDRepeated, it.CallID)
		it = it.withoutID()
		missing = it.Kind != KindMessage && it.Kind != KindFunctionCall && it.Kind != KindFunctionOutput
	} else if missing {
		p.repair(FaultItemIDMissing, "")
	}
	for n := len(p.out); missing && it.ID == ""; n++ {
		if id := fmt.Sprintf("item_repaired_%d", n); !p.ids[id] {
			it.ID, it.Raw = id, it.with("id", id)
		}
	}
	p.ids[it.ID] = true
	switch it.Kind {
	case KindFunctionCall:
		call, fault := openCall{it.CallID, it.CallID, it.Custom}, ItemFault("")
		switch {
		case it.CallID == "":
			fault = FaultCallIDMissing
		case p.answered[it.CallID] || slices.ContainsFunc(p.open,
			func(open openCall) bool { return open.callID == it.CallID }):
			fault = FaultCallIDRepeated
		}
		if fault != "" {
			call.callID = p.mint()
			it = it.Rebuilt(call.callID, it.Name, it.Text)
			p.repairs = append(p.repairs, ItemRepair{fault, call.callID, true})
		}
		p.open = append(p.open, call)
		p.out = append(p.out, it)
	case KindFunctionOutput:
		p.output(it)
	default:
		p.out = append(p.out, it)
	}
}

// output binds an output to the oldest open call of its id: of two calls that
// shared an id, each gets its own.
func (p *pairer) output(it Item) {
	for i, call := range p.open {
		if call.wasID != it.CallID {
			continue
		}
		if call.callID != it.CallID || call.custom != it.Custom {
			it = Output(call.callID, it.Text, call.custom)
		}
		p.open = append(p.open[:i:i], p.open[i+1:]...)
		p.answered[call.callID] = true
		p.out = append(p.out, it)
		return
	}
	if p.answered[it.CallID] {
		p.repair(FaultOutputRepeated, it.CallID)
	} else {
		p.repair(FaultOrphanOutput, it.CallID)
	}
}

// answerOpen adds an output for every open call that rest does not answer.
func (p *pairer) answerOpen(rest []Item) {
	if len(p.open) == 0 {
		return
	}
	coming := map[string]int{}
	for _, it := range rest {
		if it.Kind == KindFunctionOutput {
			coming[it.CallID]++
		}
	}
	var open []openCall
	for _, call := range p.open {
		if coming[call.wasID] > 0 {
			coming[call.wasID]--
			open = append(open, call)
			continue
		}
		p.repair(FaultUnanswered, call.callID)
		p.answered[call.callID] = true
		p.out = append(p.out, Output(call.callID, p.missing, call.custom))
	}
	p.open = open
}

// MintCallID makes a call id of a place: nine letters and digits, which every server takes.
func MintCallID(place string) string {
	id := sha256.Sum256([]byte("call " + place))
	for i, b := range id[:mintedChars] {
		id[i] = mintLetters[int(b)%len(mintLetters)]
	}
	return string(id[:mintedChars])
}

const (
	mintLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	mintedChars = 9
)

// mint makes a call id that the list does not hold.
func (p *pairer) mint() string {
	for {
		p.minted++
		if id := MintCallID(fmt.Sprint(p.minted)); !p.taken[id] {
			p.taken[id] = true
			return id
		}
	}
}

func (p *pairer) repair(kind ItemFault, callID string) {
	p.repairs = append(p.repairs, ItemRepair{Kind: kind, CallID: callID})
}

// fromModel reports whether a model's answer can hold the item: anything but the
// outputs and messages that a request adds.
func (it Item) fromModel() bool {
	switch it.Kind {
	case KindFunctionOutput:
		return false
	case KindMessage:
		return it.Role != "user" && it.Role != "developer" && it.Role != "system"
	}
	return true
}
