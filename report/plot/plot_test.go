package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the pictures in testdata")

// hostile is a name that would be markup, a script, or hidden.
const hostile = "<script>alert(1)</script>\" onload=\"x\u202e & a name that is far longer than a picture has room for"

// pictures are one of each kind, and the same of hostile names.
func pictures(name string) map[string][]byte {
	var panels []Panel
	for _, title := range []string{"minimal", name} {
		lines := []Line{Mean(name, [][]int64{{0, 0, 3, 9}, {0, 1, 5}}), Mean("lean", [][]int64{{0, -2, 1, 1200}})}
		panels = append(panels, Panel{Title: title, Lines: lines})
	}
	return map[string][]byte{
		"score": Score(panels),
		"intervals": Intervals("score", []Difference{{Arm: name, Baseline: "base", Value: 0.25, Low: -0.02, High: 0.5, HasInterval: true, Verdict: "undecided"},
			{Arm: "lean", Baseline: name, Value: -3, Verdict: "too few"}}),
		"ranks": Ranks("score", []Place{{name, 1, 2, 0.5}, {"lean", 1, 3, 0.4}, {"full", 3, 3, 1e-9}}),
	}
}

// TestPicturesAreAsTheyWere compares the pictures with those that were looked at in a browser.
func TestPicturesAreAsTheyWere(t *testing.T) {
	for name, svg := range pictures("full & lean") {
		path := "testdata/" + name + ".svg"
		if *update {
			if err := os.WriteFile(path, svg, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(svg, want) {
			t.Errorf("%s is another picture; look at it, then run go test ./report/plot -update", path)
		}
	}
}

// TestPicturesOnlyShow: a picture is well-formed XML of shapes and texts, with no script, event, link or style, whatever
// a name holds; everything is within its borders.
func TestPicturesOnlyShow(t *testing.T) {
	for name, svg := range pictures(hostile) {
		d := xml.NewDecoder(bytes.NewReader(svg))
		texts := 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.CharData:
				if strings.Contains(string(token), "\u202e") {
					t.Errorf("%s shows a hidden character", name)
				}
				if strings.Contains(string(token), "<script>") {
					texts++
				}
			case xml.StartElement:
				if !slices.Contains([]string{"svg", "title", "rect", "text", "line", "circle", "polyline", "polygon"}, token.Name.Local) {
					t.Errorf("%s has an element %s", name, token.Name.Local)
				}
				for _, a := range token.Attr {
					if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || a.Name.Local == "style" {
						t.Errorf("%s has an attribute %s", name, a.Name.Local)
					}
					if x, err := strconv.ParseFloat(a.Value, 64); err == nil && strings.HasPrefix(a.Name.Local, "x") && (x < 0 || x > width) {
						t.Errorf("%s: %s is %v", name, a.Name.Local, x)
					}
				}
			}
		}
		if texts == 0 {
			t.Errorf("%s does not show the name as a text", name)
		}
		if strings.Contains(string(svg), "NaN") || strings.Contains(string(svg), "Inf") {
			t.Errorf("%s has a coordinate that is none", name)
		}
	}
}

// TestMean: a run that ended earlier keeps its last score, and one without scores counts for nothing.
func TestMean(t *testing.T) {
	got := Mean("a", [][]int64{{2, 4}, {}, {0, 0, 6}})
	want := []Point{{1, 1, 0, 2}, {2, 2, 0, 4}, {3, 5, 4, 6}}
	if !slices.Equal(got.Points, want) {
		t.Errorf("Mean = %v, want %v", got.Points, want)
	}
}

// TestScales: marks are whole steps of 1, 2 or 5 and cover the range, which may be a single value.
func TestScales(t *testing.T) {
	for _, r := range [][2]float64{{0, 15}, {0, 0}, {-0.007, 0}, {0, 1e6}, {3, 3}, {-5, 1200}, {0, 1e-9}, {math.MinInt64, math.MaxInt64}} {
		s := scaleOf(r[0], r[1], 5, 0, 100)
		marks := s.marks()
		digit := strings.Trim(strings.Split(strconv.FormatFloat(s.step, 'e', 0, 64), "e")[0], ".")
		if s.low > r[0] || s.high < r[1] || len(marks) < 2 || len(marks) > 12 || !slices.Contains([]string{"1", "2", "5"}, digit) {
			t.Errorf("scale of %v is %+v with marks %v", r, s, marks)
		}
		words := map[string]bool{}
		for _, v := range marks {
			words[s.word(v)] = true
		}
		if len(words) != len(marks) {
			t.Errorf("marks of %v are %v", r, fmt.Sprint(words))
		}
	}
}

// TestLongRunsMakeSmallPictures: a line of many ticks is thinned, with its last point.
func TestLongRunsMakeSmallPictures(t *testing.T) {
	scores := make([]int64, 100_000)
	for i := range scores {
		scores[i] = int64(i % 977)
	}
	line := Mean("a", [][]int64{scores})
	if svg := Score([]Panel{{Lines: []Line{line}}}); len(svg) > 20_000 {
		t.Errorf("%d bytes", len(svg))
	}
	if kept := thin(line.Points); kept[len(kept)-1].Tick != 100_000 {
		t.Errorf("the last point is of tick %d", kept[len(kept)-1].Tick)
	}
}
