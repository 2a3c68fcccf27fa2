package engine_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/engine"
	rundir "example.com/agentworld/run"
	"example.com/agentworld/trace"
	"example.com/agentworld/trace/tracetest"
)

func requireReplays(t *testing.T, dir string, ticks int64) {
	t.Helper()
	result, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if !result.Equal {
		t.Errorf("replay differs at line %d:\nrecorded %.600s\nderived  %.600s", result.Line, result.Recorded, result.Derived)
	}
	if result.Ticks != ticks {
		t.Errorf("replayed %d ticks, want %d", result.Ticks, ticks)
	}
}

func TestReplayAgreesInBothProtocols(t *testing.T) {
	slow(t)
	for protocol, profile := range map[string]string{"full": "compact", "lean": "rich"} {
		o := options(t, "llm_bootstrap", 12)
		o.Protocol, o.PromptProfile = protocol, profile
		run(t, o)
		if want := `"prompt_profile":"` + profile + `"`; !bytes.Contains(readTrace(t, o.RunDir), []byte(want)) {
			t.Errorf("%s: the trace has no %s", protocol, want)
		}
		requireReplays(t, o.RunDir, 12)
	}
}

// TestReplayNoticesTampering changes one thing at a time in a recorded run.
func TestReplayNoticesTampering(t *testing.T) {
	o := options(t, "llm_bootstrap", 6)
	run(t, o)
	whole := readTrace(t, o.RunDir)
	for name, change := range map[string]func(string) string{
		"digest":   func(s string) string { return replaceLast(s, `"digest":"`, `"digest":"0`) },
		"seed":     func(s string) string { return strings.Replace(s, `"seed":`, `"seed":9`, 1) },
		"decision": func(s string) string { return replaceLast(s, `"decided_by":"model"`, `"decided_by":"engine"`) },
		"answer":   func(s string) string { return replaceLast(s, `"status":"completed"`, `"status":"incomplete"`) },
		"tick": func(s string) string {
			return replaceLast(s, `{"type":"decision","tick":6`, `{"type":"decision","tick":5`)
		},
		"item":  func(s string) string { return replaceLast(s, `\\\"why\\\":\\\"`, `\\\"why\\\":\\\"!`) },
		"order": swapLast,
		"line":  func(s string) string { return cutLast(s, `{"type":"decision"`) },
	} {
		dir := t.TempDir()
		tampered := change(string(whole))
		if tampered == string(whole) {
			t.Fatalf("%s: nothing to change", name)
		}
		if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), tracetest.Sealed([]byte(tampered)), 0o644); err != nil {
			t.Fatal(err)
		}
		result, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{})
		if err != nil || result.Equal || result.Difference == nil {
			t.Errorf("%s: replay finds %+v, %v", name, result, err)
			continue
		}
		if want := int64(6); name != "seed" && result.Difference.Tick != want {
			t.Errorf("%s: the difference is in tick %d, want %d: %v", name, result.Difference.Tick, want, result.Difference)
		}
	}
}

func replaceLast(s, old, changed string) string {
	i := strings.LastIndex(s, old)
	if i < 0 {
		return s
	}
	return s[:i] + changed + s[i+len(old):]
}

// cutLast takes the last line out that begins so.
func cutLast(s, begin string) string {
	at := strings.LastIndex(s, begin)
	return s[:at] + s[at+strings.IndexByte(s[at:], '\n')+1:]
}

// swapLast exchanges the last two events.
func swapLast(s string) string {
	second := strings.LastIndex(s, `{"type":"event"`)
	first := strings.LastIndex(s[:second], `{"type":"event"`)
	end := second + strings.IndexByte(s[second:], '\n') + 1
	return s[:first] + s[second:end] + s[first:second] + s[end:]
}

