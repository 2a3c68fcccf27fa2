package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/agentworld/tools"
	"example.com/agentworld/trace"
)

// doing is a tool without arguments.
func doing(do func(ctx context.Context) (any, error)) tools.Tool {
	t := tools.New("t", "1", "", func(ctx context.Context, _ struct{}) (any, error) { return do(ctx) })
	t.ToolLimits = trace.ToolLimits{TimeoutMS: 1000, BytesMax: 100}
	return t
}

// TestWhatAToolDoesIsAResult: an error, a panic, silence, too much and nonsense each have a code, within the
// limits of the tool. A result that comes late is dropped, and its goroutine ends.
func TestWhatAToolDoesIsAResult(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(ctx context.Context) (any, error)
		code   trace.ToolCode
		result string
		full   int
	}{
		"a text":       {do: func(context.Context) (any, error) { return "yes", nil }, result: `"yes"`, full: 5},
		"nothing":      {do: func(context.Context) (any, error) { return nil, nil }, result: `null`, full: 4},
		"an error":     {do: func(context.Context) (any, error) { return nil, errors.New("no") }, code: trace.ToolFailed, result: `"no"`, full: 4},
		"a panic":      {do: func(context.Context) (any, error) { panic("s3cr3t") }, code: trace.ToolPanicked},
		"no JSON":      {do: func(context.Context) (any, error) { return math.NaN(), nil }, code: trace.ToolFailed},
		"too long":     {do: func(context.Context) (any, error) { return strings.Repeat("é\n", 100), nil }, full: 402},
		"not in time":  {do: func(context.Context) (any, error) { time.Sleep(2 * time.Second); return "late", nil }, code: trace.ToolTimeout},
		"gives up":     {do: func(ctx context.Context) (any, error) { <-ctx.Done(); return nil, ctx.Err() }, code: trace.ToolTimeout},
		"unreachable":  {do: func(context.Context) (any, error) { return nil, tools.ErrUnavailable }, code: trace.ToolUnavailable},
		"another tool": {do: func(context.Context) (any, error) { return nil, tools.ErrChanged }, code: trace.ToolChanged},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, failure := tools.NewSet(doing(c.do)).CallTool(t.Context(), trace.ToolCall{Tool: "t", Arguments: json.RawMessage("{}")})
				time.Sleep(3 * time.Second) // the goroutine of a late result ends
				if failure != nil || got.Code != c.code || got.BytesFull != c.full || len(got.Result) > 100 {
					t.Errorf("%s %s of %d bytes, %v", got.Code, got.Result, got.BytesFull, failure)
				}
				if c.full <= 100 && string(got.Result) != c.result {
					t.Errorf("the result is %s, want %s", got.Result, c.result)
				}
				var text string
				if c.full > 100 && (json.Unmarshal(got.Result, &text) != nil || !strings.HasPrefix(text, "é\né\n") || strings.Contains(text, "\ufffd")) {
					t.Errorf("the beginning of a long result is %s", got.Result)
				}
			})
		})
	}
	if got, _ := tools.NewSet().CallTool(t.Context(), trace.ToolCall{Tool: "t"}); got.Code != trace.ToolUnavailable {
		t.Errorf("a tool that is not there says %+v", got)
	}
}

// TestTrustIsOfAServer: tools of one server are a way from one agent to another, whichever of them each has.
func TestTrustIsOfAServer(t *testing.T) {
	of := func(name, server string, agents ...string) tools.Tool {
		one := doing(nil)
		one.Name, one.Server, one.Agents, one.Trusted = name, server, agents, true
		return one
	}
	set := tools.NewSet(of("save", "notes", "a"), of("load", "notes", "b"), of("sum", "", "a"), of("mine", "own", "b"))
	offered, notes := set.Offer(nil, []string{"a", "b"})
	var trusted []string
	for _, o := range offered {
		if o.Trusted {
			trusted = append(trusted, o.Name)
		}
	}
	if strings.Join(trusted, " ") != "sum mine" || len(notes) != 2 {
		t.Errorf("trusted are %v; notes %q", trusted, notes)
	}
}

// TestTypesWithoutAStrictSchema are a bug of the program, which New shows at once.
func TestTypesWithoutAStrictSchema(t *testing.T) {
	for name, make := range map[string]func(){
		"may be left out": func() {
			tools.New("t", "1", "", func(context.Context, struct {
				A string `json:"a,omitempty"`
			}) (any, error) {
				return nil, nil
			})
		},
		"anything": func() {
			tools.New("t", "1", "", func(context.Context, struct{ A any }) (any, error) { return nil, nil })
		},
		"no object": func() { tools.New("t", "1", "", func(context.Context, string) (any, error) { return nil, nil }) },
		"any names": func() {
			tools.New("t", "1", "", func(context.Context, map[string]string) (any, error) { return nil, nil })
		},
		"a name twice": func() { tools.NewSet(doing(nil), doing(nil)) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: there is no panic", name)
				}
			}()
			make()
		}()
	}
}
