package playbook

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"example.com/agentworld/memory/relevance"
)

// form is what two contents are compared by when duplicates are looked for. Words are compared by
// their stems, a word of a group of [sameWords] as the first of it.
type form struct {
	// normal is the terms in their order: the text without case, punctuation and
	// plural "s".
	normal string
	// stems are the words that say something, each once, in order; set is the same sorted.
	stems, set []string
	// marks are the distinct words that make another lesson of the same words, sorted: numbers,
	// names with digits, and [markWords].
	marks []string
	// sides are the words that have an opposite. denials counts the words that deny.
	sides   []string
	denials int
	// ordered says that the order of the words matters: the text compares, or has two numbers or a
	// word and its opposite.
	ordered bool
}

// alikeMin is the share of stems, in thousandths of those of both texts, from which two contents
// say the same. If one text only adds words to the other, [addedMin] is enough.
const (
	alikeMin = 800
	addedMin = 650
)

// thousands finds the separator within a number. clause finds a condition, purpose or place at the
// beginning, which could also stand at the end. atLeast and atMost find the other ways to say so.
var (
	thousands = regexp.MustCompile(`(\d)[,_](\d{3})\b`)
	clause    = regexp.MustCompile(
		`(?i)^\s*((?:before|after|when|whenever|while|if|once|until|unless|as|to|in order to|for|in|at|on|by|with|without|during|near|because|since|instead of|rather than)\b[^,]*),\s*(.*?)\W*$`)
	atLeast = bound(`no (?:less|fewer) than|not (?:less|fewer) than|a minimum of`, `more|higher|above`)
	atMost  = bound(`no more than|not more than|a maximum of|up to`, `less|fewer|lower|below`)
)

// bound finds a bound: words that come before a number, or "or" with another word after it and what
// it counts. The number is in the first or second group.
func bound(before, after string) *regexp.Regexp {
	const number = `\d\S*|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty|hundred|thousand`
	return regexp.MustCompile(`(?i)\b(?:(?:` + before + `) (` + number + `)|(` + number + `)((?: [a-z]+){0,3}?) or (?:` +
		after + `))\b`)
}

func newForm(content string) form {
	f := form{normal: strings.Join(relevance.Terms(content), " ")}
	for run, unspaced := range relevance.Runs(uniform(content)) {
		if !unspaced {
			f.add(run)
			continue
		}
		for _, r := range run {
			if !strings.ContainsRune(commonRunes, r) {
				f.add(string(r))
			}
		}
	}
	f.marks, f.set = distinct(f.marks), distinct(f.stems)
	numbers := 0
	for _, mark := range f.marks {
		if hasDigit(mark) {
			numbers++
		}
	}
	f.ordered = f.ordered || numbers > 1
	return f
}

// uniform writes numbers and bounds in one way, and puts a clause at the beginning of a text at its
// end.
func uniform(text string) string {
	for thousands.MatchString(text) { // one separator of a number at a time
		text = thousands.ReplaceAllString(text, "$1$2")
	}
	text = clause.ReplaceAllString(strings.ReplaceAll(text, "百分之", ""), "$2 $1")
	return atMost.ReplaceAllString(atLeast.ReplaceAllString(text, "at least $1$2$3"), "at most $1$2$3")
}

// add takes the next word of the text.
func (f *form) add(word string) {
	switch {
	case denialWords[word]:
		f.denials++
		return
	case fillers[word]:
		return
	case orderWords[word]:
		f.ordered = true
	}
	word = headOf(cmp.Or(numberWords[word], word))
	switch {
	case opposites[word] != "":
		f.ordered = f.ordered || slices.Contains(f.sides, opposites[word])
		f.sides = append(f.sides, word)
		if isCommon[word] {
			return
		}
	case hasDigit(word) || markWords[word]:
		f.marks = append(f.marks, word)
	case isCommon[word]:
		return
	}
	if !slices.Contains(f.stems, word) {
		f.stems = append(f.stems, word)
	}
}

// hasDigit reports whether a word is a number or a name with one.
func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

// twin reports whether f and g say the same: equal terms in order, or equal marks and denials, no
// word against its opposite, words in the same order where that matters, and enough stems in common.
//
// "Mine at the hub" and "never mine at the hub" share most of their words, and so do "keep 10%
// power" and "keep 50% power", or "refine before you sell" and "sell before you refine": without
// these conditions the correction of a lesson would pass for its repetition. Words that mean the
// same and are in no group count as different, so that some repetitions are not found.
func (f form) twin(g form) bool {
	if f.normal == g.normal {
		return true
	}
	if f.denials != g.denials || !slices.Equal(f.marks, g.marks) || f.opposes(g) || (f.ordered || g.ordered) &&
		!slices.Equal(f.within(g), g.within(f)) {
		return false
	}
	common := shared(f.set, g.set)
	least := alikeMin
	if common == min(len(f.set), len(g.set)) {
		least = addedMin
	}
	return 1000*common/max(len(f.set)+len(g.set)-common, 1) >= least
}

