package dashboard_test

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var pictures = flag.Bool("pictures", false, "take the pictures in docs/pictures again")

// pictureBytesMax bounds a picture: everybody who clones the tree has all of them.
const pictureBytesMax = 150_000

// outline is what a view has for those who do not see it: its headings and what it calls its parts.
const outline = `[...document.querySelectorAll('h1, h2, h3, th, [role=region], nav, section[aria-label]')].filter((e) => e.checkVisibility()).map((e) => e.ariaLabel || e.innerText)`

// TestPictures takes the pictures in docs when asked to. Otherwise it goes to where each was taken,
// in a long test, and looks whether the page is still the one in the picture, by its headings and
// parts. That each is there, named and small is looked at always.
func TestPictures(t *testing.T) {
	named := picturesNamed(t)
	if !long && !*pictures {
		return
	}
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "camp"), "task_cooperation_camp_160", 100, nil)
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 20, nil)
	b := openTab(t, serve(t, dir))
	shown := map[string][]string{}
	for _, view := range []struct {
		name, route, text string
		height            int64
	}{
		{"world", "#/run?id=camp&tick=90", "Agents after tick 90", 1330},
		{"decision", "#/run?id=hub&tick=3&agent=agent-1&open=1", "What it led to", 900},
		{"figures", "#/run?id=camp&panel=figures", "Latency of calls", 820},
	} {
		if err := chromedp.Do(b.ctx, chromedp.EmulateViewport(1280, view.height)); err != nil {
			t.Fatal(err)
		}
		b.open(t, view.route, view.text)
		b.drawn(t)
		of, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]string](outline))
		if err != nil || len(of) < 4 {
			t.Fatalf("%s has the parts %q, %v", view.name, of, err)
		}
		shown[view.name] = of
		if *pictures {
			b.picture(t, view.name+".jpg")
		}
	}
	golden := filepath.Join("testdata", "pictures.json")
	text, err := json.MarshalIndent(shown, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *pictures {
		if err := os.WriteFile(golden, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || strings.TrimSpace(string(want)) != string(text) {
		t.Errorf("the page is not the one in the pictures; look at it, and take them again with -pictures: %v\n%s\nwant\n%s", err, text, want)
	}
	for name := range shown {
		if !slices.Contains(named, name+".jpg") {
			t.Errorf("no page of docs shows the picture %s.jpg", name)
		}
	}
}

// picture takes a picture for docs.
func (b *tab) picture(t *testing.T, name string) {
	t.Helper()
	quality := int64(76)
	shot, err := chromedp.Run(b.ctx, func(ctx context.Context, to *chromedp.Target) (page.CaptureScreenshotResult, error) {
		return cdp.Call(ctx, to, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatJpeg, Quality: &quality})
	})
	if err != nil {
		t.Fatalf("take a picture: %v", err)
	}
	if err := os.WriteFile(filepath.Join("..", "docs", "pictures", name), shot.Data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// picturesNamed are the pictures that pages show. Each is there, and small.
func picturesNamed(t *testing.T) (names []string) {
	t.Helper()
	pages, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range append(pages, "../README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`!\[[^\]]+\]\(((?:docs/)?pictures/([^)]+))\)`).FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[2])
			if info, err := os.Stat(filepath.Join(filepath.Dir(name), m[1])); err != nil || info.Size() > pictureBytesMax {
				t.Errorf("%s shows %s: %v, or over %d bytes", name, m[1], err, pictureBytesMax)
			}
		}
	}
	return names
}
