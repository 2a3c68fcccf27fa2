package jq

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"
	"time"
)

// small are bounds that a test can reach at little cost.
var small = Bounds{Time: 300 * time.Millisecond, Bytes: 48 << 20}

// lines is a stream of so many objects, each with its number.
func lines(n int) func(io.Writer) error {
	return func(w io.Writer) error {
		for i := range n {
			if _, err := fmt.Fprintf(w, `{"type":"t","n":%d,"seed":18446744073709551615}`+"\n", i+1); err != nil {
				return err
			}
		}
		return nil
	}
}

// eval evaluates a text over ten objects.
func eval(t *testing.T, text string) (string, error) {
	t.Helper()
	e, err := Parse(text)
	if err != nil {
		return "", err
	}
	v, err := e.Eval(t.Context(), small, lines(10))
	switch {
	case err != nil:
		return "", err
	case v == nil:
		return "null", nil
	}
	return fmt.Sprint(*v), nil
}

func TestValues(t *testing.T) {
	for text, want := range map[string]string{
		`reduce inputs as $r (0; . + $r.n)`:         "55",
		`[inputs | select(.n > 8)] | length`:        "2",
		`null`:                                      "null",
		`first(inputs) | .n`:                        "1",
		`[inputs.seed] | unique | length`:           "1",
		`first(inputs.seed) - 18446744073709551614`: "1",
		`0.5`:                               "0.5",
		`12 | gmtime | mktime`:              "12",
		`def f: 3; f`:                       "3",
		`[inputs.n] | add / length`:         "5.5",
		`try error("x") catch 7`:            "7",
		`"2026-01-01T00:00:00Z" | fromdate`: "1.7672256e+09",
	} {
		if got, err := eval(t, text); err != nil || got != want {
			t.Errorf("%s = %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestWrong(t *testing.T) {
	for text, want := range map[string]string{
		``:                                     "is empty",
		`1 +`:                                  "no jq expression",
		`foo`:                                  "function not defined: foo/0",
		`$x`:                                   "variable not defined: $x",
		`"a"`:                                  `returned "a"; allowed: a number`,
		`empty`:                                "returned nothing",
		`1, 2`:                                 "more than one value",
		`[]`:                                   "returned []",
		`true`:                                 "returned true",
		`infinite`:                             "finite number",
		`nan`:                                  "finite number",
		`error("no\nline")`:                    "no",
		`1 + "a"`:                              "cannot add",
		`1, error("late")`:                     "late",
		`import "a" as a; 1`:                   "modules are refused",
		`include "a"; 1`:                       "modules are refused",
		`input | now`:                          "now is refused: there is no clock",
		`[1 | localtime]`:                      "localtime is refused",
		`1 | strflocaltime("%H")`:              "strflocaltime is refused",
		`env.HOME`:                             "env is refused",
		`$ENV.HOME`:                            "$ENV is refused",
		`{a: $ENV}`:                            "$ENV is refused",
		`"\(env)"`:                             "env is refused",
		`def f(g): g; f(now)`:                  "now is refused",
		`try now catch 1`:                      "now is refused",
		`. as {a: $x} | env`:                   "env is refused",
		`input_filename`:                       "input_filename is refused",
		`1 | debug`:                            "debug is refused",
		`1 | debug("x")`:                       "debug is refused",
		`1 | stderr`:                           "stderr is refused",
		`halt`:                                 "halt is refused",
		`"x" | halt_error(1)`:                  "halt_error is refused",
		`"a" | modulemeta`:                     "modulemeta is refused",
		`get_search_list`:                      "get_search_list is refused",
		`if env then 1 else 2 end`:             "env is refused",
		`reduce env as $x (0; 1)`:              "env is refused",
		strings.Repeat("1+", CharsMax/2) + "1": "bytes; allowed",
	} {
		if got, err := eval(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s = %q, %v, want an error with %q", text, got, err, want)
		}
		if _, err := eval(t, text); err != nil && strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Errorf("%.40s: %q is not one line", text, err)
		}
	}
}

// TestBounds: what takes too much ends in an error that says so, also where one call into the
// interpreter takes it, which nothing in this process could end.
func TestBounds(t *testing.T) {
	const shared = `reduce range(60) as $i ([0]; [., .])`
	quick := Bounds{Time: 150 * time.Millisecond, Bytes: Default.Bytes}
	narrow := Bounds{Time: Default.Time, Bytes: 32 << 20}
	for _, of := range []struct {
		bounds Bounds
		want   error
		texts  []string
	}{
		{quick, ErrTime, []string{`def f: f; f`, `last(repeat(0))`, shared + ` | . == (` + shared + `)`}},
		{narrow, ErrMemory, []string{
			`[range(1e12)]`, shared + ` | tojson`, `[] | .[100000000] = 1 | 1`, `"x" * 1e9 | length`, `def f: 1 + f; f`,
			`reduce range(1e7) as $i (0; [.]) | tojson | length`,
		}},
	} {
		for _, text := range of.texts {
			e, err := Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.Eval(t.Context(), of.bounds, lines(10))
			if !errors.Is(err, of.want) {
				t.Errorf("%s = %v, %v, want %v", text, v, err, of.want)
			}
		}
	}
}

func TestStreamEndsEarly(t *testing.T) {
	e, err := Parse("1")
	if err != nil {
		t.Fatal(err)
	}
	v, err := e.Eval(t.Context(), small, lines(1_000_000)) // which it does not read
	if err != nil || *v != 1 {
		t.Errorf("an expression that reads nothing gave %v, %v", v, err)
	}
	broken := errors.New("disk on fire")
	_, err = e.Eval(t.Context(), small, func(io.Writer) error { return broken })
	if !errors.Is(err, broken) {
		t.Errorf("a stream that fails gave %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Eval(ctx, small, lines(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestNoEnvironment: the process of an expression has nothing of this one.
func TestNoEnvironment(t *testing.T) {
	t.Setenv("AGENT_WORLD_LLM_API_KEY", "sk-secret")
	t.Setenv("TZ", "Asia/Tokyo")
	if got, err := eval(t, `"1970-01-01 12" | strptime("%Y-%m-%d %H") | mktime`); err != nil || got != "43200" {
		t.Errorf("noon is %s, %v", got, err)
	}
	if os.Args[0] == childName {
		t.Error("this process is its own child")
	}
}

// TestParseIsBounded: what happens in this process to a text of the greatest length ends soon, and in no panic.
func TestParseIsBounded(t *testing.T) {
	half := CharsMax/2 - 1
	for _, text := range []string{
		strings.Repeat("-", CharsMax-1) + "1", strings.Repeat("[", half) + strings.Repeat("]", half),
		strings.Repeat("1+", half) + "1", "." + strings.Repeat("[0]", CharsMax/3-1), strings.Repeat("try ", CharsMax/4-1) + "1",
		strings.Repeat(`"\(`, CharsMax/5) + "1" + strings.Repeat(`)"`, CharsMax/5),
		strings.Repeat("def f:", CharsMax/8) + "1" + strings.Repeat(";f", CharsMax/8), strings.Repeat("(", CharsMax),
		strings.Repeat("reduce . as $x (0;", CharsMax/20) + "1" + strings.Repeat(")", CharsMax/20),
		strings.Repeat("1|", half) + "1", strings.Repeat(". as [$a,$b] ?// ", CharsMax/18) + "[$a] | 1",
	} {
		began := processorTime()
		_, err := Parse(text)
		if took := processorTime() - began; took > 5*time.Second { // a hundred times what it takes
			t.Errorf("%.20s... took %s: %v", text, took, err)
		}
	}
}
