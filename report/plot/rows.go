package plot

import (
	"fmt"
	"strconv"
)

// Difference is how an arm differs from a baseline.
type Difference struct {
	// Arm and Baseline are their names.
	Arm, Baseline string
	// Value is the difference; Low and High are the ends of its interval, if it has one.
	Value, Low, High float64
	HasInterval      bool
	// Verdict is beside the names, such as better.
	Verdict string
}

// rowHigh is the height of a row, with the name above what it draws.
const rowHigh = 44.0

// Intervals draws differences of a metric with their intervals, a row each. what names the metric and the confidence.
func Intervals(what string, rows []Difference) []byte {
	p := &picture{y: margin}
	low, high := 0.0, 0.0
	for _, r := range rows {
		low, high = min(low, r.Value), max(high, r.Value)
		if r.HasInterval {
			low, high = min(low, r.Low), max(high, r.High)
		}
	}
	values := scaleOf(low, high, 5, margin+20, width-margin-20)
	top := p.head(what)
	bottom := top + rowHigh*float64(len(rows)) + 4
	p.marks(values, top, bottom)
	p.line(values.at(0), top, values.at(0), bottom, `stroke="#000000" stroke-width="1" stroke-dasharray="3 3"`)
	for i, r := range rows {
		y := top + rowHigh*float64(i)
		p.label(y, versus(r.Arm, r.Baseline, width-3*margin-wide(r.Verdict)-2*charWide), r.Verdict)
		s := strokeOf(0)
		y += 30
		if r.HasInterval {
			p.line(values.at(r.Low), y, values.at(r.High), y, s.drawn(2.5))
			p.line(values.at(r.Low), y-5, values.at(r.Low), y+5, s.drawn(2.5))
			p.line(values.at(r.High), y-5, values.at(r.High), y+5, s.drawn(2.5))
		}
		fmt.Fprintf(&p.b, "<circle cx=\"%s\" cy=\"%s\" r=\"4.5\" fill=\"%s\"/>\n", number(values.at(r.Value)), number(y),
			s.colour)
	}
	return p.done("intervals of differences: " + what)
}

// Place is between which ranks an arm is.
type Place struct {
	Name string
	// Low and High are ranks, 1 for the best.
	Low, High int
	// Mean of the metric.
	Mean float64
}

// Ranks draws the places of arms, a row each. what names the metric.
func Ranks(what string, rows []Place) []byte {
	p := &picture{y: margin}
	ranks := scale{0.5, float64(len(rows)) + 0.5, margin + 20, width - margin - 20, 1}
	top := p.head(what)
	bottom := top + rowHigh*float64(len(rows)) + 4
	every := max(1, (len(rows)+11)/12)
	for n := 1; n <= len(rows); n++ {
		at := ranks.at(float64(n))
		p.line(at, top, at, bottom, grid)
		if (n-1)%every == 0 {
			p.text(at, bottom+fontSize+4, "middle", strconv.Itoa(n))
		}
	}
	p.y = bottom + lineHigh
	for i, r := range rows {
		y := top + rowHigh*float64(i)
		p.label(y, r.Name, "mean "+strconv.FormatFloat(r.Mean, 'g', 4, 64))
		s := strokeOf(0)
		y += 30
		p.line(ranks.at(float64(r.Low)), y, ranks.at(float64(r.High)), y, s.drawn(4))
		for _, n := range []int{r.Low, r.High} {
			fmt.Fprintf(&p.b, "<circle cx=\"%s\" cy=\"%s\" r=\"5\" fill=\"%s\"/>\n", number(ranks.at(float64(n))), number(y),
				s.colour)
		}
	}
	return p.done("ranks: " + what)
}

// versus names both sides in some room, each cut as far as it must be.
func versus(arm, baseline string, room float64) string {
	const between = " - "
	half := (room - wide(between)) / 2
	spare := func(other string) float64 { return half + max(0, half-wide(other)) }
	return fit(arm, spare(baseline)) + between + fit(baseline, spare(arm))
}

// label writes what a row is about, and a remark that is shown whole.
func (p *picture) label(y float64, about, remark string) {
	p.text(margin, y+fontSize+3, "start", fit(about, width-3*margin-wide(remark)))
	p.text(width-margin, y+fontSize+3, "end", remark)
}

// head writes the title of a picture and returns where its rows begin.
func (p *picture) head(what string) (top float64) {
	fmt.Fprintf(&p.b, "<text x=\"%s\" y=\"%s\" font-weight=\"bold\">%s</text>\n", number(margin), number(p.y+fontSize),
		escaped(what))
	p.y += lineHigh + 6
	return p.y
}

// marks draws the marks of a scale, and their values below.
func (p *picture) marks(values scale, top, bottom float64) {
	for _, v := range values.marks() {
		p.line(values.at(v), top, values.at(v), bottom, grid)
		p.text(values.at(v), bottom+fontSize+4, "middle", values.word(v))
	}
	p.y = bottom + lineHigh
}
