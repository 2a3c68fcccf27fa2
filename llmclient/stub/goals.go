package stub

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"example.com/agentworld/baseline"
	"example.com/agentworld/world"
)

// goals is the goals section, one goal per line, as words: lower case, with every
// other character a separator, and each Chinese character a word of its own. A line that says "met",
// without "not" before it, is settled and left out.
//
// Goals are prose. Three things in them are understood: how many of a product to make, a
// place to be at, and who helps whom. Products and places are known from the rest of the
// request, so the reader looks for names it has and never has to know one.
type goals [][]string

// wish is a product a goal names, and how many of it the goal asks for.
type wish struct {
	product string
	count   int64
}

// readGoals splits the section into goals that are still open.
func readGoals(text string) goals {
	var g goals
	for line := range strings.Lines(text) {
		w := wordsIn(line)
		at := max(slices.Index(w, "met"), find(w, wordsIn("已达成")))
		if met := at == 0 || at > 0 && w[at-1] != "not"; len(w) > 0 && !met {
			g = append(g, w)
		}
	}
	return g
}

// wordsIn splits a text into lower-case runs of letters and digits, and Chinese characters.
func wordsIn(text string) []string {
	var spaced strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case isHan(r):
			spaced.WriteString(" " + string(r) + " ")
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			spaced.WriteRune(r)
		default:
			spaced.WriteByte(' ')
		}
	}
	return strings.Fields(spaced.String())
}

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) }

// chinese reports whether a word is a Chinese character.
func chinese(word string) bool { return strings.ContainsFunc(word, isHan) }

// brief is what the goals ask for in the terms of the policy: the products they name, then
// the places that are not visited yet, and at last as many of the first product as can be.
// Goals that name no product leave it to the order of the recipes.
func (s stage) brief(p prompt) baseline.Brief {
	var products []string
	for _, recipe := range s.recipes() {
		products = append(products, p.product(recipe).Resource)
	}
	asked := readGoals(p.goals)
	wishes := asked.wishes(products)
	if len(wishes) > 0 {
		products = []string{wishes[0].product}
	}
	b := baseline.Brief{Task: s.task(asked, products)}
	if s.see.Trades() {
		goals, task := statedGoals(p, s.see.Self.ID)
		b.Goals = goals
		if b.Task.Meet == "" {
			b.Task = task
		}
	}
	add := func(kind, name string, atLeast int64) {
		b.Goals = append(b.Goals, world.Goal{Agent: "*", Metric: kind + ":" + name, AtLeast: atLeast})
	}
	made := true
	for _, w := range wishes {
		add("product", w.product, w.count)
		at := slices.IndexFunc(s.see.Self.Products, func(a world.Amount) bool { return a.Resource == w.product })
		made = made && at >= 0 && s.see.Self.Products[at].Amount >= w.count
	}
	toReach := slices.DeleteFunc(slices.Clone(asked), func(line []string) bool { return goals{line}.names("leave", "离开") })
	for _, place := range s.see.Places {
		if made && !p.knows(place.ID) && toReach.names(place.ID, place.Name) {
			add("place", place.ID, 1)
		}
	}
	if len(products) > 0 {
		add("product", products[0], math.MaxInt64)
	}
	return b
}

// task is what the goals say about help, the zero task if nothing. An agent that is to bring
// something to a place, or to supply it, helps the agents there. An agent that is to wait and
// then build or make something is helped where it is.
func (s stage) task(asked goals, products []string) (t world.Task) {
	for _, line := range asked {
		g := goals{line}
		if g.names("wait", "help", "等待", "帮助") && (asked.names("build", "建造") || len(asked.wishes(products)) > 0) {
			t.Meet, t.Agents = s.see.Here.ID, []string{s.see.Self.ID}
		}
		if !g.names("bring", "supply", "送到", "供应") {
			continue
		}
		for _, p := range append(slices.Clip(s.see.Places), world.Sight{ID: s.see.Here.ID, Name: s.see.Here.Name}) {
			if !g.names(p.ID, p.Name) {
				continue
			}
			t.Meet, t.Agents = p.ID, []string{""} // any agent
			for _, c := range s.see.Agents {
				if c.Place == p.ID {
					t.Agents = append(t.Agents, c.ID)
				}
			}
			if wishes := g.wishes(products); g.names(world.Electricity) {
				t.Metric = "uptime"
			} else if len(wishes) > 0 {
				t.Metric = "held:" + wishes[0].product
			}
		}
	}
	if t.Meet == "" {
		return t
	}
	t.Ticks = math.MaxInt64 // of an end nothing is said
	if t.Metric == "" && len(products) > 0 {
		t.Metric = "produced:" + products[0]
	}
	return t
}

// wishes returns those of the named products that a goal asks for, in the order
// of names.
func (g goals) wishes(products []string) []wish {
	var out []wish
	for _, name := range products {
		if count := g.count(labels(name)); count > 0 {
			out = append(out, wish{name, count})
		}
	}
	return out
}

// names reports whether a goal mentions one of the labels.
func (g goals) names(all ...string) bool {
	return slices.ContainsFunc(all, func(label string) bool { return g.count([][]string{wordsIn(label)}) > 0 })
}

// count returns how many of something the goals ask for: the number beside the
// first mention of one of its labels, otherwise 2 for a plural and 1 for a
// singular, 0 without a mention.
func (g goals) count(labels [][]string) int64 {
	for _, line := range g {
		for _, label := range labels {
			if at := find(line, label); at >= 0 {
				return numberBeside(line, at, label)
			}
		}
	}
	return 0
}

// labels are the ways to say the name of a product: all of it, without a version word
// such as the "mk1" of a model, and the last word of that in the plural.
func labels(product string) [][]string {
	full := wordsIn(product)
	list := [][]string{full}
	if last := len(full) - 1; last > 0 && strings.ContainsAny(full[last], "0123456789") {
		full = full[:last]
		list = append(list, full)
	}
	if len(full) > 0 {
		list = append(list, []string{full[len(full)-1] + "s"})
	}
	return list
}

// find returns where label occurs in line, -1 when it does not. The last word may
// be in the plural.
func find(line, label []string) int {
	last := len(label) - 1
	for at := 0; last >= 0 && at+last < len(line); at++ {
		word := line[at+last]
		if slices.Equal(line[at:at+last], label[:last]) && (word == label[last] || word == label[last]+"s") {
			return at
		}
	}
	return -1
}

// numberBeside reads "2 control chips", "two control chips" and "control_chip at
// least 2", where the label stands at a word of the line.
func numberBeside(line []string, at int, label []string) int64 {
	if at > 1 && chinese(line[at-1]) { // the word that counts: 2 个 control_chip
		if n, ok := number(line[at-2]); ok {
			return n
		}
	}
	if at > 0 {
		if n, ok := number(line[at-1]); ok {
			return n
		}
	}
	last := len(label) - 1
	rest := line[at+last+1:]
	if len(rest) > 2 && rest[0] == "at" && rest[1] == "least" {
		rest = rest[2:]
	}
	if len(rest) > 0 {
		if n, ok := number(rest[0]); ok {
			return n
		}
	}
	if line[at+last] != label[last] || slices.ContainsFunc(line, chinese) {
		return 2 // a plural, or a language without
	}
	return 1
}

// number reads a positive count in digits or as a small number word.
func number(word string) (int64, bool) {
	for i, name := range []string{"one", "two", "three", "four", "five", "six"} {
		if word == name {
			return int64(i + 1), true
		}
	}
	n, err := strconv.ParseInt(word, 10, 32)
	return n, err == nil && n > 0
}