// opposes reports whether f has a word in whose place g has the opposite.
func (f form) opposes(g form) bool {
	return slices.ContainsFunc(f.sides, func(word string) bool {
		against := opposites[word]
		return slices.Contains(g.sides, against) && !(slices.Contains(f.sides, against) && slices.Contains(g.sides, word))
	})
}

// within are the stems that g has too, in their order.
func (f form) within(g form) (stems []string) {
	for _, s := range f.stems {
		if _, found := slices.BinarySearch(g.set, s); found {
			stems = append(stems, s)
		}
	}
	return stems
}

// shared returns how many terms two sorted lists of distinct terms have in common.
func shared(a, b []string) int {
	common := 0
	for len(a) > 0 && len(b) > 0 {
		switch strings.Compare(a[0], b[0]) {
		case 0:
			common++
			a, b = a[1:], b[1:]
		case -1:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return common
}

// headOf returns the first word of the group that a word belongs to, and the stem of any other.
func headOf(word string) string {
	root := stem(word)
	switch head, grouped := heads[root]; {
	case markWords[word] || opposites[word] != "":
		return word
	case grouped:
		return head
	case isCommon[word]:
		return word
	}
	return root
}

// Words that say more than what a lesson is about. denialWords deny; the "t" is what is left of
// "don't", and the beginnings of such words are fillers, which say nothing. orderWords compare, so
// that the order of the words matters. markWords, some of them stems, make another lesson of the
// same words.
var (
	denialWords = setOf(`avoid cannot never no none nor not t without 不 没 别 別 勿 無 无 莫 未 非`)
	orderWords  = setOf(`before after until then than from instead rather into 前 后 先 再 从 比 换 到`)
	markWords   = setOf(`
		all double except every half hundred least most only thousand unless until
		power compound hardware data heat mine refin harve build move wait chip facto 电 热 矿 炼 采 建 等 移 半 只 除`)
	fillers = setOf(`also always aren best better cent doesn don ensure good idea important isn make per percent please
		really remember simply still sure try usually very won wouldn`)
)

// isCommon is [commonWords] as a set.
var isCommon = setOf(strings.Join(commonWords, " "))

// setOf returns the words of a text as a set.
func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// pairs returns a map in which each word of a list leads to the one beside it, both ways or only
// from the first.
func pairs(words string, both bool) map[string]string {
	list, all := strings.Fields(words), map[string]string{}
	for i := 0; i < len(list); i += 2 {
		all[list[i]] = list[i+1]
		if both {
			all[list[i+1]] = list[i]
		}
	}
	return all
}

// opposites leads from a word to its opposite.
var opposites = pairs(`
	above below before after buy sell high low more less up down in out increase decrease give take accept decline
	first last rise fall full empty near far large small early late cheap expensive start stop enter leave
	receive send safe dangerous cold hot on off
	高 低 前 后 上 下 多 少 进 出 增 减 买 卖 先 再 始 停 满 空 远 近`, true)

// numberWords leads from a word for a number to its digits.
var numberWords = pairs(`
	zero 0 one 1 two 2 three 3 four 4 five 5 six 6 seven 7 eight 8 nine 9 ten 10 eleven 11 twelve 12 twenty 20 fifty 50
	一 1 二 2 两 2 三 3 四 4 五 5 六 6 七 7 八 8 九 9 十 10`, false)

// sameWords are groups of words that mean the same in lessons. A word of two groups is of the first.
var sameWords = []string{
	"power electricity energy", "charge recharge", "mine dig extract", "compound ore",
	"move travel go goes going journey trip walk",
	"place site location spot", "wait idle rest pause", "empty depleted exhausted", "build construct", "factory assembler",
	"produce manufacture craft", "buy purchase", "keep retain reserve maintain", "check verify confirm inspect",
	"ask request",
	"help assist", "start begin", "stop end halt quit", "need require", "use spend consume", "refused rejected",
	"again repeatedly",
	"choose pick select prefer", "large big huge", "quick fast", "near close nearby", "far distant remote",
	"above over exceeds",
	"below under beneath", "more longer greater", "less fewer shorter", "cheap inexpensive", "expensive costly",
	"high elevated", "hot overheated", "while when whenever once if",
	"other another else", "possible feasible doable", "every each", "message text",
}

// heads holds the first word of each group of sameWords by the stem of each of its words. The first
// word is a stem, too, unless a table above has the word itself.
var heads = func() map[string]string {
	all := map[string]string{}
	for _, group := range sameWords {
		words := strings.Fields(group)
		head := words[0]
		if !markWords[head] && opposites[head] == "" && !isCommon[head] {
			head = stem(head)
		}
		for _, word := range words {
			if root := stem(word); all[root] == "" {
				all[root] = head
			}
		}
	}
	return all
}()
