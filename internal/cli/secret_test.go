package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/session/access"
)

// planted is a key that must never be printed, nor any longer piece of it.
const planted = "sk-planted-Zq7Rw2Yt9Kp4Lm6Nx1Bc3Vd5Fg8Hj0"

// holdsSecret reports whether text repeats eight or more characters of planted.
func holdsSecret(text string) bool {
	for i := 0; i+8 <= len(planted); i++ {
		if strings.Contains(text, planted[i:i+8]) {
			return true
		}
	}
	return false
}

func TestHoldsSecretFindsPieces(t *testing.T) {
	if !holdsSecret("key ends in " + planted[len(planted)-8:]) {
		t.Error("a piece of the key went unnoticed")
	}
	if holdsSecret("sk-plan") {
		t.Error("a text without a piece of the key was taken for one")
	}
}

// TestKeyIsNeverPrinted runs the program in the ways that look at keys and reads
// everything it printed and wrote.
func TestKeyIsNeverPrinted(t *testing.T) {
	env := map[string]string{settings.EnvPrefix + "API_KEY": planted}
	for _, c := range []struct {
		name, file string
		env        map[string]string
		args       []string
		code       int
	}{
		{"print-config from the environment", "", env, []string{"--print-config"}, 0},
		{"print-config from the file", "[llm]\napi_key = '" + planted + "'\n", nil, []string{"--print-config"}, 0},
		{"a key that cannot be one", "", map[string]string{"OPENAI_API_KEY": planted + " " + planted}, []string{"--ticks", "1"}, 2},
		{"a key of the wrong type", "[llm]\napi_key = ['" + planted + "']\n", nil, []string{"--print-config"}, 2},
		{"a key without quotes", "[llm]\napi_key = " + planted + "\n", nil, []string{"--print-config"}, 2},
		{"a key with a bad escape", "[llm]\napi_key = \"" + planted + "\\q\"\n", nil, []string{"--print-config"}, 2},
		{"a key in the URL's query", "", map[string]string{"OPENAI_BASE_URL": "http://localhost:1/v1?api-key=" + planted}, []string{"--print-config"}, 0},
		{"a key in a bad URL", "", map[string]string{"OPENAI_BASE_URL": "https://" + planted + "@host/v1"}, []string{"--print-config"}, 2},
		{"a bad flag beside a key", "", env, []string{"--model", "m", "--ticks", "0"}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProcess(t, c.env, c.args...)
			if c.file != "" {
				if err := os.WriteFile(filepath.Join(p.dir, settings.ConfigName), []byte(c.file), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if code := p.run(t); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if out := p.output(); out == "" || holdsSecret(out) {
				t.Errorf("the key, or nothing at all, was printed:\n%s", out)
			}
		})
	}
}

func TestPrintConfigTellsTheLengthOfTheKey(t *testing.T) {
	p := newProcess(t, map[string]string{"OPENAI_API_KEY": planted}, "--print-config")
	if code := p.run(t); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	want := fmt.Sprintf("set (%d characters)", len(planted))
	if !strings.Contains(p.stdout.String(), want) || !strings.Contains(p.stdout.String(), "environment OPENAI_API_KEY") {
		t.Errorf("no %q with its origin in\n%s", want, p.stdout.String())
	}
}

func TestFormatVerbsHideTheKey(t *testing.T) {
	c := config{Config: settings.Config{Process: settings.Process{APIKey: openai.NewSecret(planted)}}}
	p := plan{config: c}
	p.asked.Access.Keys = []access.Key{{Secret: c.APIKey}}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if text := fmt.Sprintf(verb, c) + fmt.Sprintf(verb, p) + fmt.Sprintf(verb, &p); holdsSecret(text) {
			t.Errorf("%s shows the key", verb)
		}
	}
}
