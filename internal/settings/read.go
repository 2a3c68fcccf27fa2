package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/agentworld/internal/document"
	"example.com/agentworld/llmclient"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/llmclient/price"
	"example.com/agentworld/trace"
)

// DidYouMean asks for the nearest of names in an error, and is empty if none is near.
func DidYouMean(word string, names []string) string {
	if name := document.Nearest(word, names); name != "" {
		return "did you mean " + openai.Quoted(name) + "? "
	}
	return ""
}

// Read parses text as the setting's kind and stores it at target, the address of
// a config field. The error says what is wrong and what is allowed, on one line;
// the field is then unchanged. The caller adds the place of the text. A target
// that does not fit the kind is a mistake in the table and panics.
func (s Setting) Read(text string, target any) error {
	// A name of a file may be any bytes. All else is recorded as JSON, which would change it.
	if !utf8.ValidString(text) && s.Kind != KindPath && s.Kind != KindFile && s.Kind != KindDir {
		return errors.New("the text is not valid UTF-8; allowed: text in UTF-8")
	}
	switch s.Kind {
	case KindCount:
		v, err := strconv.ParseInt(text, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && (v < s.Min || v > s.Max):
			return s.refuse(text, "is out of range") // beyond 64 bits as well
		case err != nil:
			return s.refuse(text, "is not a whole number")
		}
		reflect.ValueOf(target).Elem().SetInt(v)
	case KindNumber:
		v, err := strconv.ParseFloat(text, 64)
		// it goes into requests as it is
		if err != nil || !json.Valid([]byte(text)) || v < float64(s.Min) || v > float64(s.Max) {
			return s.refuse(text, "is no such number")
		}
		*target.(*json.Number) = json.Number(text)
	case KindJSON:
		extra := llmclient.Sampling{ExtraBody: json.RawMessage(text)}
		if err := extra.Validate(); err != nil {
			return err
		}
		*target.(*json.RawMessage) = llmclient.Marshal(extra.ExtraBody)
	case KindSeed:
		v, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			return s.refuse(text, "is not a seed")
		}
		*target.(*uint64) = v
	case KindMillis:
		// A plain number of milliseconds, because the environment variables and file keys
		// end in MS, or a duration.
		v, err := time.ParseDuration(text)
		if _, number := strconv.ParseFloat(text, 64); number == nil {
			v, err = time.ParseDuration(text + "ms")
		}
		if err != nil {
			return s.refuse(text, "is not a duration")
		}
		if v < Millis(s.Min) || v > Millis(s.Max) {
			return s.refuse(text, "is out of range")
		}
		*target.(*int64) = v.Milliseconds()
	case KindSwitch:
		// 1 and 0 serve scripts.
		if !slices.Contains([]string{"true", "1", "false", "0"}, text) {
			return s.refuse(text, "is neither true nor false")
		}
		*target.(*bool) = text == "true" || text == "1"
	case KindChoice:
		if !slices.Contains(s.Choices, text) {
			return fmt.Errorf("%s is not known; %sallowed: %s", openai.Quoted(text), DidYouMean(text, s.Choices), s.Allowed())
		}
		*target.(*string) = text
	case KindMoney:
		v, err := price.ParseMoney(text)
		switch {
		case err != nil:
			return s.refuse(text, "is not an amount of money")
		case v == 0: // a cap of nothing would be a run of nothing
			return s.refuse(text, "is out of range")
		}
		*target.(*price.Money) = v
	case KindURL:
		// The text is kept as written: the client parses it again with the same function,
		// whose error leaves secrets out.
		if _, err := openai.ParseBaseURL(text); err != nil {
			return err
		}
		*target.(*string) = text
	case KindSecret:
		return ReadSecret(text, target.(*openai.Secret))
	case KindAgents:
		models, err := ParseAgentModels(text)
		if err != nil {
			return err
		}
		*target.(*[]trace.AgentModel) = models
	case KindChecks:
		return readChecks(text, target.(*[]string))
	case KindText, KindPath, KindGates:
		*target.(*string) = text
	case KindFile, KindDir:
		// It is read when the settings are checked against each other.
	default:
		panic(fmt.Sprintf("setting %s has unknown kind %q", s.Name(), s.Kind))
	}
	return nil
}

// Text is a value as the setting reads it back, empty where it is absent.
func (s Setting) Text(c *Config) string {
	field := reflect.ValueOf(s.Into(c)).Elem()
	switch v := field.Interface().(type) {
	case string:
		if s.Kind != KindFile && s.Kind != KindDir {
			return v
		}
	case int, int64:
		if !field.IsZero() || s.Fallback != "" {
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
		return AgentModelsText(v)
	}
	return ""
}

// Millis is n milliseconds, the unit in which a setting bounds its durations.
func Millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// refuse says what is wrong with a text and what is allowed instead. It repeats
// the text, so it is not for secrets and URLs, which have errors of their own.
func (s Setting) refuse(text, problem string) error {
	return fmt.Errorf("%s %s; allowed: %s", openai.Quoted(text), problem, s.Allowed())
}

// ReadSecret refuses a key that could not travel in an HTTP header. The message
// must not repeat any of it.
func ReadSecret(text string, key *openai.Secret) error {
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

// readChecks reads which checks of the guard are left out: names between commas, "all"
// for every one of them. Nothing is left out by default.
func readChecks(text string, off *[]string) error {
	names := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
	if len(names) == 1 && names[0] == None {
		*off = nil
		return nil
	}
	if slices.Contains(names, None) {
		return fmt.Errorf("%q stands beside other names; allowed: %s alone, or names of checks", None, None)
	}
	checks, err := trace.ParseChecks(names)
	if err != nil {
		return err
	}
	*off = checks
	return nil
}

// Allowed describes the values a setting may have; empty when any text will do.
// It is the same text in help and in the error for a value that is not allowed.
func (s Setting) Allowed() string {
	if s.Removable {
		s.Removable = false
		return cmp.Or(s.Allowed(), "a text") + ", or " + None
	}
	switch s.Kind {
	case KindCount:
		return fmt.Sprintf("a whole number from %d to %d", s.Min, s.Max)
	case KindNumber:
		return fmt.Sprintf("a number from %d to %d", s.Min, s.Max)
	case KindJSON:
		return "a JSON object"
	case KindSeed:
		return fmt.Sprintf("a whole number from 0 to %d", uint64(1<<64-1))
	case KindMillis:
		return fmt.Sprintf("a duration such as 30s or a number of milliseconds, from %v to %v", Millis(s.Min), Millis(s.Max))
	case KindSwitch:
		return "true, false"
	case KindMoney:
		return "an amount of money above 0 such as 2 or 0.05, in the currency of the prices"
	case KindAgents:
		return AgentModelForm
	case KindChoice:
		return strings.Join(s.Choices, ", ")
	}
	return ""
}
