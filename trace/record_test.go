package trace

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

func TestSamplesCoverEveryTypeAndField(t *testing.T) {
	seen := map[Type]bool{}
	for _, r := range samples() {
		seen[r.RecordType()] = true
		v := reflect.ValueOf(r)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if v.Field(i).IsZero() && !(r.RecordType() == TypeHeader && name == "Tick") && name != "Base64" {
				t.Errorf("the %s sample leaves %s unset", r.RecordType(), name)
			}
		}
	}
	for _, typ := range []Type{TypeHeader, TypeBlob, TypeSwitch, TypeModelCall, TypeRefusal, TypeStep, TypeDecision, TypeEvent, TypeTickEnd, TypeRunEnd, TypeResume, TypeSegment, TypeCapChange, TypeToolCall, TypeControl} {
		if !seen[typ] {
			t.Errorf("no sample of type %s", typ)
		}
	}
}

func TestRecordsSurviveARoundTrip(t *testing.T) {
	want := samples()
	got := readAll(t, lines(t, want...))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("records changed on the way (-written +read):\n%s", diff)
	}
}

func TestLinesBeginWithTypeAndTick(t *testing.T) {
	for _, r := range samples() {
		line, err := Encode(r)
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf(`{"type":"%s","tick":%d,`, r.RecordType(), r.recordTick())
		if !strings.HasPrefix(string(line), want) {
			t.Errorf("Encode(%s) = %.60s..., want prefix %s", r.RecordType(), line, want)
		}
	}
}

func TestWireFormatIsPinned(t *testing.T) {
	const path = "testdata/records.jsonl"
	got := lines(t, samples()...)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("the wire format of version %d changed (-want +got):\n%s", FormatVersion, diff)
	}
}

func TestClockDataLivesUnderTimingOnly(t *testing.T) {
	for _, r := range samples() {
		walkFields(reflect.TypeOf(r), func(path string, timed bool) {
			clock := strings.HasSuffix(path, "_at") && !strings.HasSuffix(path, "met_at") ||
				strings.Contains(path, "latency") || strings.Contains(path, "wall_") || strings.Contains(path, "attempts")
			if clock && !timed {
				t.Errorf("%s: %s depends on the clock and is not under timing", r.RecordType(), path)
			}
		})
		line, err := Encode(untimed(r))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(line, []byte(`"timing"`)) {
			t.Errorf("untimed %s still has timing: %s", r.RecordType(), line)
		}
	}
}

// walkFields calls f with the JSON path of every field of our own structs.
func walkFields(typ reflect.Type, f func(path string, timed bool)) {
	var walk func(typ reflect.Type, path string, timed bool)
	walk = func(typ reflect.Type, path string, timed bool) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct {
			return
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			f(path+"."+name, timed)
			walk(typ.Field(i).Type, path+"."+name, timed || name == "timing")
		}
	}
	walk(typ, "", false)
}