// TestReplayNamesWhatDiffers: the tick, whose record it is, the place in it and both values.
func TestReplayNamesWhatDiffers(t *testing.T) {
	o := options(t, "llm_bootstrap", 3)
	run(t, o)
	whole := string(readTrace(t, o.RunDir))
	for _, c := range []struct{ old, changed, want string }{
		{`"decided_by":"model"`, `"decided_by":"engine"`, `: decided_by recorded "engine", derived "model"`},
		{`"accepted":true`, `"accepted":false`, `.accepted recorded false, derived true`},
		{`{"type":"tick_end","tick":2,`, `{"type":"tick_end","tick":1,`, `tick 1: behind it stands a tick_end record of tick 1`},
		{`{"type":"event","tick":2,`, `{"type":"event","tick":77,`, `tick 77: behind it stands a `},
		{`"electricity":`, `"electricity":9`, `: run_end: agents[`},
		{`"ticks_done":3`, `"ticks_done":2`, `run_end: ticks_done recorded 2, derived 3`},
		{`"digest":"`, `"digest":"0`, `tick 3: tick_end: digest recorded "0`},
	} {
		tampered := replaceLast(whole, c.old, c.changed)
		dir := cutAt(t, []byte(tampered), len(tampered))
		result, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{})
		if err != nil || result.Difference == nil || !strings.Contains(result.Difference.Error(), c.want) {
			t.Errorf("%s: %v, %v, want %s", c.changed, result.Difference, err, c.want)
		}
	}
}

func TestReplayOfATornTraceStopsBeforeTheTear(t *testing.T) {
	o := options(t, "llm_bootstrap", 5)
	run(t, o)
	whole := readTrace(t, o.RunDir)
	cut := bytes.LastIndex(whole, []byte(`{"type":"tick_end"`)) + 20
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), whole[:cut], 0o644); err != nil {
		t.Fatal(err)
	}
	requireReplays(t, dir, 4)
}

func TestReplayRefusesAnotherVersion(t *testing.T) {
	o := options(t, "minimal", 2)
	run(t, o)
	old := bytes.Replace(readTrace(t, o.RunDir), []byte(`"rules_version":"`), []byte(`"rules_version":"0.`), 1)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, rundir.TraceFile), tracetest.Sealed(old), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{}); !errors.Is(err, engine.ErrVersionDrift) {
		t.Errorf("replay of other rules: %v, want version drift", err)
	}
	if result, err := engine.Replay(context.Background(), dir, engine.ReplayOptions{AllowVersionDrift: true}); err != nil || !result.Equal {
		t.Errorf("replay with drift allowed: %+v, %v", result, err)
	}
}

func TestReplayOfNothing(t *testing.T) {
	if _, err := engine.Replay(context.Background(), t.TempDir(), engine.ReplayOptions{}); err == nil || !strings.Contains(err.Error(), "not a run directory") {
		t.Errorf("replay of an empty directory: %v", err)
	}
}

// TestReplaySaysWhichLineIsNoRecord changes one member of a record and chains all lines again, so
// that only reading the record shows the damage.
func TestReplaySaysWhichLineIsNoRecord(t *testing.T) {
	for _, change := range [][2]string{
		{`{"type":"model_call","tick":`, `{"type":"model_call","tick":"x","y":`}, {`"stage":"`, `"stage":5,"y":"`}, {`"input_chars":`, `"input_chars":"x","y":`},
		{`"decided_by":"`, `"decided_by":5,"y":"`}, {`"kind":"item","body":"`, `"kind":"item","body":5,"y":"`},
	} {
		o := options(t, "llm_bootstrap", 4)
		run(t, o)
		path := filepath.Join(o.RunDir, rundir.TraceFile)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var changed bytes.Buffer
		chain, at, n := trace.Chain(""), 0, 0
		for line := range bytes.Lines(text) {
			body, _, _ := trace.Unseal(bytes.TrimSuffix(line, []byte("\n")))
			body = append(bytes.Clone(body), '}')
			if n++; n > 20 && at == 0 && bytes.Contains(body, []byte(change[0])) {
				body, at = bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1), n
			}
			body, chain = trace.Seal(body, chain)
			changed.Write(append(body, '\n'))
		}
		if err := os.WriteFile(path, changed.Bytes(), 0o600); err != nil || at == 0 {
			t.Fatalf("%s is in line %d: %v", change[0], at, err)
		}
		_, err = engine.Replay(context.Background(), o.RunDir, engine.ReplayOptions{})
		if where, ok := errors.AsType[*trace.LineError](err); !ok || where.File != rundir.TraceFile || where.Line != at {
			t.Errorf("%s in line %d: %v", change[1], at, err)
		}
	}
}
