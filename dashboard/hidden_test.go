package dashboard_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/chromedp/chromedp"

	"example.com/agentworld/plaintext"
)

var update = flag.Bool("update", false, "rewrite what is generated")

// escaped reports whether the page shows a character by its number: every hidden one except those
// that divide a text into lines and columns.
func escaped(r rune) bool { return plaintext.Hidden(r) && r != '\t' && r != '\n' }

// hiddenRuns are how many characters are shown and how many are not, in turn, in base 36.
func hiddenRuns() string {
	var runs []string
	began, hides := rune(0), false
	for r := rune(0); r <= unicode.MaxRune+1; r++ {
		if r > unicode.MaxRune || escaped(r) != hides {
			runs = append(runs, strconv.FormatInt(int64(r-began), 36))
			began, hides = r, !hides
		}
	}
	return strings.Join(runs, " ")
}

// TestThePageHidesWhatTheProgramHides holds the table of the page against [plaintext.Hidden], and in
// a browser every character against it.
func TestThePageHidesWhatTheProgramHides(t *testing.T) {
	path := filepath.Join("static", "js", "hidden.js")
	table := []byte(fmt.Sprintf(`// The characters that steer or hide text: those of plaintext.Hidden except tab and line feed. The
// runs are how many are shown and how many hidden, in turn, in base 36. The table is written by
// go test ./dashboard -run TestThePageHides -update
const runs = '%s';
let at = 0, set = '';
runs.split(' ').forEach((n, i) => {
	const from = at;
	at += parseInt(n, 36);
	if (i %% 2) set += `+"`\\\\u{${from.toString(16)}}-\\\\u{${(at - 1).toString(16)}}`"+`;
});
export const hidden = new RegExp('[' + set + ']', 'gu');
`, hiddenRuns()))
	if *update {
		if err := os.WriteFile(path, table, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, table) {
		t.Fatalf("%s is not the table of this program; -update writes it: %v", path, err)
	}
	b := openTab(t, serve(t, t.TempDir()))
	b.open(t, "", "There is no run here yet")
	const shown = `import('/js/lib.js').then(({ clean }) => {
		const wrong = [];
		let bits = '';
		for (let c = 0; c <= 0x10ffff; c++) {
			const of = String.fromCodePoint(c), is = clean('a' + of + 'b');
			if (is !== 'a' + of + 'b' && !/^a\\u(\{[0-9a-f]+\}|[0-9a-f]{4})b$/.test(is)) wrong.push(c);
			bits += is === 'a' + of + 'b' ? '0' : '1';
		}
		return wrong.length ? 'as something else: ' + wrong.slice(0, 20) : bits;
	})`
	bits, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](shown, chromedp.EvalAwaitPromise))
	if err != nil || len(bits) != unicode.MaxRune+1 {
		t.Fatalf("the page shows characters %s, %v", bits[:min(len(bits), 200)], err)
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if (bits[r] == '1') != escaped(r) {
			t.Fatalf("%U is hidden by the program: %v, escaped by the page: %v", r, plaintext.Hidden(r), bits[r] == '1')
		}
	}
}
