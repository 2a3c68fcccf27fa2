package answer

import (
	"regexp"
	"strings"
)

// The template with channels: <|start|>assistant<|channel|>commentary to=functions.NAME
// <|constrain|>json<|message|>{...}<|call|>. What leaks of it has any of its tokens, or none but
// the recipient. A recipient makes a message a call, on any channel.

// channelToken matches a token of the template.
var channelToken = regexp.MustCompile(`(?i)<` + bars + `(start|channel|message|constrain|end|call|return)` + bars + `>`)

// channelTokensMax bounds the tokens that are looked at.
const channelTokensMax = 128

var (
	// analysisHeader matches the header of a message that is only thought.
	analysisHeader = regexp.MustCompile(`(?i)<` + bars + `channel` + bars + `>\s*analysis\b`)
	// recipient matches to whom a message goes, recipientBefore one in front of its channel.
	recipient = regexp.MustCompile(`(?:<` + bars + `\w{1,20}` + bars + `>\s*\w*?\s*|` +
		`\b(?:assistant|commentary|analysis|final)\s*)*` +
		`(?:\b|assistant)to\s?=\s*["'` + "`" + `]?(?:functions?\.)?([\w.:/-]+)`)
	recipientBefore = regexp.MustCompile(`(?:\bassistant\s*|\b)to\s?=\s*[\w.:/-]+\s*$`)
	// messageEnd matches what ends a message.
	messageEnd = regexp.MustCompile(`(?i)<` + bars + `(?:start|end|call|return)` + bars + `>`)
)

// leaked is one message of a text in the template.
type leaked struct {
	// from and to are where the message begins and ends, content is where its header ends.
	from, content, to int
	ended             bool
}

// messagesIn finds the messages of a text in the template. A token inside of an object is part of a
// value.
func messagesIn(text string) (messages []leaked) {
	tokens := channelToken.FindAllStringSubmatchIndex(text, channelTokensMax)
	var m *leaked
	end := func(at int, ended bool) {
		if m != nil {
			m.to, m.ended = at, ended
			messages = append(messages, *m)
		}
		m = nil
	}
	last := 0
	for _, at := range tokens {
		if m != nil && m.content >= 0 && insideObject(text[m.content:at[0]]) {
			continue
		}
		switch strings.ToLower(text[at[2]:at[3]]) {
		case "start":
			end(at[0], true)
			m = &leaked{from: at[0], content: -1}
		case "channel":
			if m == nil || m.content >= 0 {
				end(at[0], true)
				from := at[0]
				if before := recipientBefore.FindStringIndex(text[last:from]); before != nil {
					from = last + before[0]
				}
				m = &leaked{from: from, content: -1}
			}
		case "message":
			if m == nil {
				m = &leaked{from: at[0]}
			}
			m.content = at[1]
		case "end", "call", "return":
			end(at[1], true)
			last = at[1]
		}
	}
	end(len(text), false)
	return messages
}

// withoutAnalysis takes out the messages of a text that only think. whole is false when the last of
// them does not end.
func withoutAnalysis(text string) (said string, whole bool) {
	messages := messagesIn(text)
	if len(messages) == 0 {
		return text, true
	}
	var b strings.Builder
	from := 0
	for _, m := range messages {
		header := text[m.from:max(m.from, m.content)]
		if m.content < 0 || !analysisHeader.MatchString(header) || recipient.MatchString(header) {
			continue
		}
		if !m.ended {
			return "", false
		}
		b.WriteString(text[from:m.from])
		from = m.to
	}
	b.WriteString(text[from:])
	return b.String(), true
}

// resultMadeUp is where a text begins to be what a tool answered, -1 if it never does: a message to
// the assistant. Only the engine answers calls.
func resultMadeUp(text string) int {
	for _, m := range messagesIn(text) {
		to := recipient.FindStringSubmatch(text[m.from:max(m.from, m.content)])
		if to != nil && strings.EqualFold(to[1], "assistant") {
			return m.from
		}
	}
	return -1
}

// recipientOf is who an object is for, given the text before it: the last recipient of a message that
// has not ended, with any words after it. mark is the text from there on.
func recipientOf(before string) (name, mark string) {
	all := recipient.FindAllStringSubmatchIndex(before, -1)
	if len(all) == 0 {
		return "", ""
	}
	at := all[len(all)-1]
	if rest := before[at[1]:]; strings.ContainsAny(rest, "{}") || messageEnd.MatchString(rest) {
		return "", ""
	}
	return before[at[2]:at[3]], before[at[0]:]
}
