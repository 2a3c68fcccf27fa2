package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Panel is the lines of one task: scores of several are no common axis.
type Panel struct {
	// Title is above the panel.
	Title string
	Lines []Line
}

// Line is one arm or run over time.
type Line struct {
	// Name is what the legend says.
	Name string
	// Points are in rising order of ticks.
	Points []Point
}

// Point is the score after a tick: the mean of some runs, and the least and the greatest of them.
type Point struct {
	Tick            int64
	Mean, Low, High float64
}

// panelHigh is the height of what a panel draws.
const panelHigh = 210.0

// Score draws the score over time, a panel below the other.
func Score(panels []Panel) []byte {
	p := &picture{y: margin}
	var titles, names []string
	for _, panel := range panels {
		for _, l := range panel.Lines {
			if !slices.Contains(names, l.Name) {
				names = append(names, l.Name)
			}
		}
		p.panel(panel, names)
		titles = append(titles, panel.Title)
	}
	return p.done("score over time: " + strings.Join(titles, ", "))
}

// panel draws a panel. A line has the stroke of its name's number among all names: the same in each panel.
func (p *picture) panel(of Panel, names []string) {
	stroked := func(l Line) stroke { return strokeOf(slices.Index(names, l.Name)) }
	p.text(margin, p.y+fontSize, "start", of.Title)
	p.y += lineHigh + 4
	p.legend(of.Lines, stroked)
	low, high := 0.0, 0.0
	last := int64(1)
	for _, l := range of.Lines {
		for _, at := range l.Points {
			low = min(low, at.Low)
			high = max(high, at.High)
			last = max(last, at.Tick)
		}
	}
	top, bottom := p.y+6, p.y+panelHigh
	values := scaleOf(low, high, 5, bottom, top)
	left := margin
	for _, v := range values.marks() {
		left = max(left, margin+wide(values.word(v))+6)
	}
	ticks := scale{0, float64(last), left, width - margin - 6, niceStep(float64(last) / 6)}
	for _, v := range values.marks() {
		p.line(left, values.at(v), ticks.to, values.at(v), grid)
		p.text(left-6, values.at(v)+fontSize/3, "end", values.word(v))
	}
	for v := 0.0; v <= ticks.high; v += ticks.step {
		p.line(ticks.at(v), bottom, ticks.at(v), bottom+4, axis)
		p.text(ticks.at(v), bottom+fontSize+5, "middle", ticks.word(v))
	}
	p.line(left, bottom, ticks.to, bottom, axis)
	p.line(left, bottom, left, top, axis)
	for _, l := range of.Lines {
		p.band(l, stroked(l), ticks, values)
	}
	for _, l := range of.Lines {
		p.path(l, stroked(l), ticks, values)
	}
	p.text(ticks.to, bottom+2*lineHigh+2, "end", "tick")
	p.y = bottom + 2*lineHigh + 8
}

// legend writes the names of lines, as many in a row as have room.
func (p *picture) legend(lines []Line, stroked func(Line) stroke) {
	if len(lines) < 2 {
		return
	}
	x := margin
	for _, l := range lines {
		name := fit(l.Name, width-2*margin-34)
		need := 34 + wide(name) + 12
		if x > margin && x+need > width-margin {
			x = margin
			p.y += lineHigh
		}
		p.line(x, p.y+fontSize-5, x+28, p.y+fontSize-5, stroked(l).drawn(2))
		p.text(x+34, p.y+fontSize, "start", name)
		x += need
	}
	p.y += lineHigh + 2
}

// pointsMost bounds the points of a line that are drawn: more do not show.
const pointsMost = 400

// thin leaves every nth point and the last one.
func thin(points []Point) []Point {
	every := (len(points) + pointsMost - 1) / pointsMost
	if every <= 1 {
		return points
	}
	var kept []Point
	for i, at := range points {
		if i%every == 0 || i == len(points)-1 {
			kept = append(kept, at)
		}
	}
	return kept
}

// band draws between the least and the greatest of the runs, if they differ.
func (p *picture) band(l Line, s stroke, ticks, values scale) {
	differ := func(at Point) bool { return at.Low < at.High }
	if !slices.ContainsFunc(l.Points, differ) {
		return
	}
	points := thin(l.Points)
	var corners []string
	for _, at := range points {
		corners = append(corners, number(ticks.at(float64(at.Tick)))+","+number(values.at(at.High)))
	}
	for _, at := range slices.Backward(points) {
		corners = append(corners, number(ticks.at(float64(at.Tick)))+","+number(values.at(at.Low)))
	}
	fmt.Fprintf(&p.b, "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"0.12\"/>\n", strings.Join(corners, " "), s.colour)
}

func (p *picture) path(l Line, s stroke, ticks, values scale) {
	var corners []string
	for _, at := range thin(l.Points) {
		corners = append(corners, number(ticks.at(float64(at.Tick)))+","+number(values.at(at.Mean)))
	}
	fmt.Fprintf(&p.b, "<polyline points=\"%s\" stroke-linejoin=\"round\" %s/>\n", strings.Join(corners, " "), s.drawn(2))
}

// Mean folds the scores of several runs into a line. Each is the score after tick 1, 2 and so on; a run that ended
// earlier keeps its last score.
func Mean(name string, runs [][]int64) Line {
	l := Line{Name: name}
	longest := 0
	for _, scores := range runs {
		longest = max(longest, len(scores))
	}
	for i := range longest {
		at := Point{Tick: int64(i) + 1, Low: math.Inf(1), High: math.Inf(-1)}
		n := 0
		for _, scores := range runs {
			if len(scores) == 0 {
				continue
			}
			score := float64(scores[min(i, len(scores)-1)])
			at.Mean += score
			at.Low = min(at.Low, score)
			at.High = max(at.High, score)
			n++
		}
		at.Mean /= float64(n)
		l.Points = append(l.Points, at)
	}
	return l
}
