package stub

import (
	"crypto/sha256"
	"encoding/json"
	"hash"
	"math"
	"regexp"
	"strconv"
	"time"

	"example.com/agentworld/llmclient"
)

// breakpointMember marks a block of content as the end of a prefix to keep.
const breakpointMember = "prompt_cache_breakpoint"

// rendering is a request as a model reads it: tools, instructions, then the input. Marks,
// statuses and ids of messages are not in it, and a text counts alike whether it is
// a string or a list with this one text. What it counts are bytes of the request, so no
// prefix is longer than the request.
type rendering struct {
	// hash has everything so far, bytes is its length without settings.
	hash  hash.Hash
	bytes int64
	// lifetime is that of breakpoints without their own.
	lifetime time.Duration
	// stepped asks for steps, every [cacheStep] tokens.
	stepped bool

	marked, messages, steps []boundary
	opening                 *boundary
}

// cachePlan is what a provider's cache does with the request. Models since GPT-5.6, and
// requests that use what these brought, follow today's rule; all others the rule of before.
func (r request) cachePlan() (p cachePlan) {
	options := llmclient.MembersOf(r.sent["prompt_cache_options"])
	d := rendering{hash: sha256.New(), lifetime: lifetimeOf(options["ttl"], lifetimeDefault)}
	d.stepped = options == nil && !r.hasBreakpoint() && !takesBreakpoints(llmclient.TextOf(r.sent["model"]))
	if d.stepped {
		d.lifetime = retentionOfADay
		if llmclient.TextOf(r.sent["prompt_cache_retention"]) == "in_memory" {
			d.lifetime = retentionInMemory
		}
	}
	// These share no prefix with requests that have others.
	for _, setting := range []string{"model", "prompt_cache_key", "text", "reasoning"} {
		d.note(r.sent[setting])
	}
	d.add('t', r.sent["tools"])
	d.add('i', r.sent["instructions"])
	d.addInput(r)
	switch {
	case d.stepped:
		p = steppedPlan(d.steps)
	case llmclient.TextOf(options["mode"]) == "explicit":
		p = explicitPlan(d.marked)
	default:
		p = implicitPlan(d.marked, d.messages, d.opening)
	}
	p.input = tokens(int(d.bytes))
	return p
}

// addInput adds the items and notes where messages end that may end a prefix: those of users,
// the last of the developer's at the beginning, the last of several outputs in a row.
func (d *rendering) addInput(r request) {
	if text := r.sent["input"]; len(text) > 0 && text[0] == '"' {
		d.addContent("user", text)
		d.messages = append(d.messages, d.here(d.lifetime))
		return
	}
	opens := true // only messages of developers so far
	for i, item := range r.input {
		next := llmclient.Item{}
		if i+1 < len(r.input) {
			next = r.input[i+1]
		}
		members := llmclient.MembersOf(item.Raw)
		opens = opens && fromDeveloper(item)
		eligible := false
		switch item.Kind {
		case llmclient.KindMessage:
			d.addContent(item.Role, members["content"])
			eligible = item.Role == "user" || opens && !fromDeveloper(next)
		case llmclient.KindFunctionOutput:
			d.addContent("output "+item.CallID, members["output"])
			eligible = next.Kind != llmclient.KindFunctionOutput
		default:
			d.add('o', item.Raw)
		}
		if !eligible {
			continue
		}
		d.messages = append(d.messages, d.here(d.lifetime))
		if opens {
			end := d.here(d.lifetime)
			d.opening = &end
		}
	}
}

// fromDeveloper reports whether an item is a message of the client's author.
func fromDeveloper(item llmclient.Item) bool {
	return item.Kind == llmclient.KindMessage && (item.Role == "developer" || item.Role == "system")
}

// addContent adds a message or an output: a string or a list of blocks, some of which may be
// breakpoints. The author counts nothing, as what surrounds him in the request is left out.
func (d *rendering) addContent(author string, content json.RawMessage) {
	d.note([]byte(author))
	blocks, listed := llmclient.Elements(content, math.MaxInt)
	if !listed {
		d.add('x', content)
		return
	}
	for _, block := range blocks {
		members := llmclient.MembersOf(block)
		mark := members[breakpointMember]
		switch llmclient.TextOf(members["type"]) {
		case "input_text", "output_text":
			d.add('x', members["text"])
		default:
			delete(members, breakpointMember)
			d.add('b', llmclient.Marshal(members)) // in the order of names
		}
		if !isNull(mark) {
			d.marked = append(d.marked, d.here(lifetimeOf(llmclient.MembersOf(mark)["ttl"], d.lifetime)))
		}
	}
}

// note adds what tells prefixes apart without being counted.
func (d *rendering) note(what []byte) {
	_, _ = d.hash.Write(what) // a hash takes all
	_, _ = d.hash.Write([]byte{0})
}

// add adds a part of the request, with a letter for what it is.
func (d *rendering) add(kind byte, part json.RawMessage) {
	if isNull(part) {
		return
	}
	_, _ = d.hash.Write([]byte{kind})
	const step = cacheStep * bytesPerToken
	for d.stepped && d.bytes%step+int64(len(part)) >= step {
		n := step - d.bytes%step
		_, _ = d.hash.Write(part[:n])
		d.bytes += n
		part = part[n:]
		d.steps = append(d.steps, d.here(d.lifetime))
	}
	_, _ = d.hash.Write(part)
	d.bytes += int64(len(part))
	_, _ = d.hash.Write([]byte{0}) // which no JSON has
}

// here is the boundary at what was added last.
func (d *rendering) here(lifetime time.Duration) boundary {
	return boundary{prefix: [sha256.Size]byte(d.hash.Sum(nil)), tokens: tokens(int(d.bytes)), lifetime: lifetime}
}

// lifetimeOf is a time to live, otherwise fallback.
func lifetimeOf(ttl json.RawMessage, fallback time.Duration) time.Duration {
	switch llmclient.TextOf(ttl) {
	case "30m":
		return lifetimeDefault
	case "12h":
		return lifetimeLong
	}
	return fallback
}

// hasBreakpoint reports whether a block of the input is marked.
func (r request) hasBreakpoint() bool {
	for _, item := range r.input {
		members := llmclient.MembersOf(item.Raw)
		for _, name := range []string{"content", "output"} {
			blocks, _ := llmclient.Elements(members[name], math.MaxInt)
			for _, block := range blocks {
				if !isNull(llmclient.MembersOf(block)[breakpointMember]) {
					return true
				}
			}
		}
	}
	return false
}

// gptVersion is the version in a model's name, with a provider's name in front or without.
var gptVersion = regexp.MustCompile(`(?:^|/)gpt-(\d{1,3})(?:\.(\d{1,3}))?(?:[^\d.]|$)`)

// takesBreakpoints reports whether a model's name is that of GPT-5.6 or of a later one.
func takesBreakpoints(model string) bool {
	found := gptVersion.FindStringSubmatch(model)
	if found == nil {
		return false
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2]) // 0 without one
	return major > 5 || major == 5 && minor >= 6
}
