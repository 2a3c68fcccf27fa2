package playbook

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"example.com/agentworld/memory"
	"example.com/agentworld/memory/relevance"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
)

// Most of a file is lines of name=value pairs, in any order and none of them
// required, with an optional text at the end:
//
//	run=run-1 tick=118 outcome="rejected: 5 < 10" :: text to the end of the line
//
// A value of other characters than those of an id is a JSON string. So no text can
// pass for an attribute, and only the text at the end stands as it is.

// values are the attributes of a line and the text at its end.
type values struct {
	names  []string
	given  []string
	tail   string
	tailed bool
}

// attributesOf reads name=value pairs with the given names, and the text after
// "::". A name that is not among them is a problem: a misspelt attribute that is
// passed over would be lost when the file is written again.
func attributesOf(line string, names ...string) (values, string) {
	v := values{names: names, given: make([]string, len(names))}
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		if rest, found := strings.CutPrefix(line, tail); found {
			v.tail, v.tailed = strings.TrimSpace(rest), true
			return v, ""
		}
		name, rest, found := strings.Cut(line, "=")
		at := slices.Index(names, name)
		if !found || at < 0 {
			word, _, _ := strings.Cut(name, " ")
			return v, fmt.Sprintf("unknown attribute %s; allowed: %s, and a text after %q", brief(word), allowed(names), tail)
		}
		value, rest, ok := valueOf(rest)
		if !ok {
			return v, fmt.Sprintf("the value of %s is a quoted text without an end", name)
		}
		v.given[at], line = plaintext.Line(value), rest
	}
	return v, ""
}

// valueOf reads a value up to the next space, or to the end of its quotes.
func valueOf(text string) (value, rest string, ok bool) {
	if strings.HasPrefix(text, `"`) {
		return unquote(text)
	}
	value, rest, _ = strings.Cut(text, " ")
	return value, rest, true
}

// text returns a value as it was given, empty when it was not.
func (v values) text(name string) string { return v.given[slices.Index(v.names, name)] }

// count reads a number of 0..CountMax; one that is not given stays as it is.
func (v values) count(name string, into *int) string {
	n := int64(*into)
	problem := v.integer(name, &n, CountMax)
	*into = int(n)
	return problem
}

// tick reads a tick of the world.
func (v values) tick(into *int64) string { return v.integer("tick", into, math.MaxInt64) }

// integer reads a number of 0..limit.
func (v values) integer(name string, into *int64, limit int64) string {
	given := v.text(name)
	if given == "" {
		return ""
	}
	n, err := strconv.ParseInt(given, 10, 64)
	if err != nil || n < 0 || n > limit {
		return fmt.Sprintf("%s=%s is not a whole number from 0 to %d", name, brief(given), limit)
	}
	*into = n
	return ""
}

// stamp reads a version and a tick.
func (v values) stamp(name string, into *Stamp) string {
	given := v.text(name)
	if given == "" {
		return ""
	}
	stamp, ok := parseStamp(given)
	if !ok {
		return fmt.Sprintf("%s=%s is not a stamp; one looks like 7@120, version@tick", name, brief(given))
	}
	*into = stamp
	return ""
}

// origin reads who wrote a bullet.
func (v values) origin(into *Origin) string {
	origins := []Origin{Reflection, Seed, Manual}
	given := Origin(v.text("origin"))
	if given == "" {
		return ""
	}
	if !slices.Contains(origins, given) {
		return fmt.Sprintf("unknown origin=%s; allowed: %s", brief(string(given)), allowed(origins))
	}
	*into = given
	return ""
}

// trust reads a level by its name. Unlike a trace, a file is edited by people, so a
// misspelt level is told and not taken as the lowest.
func (v values) trust(into *trace.Trust) string {
	given := v.text("trust")
	if given == "" {
		return ""
	}
	var names []string
	for level := trace.TrustToolError; level <= trace.TrustRules; level++ {
		if names = append(names, level.String()); level.String() == given {
			*into = level
			return ""
		}
	}
	return fmt.Sprintf("unknown trust=%s; allowed: %s", brief(given), allowed(names))
}

// plain returns a value as it stands after an equals sign: as it is when it is made
// of the characters of an id, otherwise as a JSON string.
func plain(value string) string {
	if value == "" || strings.ContainsFunc(value, func(r rune) bool { return !relevance.IsWord(r) && !strings.ContainsRune("-_./+", r) }) {
		return memory.Quote(value)
	}
	return value
}

// unquote reads a JSON string at the beginning of text and returns what follows.
func unquote(text string) (value, rest string, ok bool) {
	decoder := json.NewDecoder(strings.NewReader(text))
	if err := decoder.Decode(&value); err != nil {
		return "", "", false
	}
	return value, text[decoder.InputOffset():], true
}

// parseStamp reads a stamp, version@tick.
func parseStamp(text string) (Stamp, bool) {
	version, tick, found := strings.Cut(text, "@")
	v, errVersion := strconv.Atoi(version)
	t, errTick := strconv.ParseInt(tick, 10, 64)
	ok := found && cmp.Or(errVersion, errTick) == nil && v >= 0 && v <= NumberMax && t >= 0
	return Stamp{Version: v, Tick: t}, ok
}
