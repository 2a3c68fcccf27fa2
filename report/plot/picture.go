package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.com/agentworld/plaintext"
)

// The measures of every picture, in its own units.
const (
	width    = 480.0
	margin   = 8.0
	fontSize = 14.0
	lineHigh = 18.0
	// charWide is how wide a cell of text is, in a wide font.
	charWide = 8.2
)

// stroke is how one of several lines is drawn: a colour that also prints, and dashes.
type stroke struct{ colour, dashes string }

// strokes are those of M. Okabe and K. Ito, "Color Universal Design", 2008, but for the yellow, which is too light.
var strokes = []stroke{
	{"#0072B2", ""}, {"#D55E00", "7 3"}, {"#000000", "2 3"}, {"#009E73", "10 3 2 3"}, {"#CC79A7", "14 4"},
	{"#E69F00", "4 4"}, {"#56B4E9", "1 3"},
}

// strokeOf is the stroke of the line with a number, from 0.
func strokeOf(n int) stroke { return strokes[n%len(strokes)] }

// picture is an SVG in the making.
type picture struct {
	b bytes.Buffer
	// y is where the next part begins.
	y float64
}

// number writes a coordinate with at most two decimals.
func number(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	return strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
}

// escaped is a text of others within a picture.
func escaped(text string) string {
	var b bytes.Buffer
	_ = xml.EscapeText(&b, []byte(plaintext.Line(text))) // into a buffer
	return b.String()
}

// text writes a text that is anchored at start, middle or end, cut to what has room in the picture.
func (p *picture) text(x, y float64, anchor, text string) {
	fmt.Fprintf(&p.b, "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>\n", number(x), number(y), anchor,
		escaped(fit(text, width-2*margin)))
}

// fit is as much of a text as has room.
func fit(text string, room float64) string {
	return plaintext.Fit(plaintext.Line(text), max(1, int(room/charWide)))
}

// wide is how wide a text is at most.
func wide(text string) float64 { return charWide * float64(plaintext.Cells(plaintext.Line(text))) }

// line draws a straight line with a class or with further attributes.
func (p *picture) line(x1, y1, x2, y2 float64, attributes string) {
	fmt.Fprintf(&p.b, "<line x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\" %s/>\n", number(x1), number(y1), number(x2),
		number(y2), attributes)
}

// drawn are the attributes of a stroke of some width.
func (s stroke) drawn(wide float64) string {
	text := fmt.Sprintf("stroke=\"%s\" stroke-width=\"%s\" fill=\"none\"", s.colour, number(wide))
	if s.dashes != "" {
		text += fmt.Sprintf(" stroke-dasharray=\"%s\"", s.dashes)
	}
	return text
}

// grid are the attributes of a line that helps to read values, axis those of one that is an axis.
const (
	grid = `stroke="#CCCCCC" stroke-width="0.8"`
	axis = `stroke="#000000" stroke-width="1"`
)

// done is the whole picture. title says what it shows, for people who cannot see it.
func (p *picture) done(title string) []byte {
	high := p.y + margin
	var out bytes.Buffer
	fmt.Fprintf(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%s\" height=\"%s\" viewBox=\"0 0 %s %s\" "+
		"font-family=\"Helvetica, Arial, sans-serif\" font-size=\"%s\" role=\"img\">\n<title>%s</title>\n"+
		"<rect width=\"100%%\" height=\"100%%\" fill=\"#FFFFFF\"/>\n", number(width), number(high), number(width),
		number(high), number(fontSize), escaped(title))
	out.Write(p.b.Bytes())
	out.WriteString("</svg>\n")
	return out.Bytes()
}

// scale maps values to coordinates.
type scale struct {
	low, high float64
	// from and to are the coordinates of low and high.
	from, to float64
	// step is the distance of its marks in values.
	step float64
}

// scaleOf maps a range of values, widened to whole steps of about so many marks.
func scaleOf(low, high float64, marks int, from, to float64) scale {
	if !(low < high) {
		low, high = low-1, high+1
	}
	step := niceStep((high - low) / float64(marks))
	return scale{math.Floor(low/step) * step, math.Ceil(high/step) * step, from, to, step}
}

// niceStep is the least of 1, 2 and 5 times a power of ten that is not below x.
func niceStep(x float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(x)))
	for _, n := range []float64{1, 2, 5} {
		if n*power >= x*0.999 {
			return n * power
		}
	}
	return 10 * power
}

// at is the coordinate of a value.
func (s scale) at(value float64) float64 {
	return s.from + (value-s.low)/(s.high-s.low)*(s.to-s.from)
}

// marks are the values of the marks.
func (s scale) marks() (list []float64) {
	n := int(math.Round((s.high - s.low) / s.step))
	for i := range n + 1 {
		list = append(list, s.low+float64(i)*s.step)
	}
	return list
}

// word is the value of a mark for people.
func (s scale) word(value float64) string {
	if math.Abs(value) < s.step/1000 {
		return "0"
	}
	decimals := max(0, -int(math.Floor(math.Log10(s.step)+1e-9)))
	if math.Abs(value) >= 1e6 {
		return strconv.FormatFloat(value, 'g', 4, 64)
	}
	return strconv.FormatFloat(value, 'f', decimals, 64)
}
