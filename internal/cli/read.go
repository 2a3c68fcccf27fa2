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
	"example.com/agentworld/trace"
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
		return s.readCount(text, target)
	case kindSeed:
		return s.readSeed(text, target.(*uint64))
	case kindMillis:
		return s.readMillis(text, target.(*int64))
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
		models, err := parseAgentModels(text)
		if err == nil {
			*target.(*[]trace.AgentModel) = models
		}
		return err
	case kindLayers:
		return readLayers(text, target.(*[]string))
	case kindFile:
		return nil
	case kindText, kindPath:
		*target.(*string) = text
		return nil
	}
	panic(fmt.Sprintf("setting %s has unknown kind %d", s.name(), s.kind))
}

// readCount reads a whole number within the setting's bounds. A number beyond 64
// bits is out of range, not malformed.
func (s setting) readCount(text string, target any) error {
	v, err := strconv.ParseInt(text, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && (v < s.min || v > s.max):
		return s.refuse(text, "is out of range")
	case err != nil:
		return s.refuse(text, "is not a whole number")
	}
	if n, short := target.(*int); short {
		*n = int(v)
	} else {
		*target.(*int64) = v
	}
	return nil
}

// readSeed reads an unsigned number of 64 bits; 0 is a seed like any other.
func (s setting) readSeed(text string, seed *uint64) error {
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return s.refuse(text, "is not a seed")
	}
	*seed = v
	return nil
}

// readMillis accepts a plain number of milliseconds because the environment
// variables and file keys end in MS.
func (s setting) readMillis(text string, ms *int64) error {
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
	*ms = v.Milliseconds()
	return nil
}

// text is a value as the setting reads it back, empty where it is absent.
func (s setting) text(c *config) string {
	number := func(n int64) string {
		if n == 0 && s.fallback == "" {
			return ""
		}
		return strconv.FormatInt(n, 10)
	}
	switch v := s.into(c).(type) {
	case *string:
		if s.kind != kindFile {
			return *v
		}
	case *int:
		return number(int64(*v))
	case *int64:
		return number(*v)
	case *uint64:
		return strconv.FormatUint(*v, 10)
	case *bool:
		return strconv.FormatBool(*v)
	case *price.Money:
		if *v > 0 {
			return v.String()
		}
	case *[]string:
		return strings.Join(*v, ",")
	case *[]trace.AgentModel:
		return agentModelsText(*v)
	}
	return ""
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
