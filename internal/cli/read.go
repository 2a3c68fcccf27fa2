package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
)

// shownValueMax bounds how much of a refused value an error repeats.
const shownValueMax = 80

// read parses text as the setting's kind and stores it at target, the address of
// a config field. The error says what is wrong and what is allowed, on one line;
// the field is then unchanged. The caller adds where the text stands. A target
// that does not fit the kind is a mistake in the table and panics.
func (s setting) read(text string, target any) error {
	switch s.kind {
	case kindCount:
		return s.readCount(text, target.(*int64))
	case kindSeed:
		return s.readSeed(text, target.(*optionalSeed))
	case kindMillis:
		return s.readMillis(text, target.(*time.Duration))
	case kindSwitch:
		return s.readSwitch(text, target.(*bool))
	case kindChoice:
		return s.readChoice(text, target.(*string))
	case kindMoney:
		return s.readMoney(text, target.(*price.Money))
	case kindURL:
		return readURL(text, target.(*string))
	case kindSecret:
		return readSecret(text, target.(*openai.Secret))
	case kindAgents:
		return readAgentModels(text, target.(*string))
	case kindText, kindPath:
		*target.(*string) = text
		return nil
	}
	panic(fmt.Sprintf("setting %s has unknown kind %d", s.name(), s.kind))
}

// readCount reads a whole number within the setting's bounds. A number beyond 64
// bits is out of range, not malformed.
func (s setting) readCount(text string, n *int64) error {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (v < s.min || v > s.max):
		return s.refuse(text, "is out of range")
	case err != nil:
		return s.refuse(text, "is not a whole number")
	}
	*n = v
	return nil
}

// readSeed reads an unsigned number of 64 bits; 0 is a seed like any other.
func (s setting) readSeed(text string, seed *optionalSeed) error {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return s.refuse(text, "is not a seed")
	}
	*seed = optionalSeed{Set: true, Value: v}
	return nil
}

// readMillis accepts a plain number of milliseconds because the environment
// variables and file keys end in MS.
func (s setting) readMillis(text string, d *time.Duration) error {
	v, err := time.ParseDuration(text)
	if _, number := strconv.ParseFloat(text, 64); number == nil {
		v, err = time.ParseDuration(text + "ms")
	}
	if err != nil {
		return s.refuse(text, "is not a duration")
	}
	if v < millis(s.min) || v > millis(s.max) {
		return s.refuse(text, "is out of range")
	}
	*d = v
	return nil
}

// millis is n milliseconds, the unit in which a setting bounds its durations.
func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// readSwitch reads true or false; 1 and 0 serve scripts.
func (s setting) readSwitch(text string, on *bool) error {
	switch text {
	case "true", "1":
		*on = true
	case "false", "0":
		*on = false
	default:
		return s.refuse(text, "is neither true nor false")
	}
	return nil
}

// readChoice takes one of the setting's choices, written exactly so.
func (s setting) readChoice(text string, choice *string) error {
	if !slices.Contains(s.choices, text) {
		return s.refuse(text, "is not known")
	}
	*choice = text
	return nil
}

// readMoney reads an amount above zero: a cap of nothing would be a run of nothing.
func (s setting) readMoney(text string, amount *price.Money) error {
	v, err := price.ParseMoney(text)
	switch {
	case err != nil:
		return s.refuse(text, "is not an amount of money")
	case v == 0:
		return s.refuse(text, "is out of range")
	}
	*amount = v
	return nil
}

// refuse says what is wrong with a text and what is allowed instead. It repeats
// the text, so it is not for secrets and URLs, which have errors of their own.
func (s setting) refuse(text, problem string) error {
	return fmt.Errorf("%s %s; allowed: %s", shown(text), problem, s.allowed())
}

// readURL keeps the text as written: the client parses it again with the same
// function. The error is the parser's own, which leaves secrets out.
func readURL(text string, url *string) error {
	if _, err := openai.ParseBaseURL(text); err != nil {
		return err
	}
	*url = text
	return nil
}

// readSecret refuses a key that could not travel in an HTTP header. The message
// must not repeat any of it.
func readSecret(text string, key *openai.Secret) error {
	if strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return errors.New("the key holds a space or a special character; allowed: visible ASCII characters")
	}
	*key = openai.NewSecret(text)
	return nil
}

// shown quotes a refused value for an error: bounded, on one line, and without a key
// that was put in the wrong place.
func shown(text string) string {
	return strconv.Quote(plaintext.Clip(openai.Masked(text), shownValueMax))
}
