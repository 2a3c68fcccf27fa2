package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/report"
	"example.com/agentworld/trace"
)

// shownValueMax bounds how much of a refused value an error repeats.
const shownValueMax = 80

// read parses text as the setting's kind and stores it at target, the address of
// a config field. The error says what is wrong and what is allowed, on one line;
// the field is then unchanged. The caller adds the place of the text. A target
// that does not fit the kind is a mistake in the table and panics.
func (s setting) read(text string, target any) error {
	// A name of a file may be any bytes. All else is recorded as JSON, which would change it.
	if !utf8.ValidString(text) && s.kind != kindPath && s.kind != kindFile && s.kind != kindDir {
		return errors.New("the text is not valid UTF-8; allowed: text in UTF-8")
	}
	switch s.kind {
	case kindCount:
		v, err := strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && (v < s.min || v > s.max):
			return s.refuse(text, "is out of range") // beyond 64 bits as well
		case err != nil:
			return s.refuse(text, "is not a whole number")
		}
		reflect.ValueOf(target).Elem().SetInt(v)
	case kindNumber:
		v, err := strconv.ParseFloat(text, 64)
		// it goes into requests as it is
		if err != nil || !json.Valid([]byte(text)) || v < float64(s.min) || v > float64(s.max) {
			return s.refuse(text, "is no such number")
		}
		*target.(*json.Number) = json.Number(text)
	case kindJSON:
		extra := llmclient.Sampling{ExtraBody: json.RawMessage(text)}
		if err := extra.Validate(); err != nil {
			return err
		}
		*target.(*json.RawMessage) = llmclient.Marshal(extra.ExtraBody)
	case kindSeed:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return s.refuse(text, "is not a seed")
		}
		*target.(*uint64) = v
	case kindMillis:
		// A plain number of milliseconds, because the environment variables and file keys
		// end in MS, or a duration.
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
		*target.(*int64) = v.Milliseconds()
	case kindSwitch:
		// 1 and 0 serve scripts.
		if !slices.Contains([]string{"true", "1", "false", "0"}, text) {
			return s.refuse(text, "is neither true nor false")
		}
		*target.(*bool) = text == "true" || text == "1"
	case kindChoice:
		if !slices.Contains(s.choices, text) {
			return fmt.Errorf("%s is not known; %sallowed: %s", shown(text), didYouMean(text, s.choices), s.allowed())
		}
		*target.(*string) = text
	case kindMoney:
		v, err := price.ParseMoney(text)
		switch {
		case err != nil:
			return s.refuse(text, "is not an amount of money")
		case v == 0: // a cap of nothing would be a run of nothing
			return s.refuse(text, "is out of range")
		}
		*target.(*price.Money) = v
	case kindURL:
		// The text is kept as written: the client parses it again with the same function,
		// whose error leaves secrets out.
		if _, err := openai.ParseBaseURL(text); err != nil {
			return err
		}
		*target.(*string) = text
	case kindSecret:
		return readSecret(text, target.(*openai.Secret))
	case kindAgents:
		models, err := parseAgentModels(text)
		if err != nil {
			return err
		}
		*target.(*[]trace.AgentModel) = models
	case kindGates:
		for one := range strings.FieldsSeq(text) {
			if _, err := report.ParseBound(one); err != nil {
				return err
			}
		}
		*target.(*string) = text
	case kindChecks:
		return readChecks(text, target.(*[]string))
	case kindText, kindPath:
		*target.(*string) = text
	case kindFile, kindDir:
		// It is read when the settings are checked against each other.
	default:
		panic(fmt.Sprintf("setting %s has unknown kind %q", s.name(), s.kind))
	}
	return nil
}

// text is a value as the setting reads it back, empty where it is absent.
func (s setting) text(c *config) string {
	field := reflect.ValueOf(s.into(c)).Elem()
	switch v := field.Interface().(type) {
	case string:
		if s.kind != kindFile {
			return v
		}
	case int, int64:
		if !field.IsZero() || s.fallback != "" {
			return fmt.Sprint(v)
		}
	case json.Number:
		return v.String()
	case json.RawMessage:
		return string(v)
	case uint64, bool:
		return fmt.Sprint(v)
	case price.Money:
		if v > 0 {
			return v.String()
		}
	case []string:
		return strings.Join(v, ",")
	case []trace.AgentModel:
		return agentModelsText(v)
	}
	return ""
}

// millis is n milliseconds, the unit in which a setting bounds its durations.
func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// refuse says what is wrong with a text and what is allowed instead. It repeats
// the text, so it is not for secrets and URLs, which have errors of their own.
func (s setting) refuse(text, problem string) error {
	return fmt.Errorf("%s %s; allowed: %s", shown(text), problem, s.allowed())
}

// readSecret refuses a key that could not travel in an HTTP header. The message
// must not repeat any of it.
func readSecret(text string, key *openai.Secret) error {
	if strings.ContainsAny(text, "\"'`“”‘’") {
		return errors.New("the key holds quotes, which a file of variables or a shell of Windows may keep; " +
			"allowed: the key without the quotes around it")
	}
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

// readChecks reads which checks of the guard are left out: names between commas, "all"
// for every one of them. Nothing is left out by default.
func readChecks(text string, off *[]string) error {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 1 && names[0] == noneText {
		*off = nil
		return nil
	}
	if slices.Contains(names, noneText) {
		return fmt.Errorf("%q stands beside other names; allowed: %s alone, or names of checks", noneText, noneText)
	}
	checks, err := trace.ParseChecks(names)
	if err != nil {
		return err
	}
	*off = checks
	return nil
}
