package batch

import (
	"fmt"
	"strconv"

	dom "maragu.dev/gomponents"
	"maragu.dev/gomponents/html"

	"example.com/agentworld/plaintext"
)

// cellHeader are the columns of the table of cells.
var cellHeader = []string{
	"cell", "scenario", "seed", "repeat", "arm", "status", "score", "calls", "digest", "reason",
}

// document is the page as a tree. Texts of a batch become text or values of attributes, which the tree encodes; the
// addresses are those of [Page], whose maker encodes what stands in them.
func (p Page) document() dom.Node {
	title := "Batch " + one(p.Name)
	body := dom.Group{
		dom.If(p.Back != "", html.P(html.A(html.Href(p.Back), dom.Text("All runs and batches")))),
		html.H1(dom.Text(title)),
	}
	if p.Summary != nil {
		body = append(body, p.Summary.headNodes(p.Problem), p.Summary.tableNodes())
	} else {
		body = append(body, paragraph(one(p.Problem)))
	}
	body = append(body, p.plotNodes(), p.cellNodes())
	if p.Summary != nil {
		if _, omitted := p.Summary.failureTable(); omitted > 0 {
			body = append(body, paragraph(fmt.Sprintf("And %d failed cells more.", omitted)))
		}
	}
	return html.Doctype(html.HTML(html.Lang("en"),
		html.Head(
			html.Meta(html.Charset("utf-8")),
			html.Meta(html.Name("viewport"), html.Content("width=device-width, initial-scale=1")),
			html.Meta(dom.Attr("http-equiv", "Content-Security-Policy"),
				html.Content("default-src 'none'; style-src 'sha256-"+styleHash+"'")),
			dom.If(p.Again > 0, html.Meta(dom.Attr("http-equiv", "refresh"), html.Content(strconv.Itoa(p.Again)))),
			html.TitleEl(dom.Text(title)),
			html.StyleEl(dom.Raw(pageStyle)),
		),
		html.Body(html.Main(body)),
	))
}

// paragraph is a paragraph of text, and nothing without one.
func paragraph(text string) dom.Node {
	return dom.If(text != "", html.P(dom.Text(text)))
}

// headNodes are what a summary says in sentences, and its intervals.
func (s *Summary) headNodes(problem string) dom.Node {
	nodes := dom.Group{
		dom.If(len(s.Gates) > 0, html.P(dom.Text("Gates: "), html.Strong(dom.Text(string(s.Verdict))))),
		paragraph(s.head()),
		paragraph(one(problem)),
	}
	if s.Scripted {
		nodes = append(nodes, paragraph("Note: "+scriptedNote+"."))
	}
	if intervals := s.intervalLines(); len(intervals) > 0 {
		nodes = append(nodes, html.H2(dom.Text("Differences of the primary metric")),
			html.Ul(dom.Map(intervals, pageInterval.node)))
	}
	for _, line := range s.opening() {
		nodes = append(nodes, paragraph(line.String()))
	}
	nodes = append(nodes, dom.Map(s.remarks(), paragraph))
	if s.Methods != "" {
		nodes = append(nodes, paragraph("Methods: "+s.Methods))
	}
	return nodes
}

// tableNodes are the tables of a summary that have rows.
func (s *Summary) tableNodes() dom.Node {
	failures, _ := s.failureTable()
	tables := []struct {
		caption string
		table   plaintext.Table
	}{
		{"Gates", s.gateTable()},
		{"Places", s.rankTable()},
		{"Comparisons", s.comparisonTable()},
		{"Arms, means over cells", s.armTable()},
		{"Failed cells", failures},
	}
	var nodes dom.Group
	for _, t := range tables {
		if len(t.table.Rows) == 0 {
			continue
		}
		rows := dom.Map(t.table.Rows, func(row []string) dom.Node { return html.Tr(dom.Map(row, cellOf)) })
		nodes = append(nodes, tableNode(t.caption, t.table.Header, rows))
	}
	return nodes
}

// tableNode is a table that scrolls sideways by itself, for the keyboard too.
func tableNode(caption string, header []string, rows dom.Node) dom.Node {
	head := dom.Map(header, func(name string) dom.Node { return html.Th(html.Scope("col"), dom.Text(name)) })
	return html.Div(html.Class("wide"), html.TabIndex("0"), html.Role("region"), html.Aria("label", caption),
		html.Table(html.Caption(dom.Text(caption)), html.THead(html.Tr(head)), html.TBody(rows)))
}

// cellOf is a field of a table.
func cellOf(text string) dom.Node { return html.Td(dom.Text(text)) }

// cellNodes is the table of cells, each with the address of its run where it has one.
func (p Page) cellNodes() dom.Node {
	cells := p.cellRows()
	if len(cells) == 0 {
		return nil
	}
	rows := dom.Map(cells, func(c pageCell) dom.Node {
		first := cellOf(c.Row[0])
		if c.Link != "" {
			first = html.Td(html.A(html.Href(c.Link), dom.Text(c.Row[0])))
		}
		return html.Tr(first, dom.Map(c.Row[1:], cellOf))
	})
	return tableNode("Cells", cellHeader, rows)
}

// plotNodes are links to the pictures.
func (p Page) plotNodes() dom.Node {
	if len(p.Plots) == 0 {
		return nil
	}
	nodes := dom.Group{dom.Text("Pictures: ")}
	for i, name := range p.Plots {
		nodes = append(nodes, dom.If(i > 0, dom.Text(", ")),
			html.A(html.Href(p.PlotLink(name)), dom.Attr("download"), dom.Text(name+" as SVG")))
	}
	return html.P(nodes)
}

// node is a line of the chart: its words and its picture.
func (i pageInterval) node() dom.Node {
	at := func(name string, x float64) dom.Node { return dom.Attr(name, strconv.FormatFloat(x, 'g', 6, 64)) }
	words := i.Label + ": " + i.Words
	return html.Li(dom.Text(words),
		html.SVG(dom.Attr("viewBox", "0 0 100 6"), html.Role("img"), html.Aria("label", words),
			dom.Attr("preserveAspectRatio", "none"),
			dom.El("line", at("x1", i.Zero), at("x2", i.Zero), dom.Attr("y1", "0"), dom.Attr("y2", "6"),
				dom.Attr("stroke", "currentColor"), dom.Attr("stroke-width", ".3"), dom.Attr("stroke-dasharray", "1 1")),
			dom.El("line", at("x1", i.Left), at("x2", i.Right), dom.Attr("y1", "3"), dom.Attr("y2", "3"),
				dom.Attr("stroke", "var(--mark)"), dom.Attr("stroke-width", "1")),
			dom.El("rect", at("x", i.At), dom.Attr("y", "1.5"), dom.Attr("width", "1"), dom.Attr("height", "3"),
				dom.Attr("fill", "var(--mark)"))))
}
