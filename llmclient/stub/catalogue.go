package stub

import (
	"regexp"
	"strings"

	"example.com/agentworld/world"
)

// catalogue is what the request's tools say about the game as such. What is empty they do
// not say.
type catalogue struct {
	// events are those that may end a standing order.
	events []string
	// then is how many further steps a candidate may have.
	then int
	// rules are the costs that the actions state.
	rules world.Rules
	// kind is the first kind of factory, recipes what can be made. kinds are all kinds with their costs,
	// runs says of recipes which kind runs them, where the tools do.
	kind    string
	recipes []string
	kinds   []world.FactoryKind
	runs    map[string]string
}

// actionSchedule is the action that takes a recipe.
const actionSchedule = "schedule_recipe"

// readCatalogue reads the tools. All tools of the request count, also those that may
// not be called now, because the list is the same in every stage and the policy should
// be, too. The actions are in the description of one of them, one to a line: name,
// slots in parentheses, costs.
func readCatalogue(tools []tool) catalogue {
	var c catalogue
	for _, t := range tools {
		for line := range strings.Lines(t.Description) {
			action, _, _ := strings.Cut(line, "(")
			costs := numbers(line[strings.LastIndexByte(line, ')')+1:])
			switch r := &c.rules; action {
			case "mine_compound":
				r.MineCostPerKG = costs[0]
			case "refine_compound":
				r.RefineGPerHardware, r.RefineCostPerKG = costs[0], costs[1]
			case actionBuild:
				r.BuildElectricity, r.BuildHardware = costs[0], costs[1]
				if c.kind == "" {
					c.readKinds(line)
				}
			case actionSchedule:
				c.recipes = namedAfter(line, slotWhat)
			}
		}
		s := parseSchema(t.Parameters)
		if c.events == nil {
			c.events = s.inside("execute_until").inside("until").item().inside("event").listed()
		}
		if then := s.inside("candidates").item().inside(slotThen); then.item() != nil && then.MaxItems != nil {
			c.then = min(*then.MaxItems, world.ThenMax)
		}
	}
	return c
}

// readKinds reads the kinds of factory in the line of the action that builds them: after the name of each
// what it costs, up to a comma, and the recipes that run in it, as in "mill.x: 8 wood, 2 ticks; runs
// make.flour". The first name begins as those of all kinds do.
func (c *catalogue) readKinds(line string) {
	head, kind := "", ""
	for _, at := range dotted.FindAllStringIndex(line, -1) {
		name := line[at[0]:at[1]]
		before, _, _ := strings.Cut(name, ".")
		if head == "" {
			head, c.kind = before, name
		}
		if before != head {
			if c.runs == nil {
				c.runs = map[string]string{}
			}
			c.runs[name] = kind
			continue
		}
		kind = name
		if told := costOf.FindStringSubmatch(line[at[1]:]); told != nil {
			c.kinds = append(c.kinds, world.FactoryKind{Name: name, Cost: amountsIn(told[1])})
		}
	}
}

// amountsIn reads amounts of resources, as in "2 gear + 1 plate".
func amountsIn(text string) (list []world.Amount) {
	for _, found := range amount.FindAllStringSubmatch(text, -1) {
		list = append(list, world.Amount{Resource: found[2], Amount: integer(found[1])})
	}
	return list
}

// costOf is what follows the name of a kind: its cost, up to a comma.
var costOf = regexp.MustCompile(`^[:：]\s*([^:：,，;；]+)[,，]`)

// amount is a number and the name of a resource.
var amount = regexp.MustCompile(`(\d+) (\w+)`)

// digits are a number in a text, dotted is a name with dots.
var (
	digits = regexp.MustCompile(`\b\d+\b`)
	dotted = regexp.MustCompile(`[\w-]+(?:\.[\w-]+)+`)
)

// numbers are the first two numbers in a text, 0 for one that is not there.
func numbers(text string) (list [2]int64) {
	for i, found := range digits.FindAllString(text, len(list)) {
		list[i] = integer(found)
	}
	return list
}

// alternatives are the values of a parameter in a text: a name, or several with
// bars between them. A common beginning may be before a parenthesis.
var alternatives = regexp.MustCompile(`^[:=]?\s*([\w.:-]+)(?:\(([\w.:|-]+)\)|((?:\|[\w.:-]+)*))`)

// namedAfter returns the values a text gives for a slot, as in
// "make(what food.(bread|cake), amount)". Only dotted names count, so that a
// sentence about the slot is not taken for its values.
func namedAfter(text, slot string) []string {
	for {
		_, rest, found := strings.Cut(text, slot)
		if !found {
			return nil
		}
		m := alternatives.FindStringSubmatch(rest)
		if m == nil || !strings.Contains(m[1], ".") {
			text = rest
			continue
		}
		first := m[1]
		endings := m[2]
		others := m[3]
		if endings == "" {
			return strings.Split(first+others, "|")
		}
		var out []string
		for ending := range strings.SplitSeq(endings, "|") {
			out = append(out, first+ending)
		}
		return out
	}
}
