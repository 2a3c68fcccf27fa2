package dashboard_test

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"example.com/agentworld"
)

// screens are the widths at which the gallery shows each view: a desk, a small one and a phone.
var screens = []int64{1280, 1024, 390}

// TestGallery takes the sheets of docs/pictures/views again when asked to: each view at three widths, light and dark.
func TestGallery(t *testing.T) {
	if !*pictures {
		t.Skip("takes pictures for docs; see -pictures")
	}
	browserPath(t)
	dir := t.TempDir()
	record(t, filepath.Join(dir, "hub"), "llm_bootstrap", 20, nil)
	record(t, filepath.Join(dir, "camp"), "task_cooperation_camp_160", 100, nil)
	record(t, filepath.Join(dir, "camp2"), "task_cooperation_camp_160", 100, func(s *agentworld.Settings) { s.ChainSteps = 3 })
	b := openTab(t, serve(t, dir))
	for _, view := range []struct {
		name, route, text string
		height            int64
	}{
		{"runs", "", "task_cooperation_camp_160", 500},
		{"world", "#/run?id=camp&tick=90", "Agents after tick 90", 1300},
		{"agent", "#/run?id=hub&tick=7&agent=agent-1", "Charge and heat", 1150},
		{"decision", "#/run?id=hub&tick=3&agent=agent-1&open=1", "What it led to", 1050},
		{"between", "#/run?id=camp&panel=contacts", "agent-3", 900},
		{"figures", "#/run?id=camp&panel=figures", "decided alone", 1000},
		{"log", "#/run?id=camp&panel=log", "action applied", 900},
		{"about", "#/run?id=camp&panel=about", "How it came about", 900},
		{"compare", "#/compare?a=camp&b=camp2", "decided alone", 1000},
	} {
		b.sheet(t, view.name, view.route, view.text, view.height)
	}
}

// sheet takes a view on all screens, light above dark, at half its size, as one picture.
func (b *tab) sheet(t *testing.T, name, route, text string, height int64) {
	t.Helper()
	var shots []image.Image
	for _, scheme := range []string{"light", "dark"} {
		for _, width := range screens {
			dress := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}
			err := chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height, chromedp.EmulateScale(0.5)))
			if err != nil {
				t.Fatal(err)
			}
			shot, err := chromedp.Run(b.ctx, func(ctx context.Context, to *chromedp.Target) (page.CaptureScreenshotResult, error) {
				if _, err := cdp.Call(ctx, to, emulation.SetEmulatedMedia, dress); err != nil {
					return page.CaptureScreenshotResult{}, err
				}
				b.open(t, route, text)
				b.drawn(t)
				return cdp.Call(ctx, to, page.CaptureScreenshot, page.CaptureScreenshotParams{Format: page.CaptureScreenshotFormatPng})
			})
			if err != nil {
				t.Fatalf("take a picture of %s: %v", name, err)
			}
			drawn, err := png.Decode(bytes.NewReader(shot.Data))
			if err != nil {
				t.Fatal(err)
			}
			shots = append(shots, drawn)
		}
	}
	made := smallJPEG(t, composed(shots))
	if err := os.WriteFile(filepath.Join("..", "docs", "pictures", "views", name+".jpg"), made, 0o644); err != nil {
		t.Fatal(err)
	}
}

// composed puts pictures in rows of as many as there are screens.
func composed(shots []image.Image) image.Image {
	const gap = 8
	width, height := gap, 0
	for _, shot := range shots[:len(screens)] {
		width += shot.Bounds().Dx() + gap
		height = max(height, shot.Bounds().Dy()+gap)
	}
	sheet := image.NewRGBA(image.Rect(0, 0, width, gap+height*len(shots)/len(screens)))
	draw.Draw(sheet, sheet.Bounds(), image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	x, y := gap, gap
	for i, shot := range shots {
		size := shot.Bounds().Size()
		draw.Draw(sheet, image.Rect(x, y, x+size.X, y+size.Y), shot, shot.Bounds().Min, draw.Src)
		x += size.X + gap
		if (i+1)%len(screens) == 0 {
			x = gap
			y += height
		}
	}
	return sheet
}

// smallJPEG encodes a picture as well as its size allows.
func smallJPEG(t *testing.T, of image.Image) []byte {
	t.Helper()
	for quality := 80; quality >= 35; quality -= 5 {
		var b bytes.Buffer
		if err := jpeg.Encode(&b, of, &jpeg.Options{Quality: quality}); err != nil {
			t.Fatal(err)
		}
		if b.Len() <= pictureBytesMax {
			return b.Bytes()
		}
	}
	t.Fatalf("a picture has more than %d bytes", pictureBytesMax)
	return nil
}
