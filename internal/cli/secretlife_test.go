package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/stub"
)

// secrets are keys of forms that no pattern knows, by where each is set. None of them is
// set in two places, so that one place cannot hide what another shows.
var secrets = map[string]string{
	"key":               "main0Kq8vTzr5WdXyJ3nLhBm",
	"key of the file":   "file1Pw7cQeRgSaUoIiFtVk2",
	"query of the URL":  "quer2Zx9aMnBsDfGhJkLqWe3",
	"agent's key":       "agkv3Yt6uHjNbVgFcRdXsEa4",
	"agent's query":     "agqy4Lp1oKmIjNuHbYgVtFc5",
	"telemetry header":  "otlh5Qa2wSzXeDcRfVtGbYh6",
	"telemetry address": "otla6Mk3nJhBuVgYcFtXdRz7",
}

// shows names the secret of which text repeats ten or more characters, empty for none.
func shows(text string) string {
	for name, secret := range secrets {
		for i := 0; i+10 <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+10]) {
				return name
			}
		}
	}
	return ""
}

// gossip serves the scripted model and repeats what it was sent wherever a provider can:
// in headers, in bodies of errors, in texts beside the calls of a reply, in ids, and in
// arguments.
func gossip(t *testing.T) *httptest.Server {
	t.Helper()
	model := stub.NewHandler(stub.Options{Seed: 1})
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told := r.Header.Get("Authorization") + " " + r.URL.RawQuery
		w.Header().Set("X-Request-Id", told)
		if n := asked.Add(1); n%9 == 8 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader([]int{400, 500, 429}[n/9%3])
			fmt.Fprintf(w, `{"error":{"message":%q,"code":%q,"type":%q}}`, "not with "+told, told, told)
			return
		}
		answer := httptest.NewRecorder()
		model.ServeHTTP(answer, r)
		body := answer.Body.Bytes()
		var reply map[string]any
		if json.Unmarshal(body, &reply) == nil && reply["output"] != nil {
			text := map[string]any{"type": "output_text", "text": "I was sent " + told, "annotations": []any{}}
			message := map[string]any{"type": "message", "id": "msg " + told, "role": "assistant", "status": "completed", "content": []any{text}}
			reply["output"], reply["model"] = append(reply["output"].([]any), message), "m "+told
			body, _ = json.Marshal(reply)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(answer.Code)
		_, _ = w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s
}

// everyFile is the text of all files below dir with their names, compressed ones too.
func everyFile(t *testing.T, dir string) string {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer decoder.Close()
	var all strings.Builder
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == settings.ConfigName {
			return err
		}
		data, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, ".zst") {
			data, err = decoder.DecodeAll(data, nil)
		}
		all.WriteString(strings.TrimPrefix(path, dir) + "\n")
		all.Write(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// keyed is a directory and an environment in which everything that can hold a key does.
type keyed struct {
	dir       string
	env       map[string]string
	live      []string
	collector *collector
}

// newKeyed returns one; with inFile the run's own key is in the configuration file.
func newKeyed(t *testing.T, inFile bool) keyed {
	server, c := gossip(t), newCollector(t)
	k := keyed{dir: t.TempDir(), collector: c, env: map[string]string{
		"AGENT_KEY":                   secrets["agent's key"],
		"OTEL_EXPORTER_OTLP_ENDPOINT": strings.Replace(c.URL, "http://", "http://user:"+secrets["telemetry address"]+"@", 1),
		"OTEL_EXPORTER_OTLP_HEADERS":  "authorization=Bearer " + secrets["telemetry header"],
	}}
	if inFile {
		text := "[llm]\napi_key = '" + secrets["key of the file"] + "'\n"
		if err := os.WriteFile(filepath.Join(k.dir, settings.ConfigName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	} else {
		k.env[settings.EnvPrefix+"API_KEY"] = secrets["key"]
	}
	k.live = []string{
		"--model", "m", "--base-url", server.URL + "/v1?api-key=" + secrets["query of the URL"], "--retry-backoff", "1ms",
	}
	return k
}

// agentFlag is for commands that take models of agents.
func (k keyed) agentFlag() []string {
	url, _, _ := strings.Cut(k.live[3], "?")
	return []string{"--agent-model", "agent-2=small@" + url + "?code=" + secrets["agent's query"] + ",key_env=AGENT_KEY"}
}

// run runs a command and demands that no secret is in what it printed, wrote or exported.
func (k keyed) run(t *testing.T, args ...string) (code int, output string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	p := newProcess(t, k.env, args...)
	p.dir, p.Getwd = k.dir, func() (string, error) { return k.dir, nil }
	code = p.Run(ctx)
	shown := strings.Join(args, " ")
	for name, text := range map[string]string{"output": p.output(), "files": everyFile(t, k.dir)} {
		if secret := shows(text); secret != "" {
			t.Errorf("%s: the %s is in the %s:\n%s", shown, secret, name, around(text))
		}
	}
	k.collector.mu.Lock()
	defer k.collector.mu.Unlock()
	if secret := shows(k.collector.raw.String()); secret != "" {
		t.Errorf("%s: the %s was exported", shown, secret)
		k.collector.raw.Reset()
	}
	return code, p.output()
}

// around is the first line of text that shows a secret.
func around(text string) string {
	for line := range strings.Lines(text) {
		if shows(line) != "" {
			return line[:min(len(line), 1500)]
		}
	}
	return ""
}

// TestKeysStayHiddenThroughTheLifeOfARun has keys in every place that may hold one, a
// server that repeats them, and every command that does something with a run.
func TestKeysStayHiddenThroughTheLifeOfARun(t *testing.T) {
	slow(t)
	for _, inFile := range []bool{false, true} {
		k := newKeyed(t, inFile)
		everything := append(k.agentFlag(), k.live...)
		must := func(want int, args ...string) {
			t.Helper()
			if code, output := k.run(t, args...); code != want {
				t.Fatalf("%s: exit code %d, want %d:\n%s", strings.Join(args, " "), code, want, output)
			}
		}
		must(0, append([]string{"two_bases", "--print-config"}, everything...)...)
		if inFile {
			must(0, append([]string{"two_bases", "--ticks", "3", "--run-dir", "run", "--print-llm-io"}, everything...)...)
			continue
		}
		must(0, append([]string{"two_bases", "--estimate-only"}, everything...)...)
		must(0, append([]string{"two_bases", "--ticks", "4", "--run-dir", "run", "--learn-every", "2", "--print-llm-io", "--report-json", "report.json"}, everything...)...)
		must(0, append([]string{"resume", "run", "--until-tick", "6"}, k.live...)...)
		must(0, append([]string{"fork", "run", "--at-tick", "3", "--run-dir", "fork"}, everything...)...)
		must(0, append([]string{"two_bases", "--ticks", "7", "--run-dir", "again", "--replay-from", "run", "--replay-miss", "ask", "--learn-every", "2"}, everything...)...)
		for _, args := range [][]string{
			{"inspect", "run"}, {"inspect", "run", "--json", "--rebuild-index"}, {"explain", "run", "--tick", "2", "--agent", "agent-2"},
			{"explain", "run", "--tick", "3", "--agent", "agent-1", "--json"}, {"trace", "cat", "run"}, {"trace", "canonical", "fork"}, {"report", "fork"},
			{"replay", "run"}, {"replay", "fork"}, {"answers", "export", "run", "run.zst"}, {"answers", "show", "run.zst"},
			{"two_bases", "--ticks", "6", "--run-dir", "strict", "--replay-from", "run.zst", "--learn-every", "2"},
		} {
			if code, output := k.run(t, args...); code != 0 && code != 5 {
				t.Errorf("%s: exit code %d:\n%s", strings.Join(args, " "), code, output)
			}
		}
		must(0, append([]string{"playbook", "learn", "run", "--playbook", "lessons.toml"}, k.live[:4]...)...)
		k.run(t, append([]string{"doctor"}, k.live[:4]...)...)
	}
}

// TestKeysStayHiddenInErrors: settings that cannot be used, with a key in them.
func TestKeysStayHiddenInErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("more than a second; the whole test command plays it")
	}
	k := newKeyed(t, false)
	key := secrets["query of the URL"]
	if code, output := k.run(t, "minimal", "--ticks", "2", "--run-dir", "base"); code != 0 {
		t.Fatalf("exit code %d:\n%s", code, output)
	}
	bad := []string{
		"http://u:" + key + "@127.0.0.1:1/v1", "ftp://host/v1?api-key=" + key, "http://ho st/?api-key=" + key, "http://127.0.0.1:1/%zz?api-key=" + key,
		"127.0.0.1:1?api-key=" + key, "http://127.0.0.1:notaport/v1?api-key=" + key, "http://127.0.0.1:1/v1?api-key=" + key + "#" + key, "http://[::1/v1?k=" + key,
		"http://nowhere.invalid/v1?api-key=" + key, "https://127.0.0.1:1/v1?api-key=" + key,
	}
	for _, url := range bad {
		for _, args := range [][]string{
			{"minimal", "--ticks", "1", "--run-dir", "run", "--model", "m", "--base-url", url},
			{"two_bases", "--ticks", "1", "--run-dir", "run", "--model", "m", "--base-url", "http://127.0.0.1:1", "--agent-model", "agent-2=n@" + url},
			{"resume", "base", "--until-tick", "3", "--model", "m", "--base-url", url},
			{"fork", "base", "--at-tick", "1", "--ticks", "3", "--run-dir", "run", "--model", "m", "--base-url", url},
			{"doctor", "--model", "m", "--base-url", url}, {"playbook", "learn", "base", "--playbook", "p.toml", "--model", "m", "--base-url", url},
		} {
			if args[0] != "doctor" && args[0] != "playbook" {
				args = append(args, "--retry-backoff", "1ms", "--timeout", "2s")
			}
			// A reflect call without an answer loses its lesson and is no error.
			if code, output := k.run(t, args...); code == 0 && args[0] != "playbook" || output == "" {
				t.Errorf("%s: exit code %d:\n%s", strings.Join(args, " "), code, output)
			}
			if err := os.RemoveAll(filepath.Join(k.dir, "run")); err != nil {
				t.Fatal(err)
			}
		}
	}
	// The key of an agent is no better placed in a prompt than the run's.
	for _, args := range [][]string{{"two_bases", "--run-dir", "run"}, {"fork", "base", "--at-tick", "1", "--run-dir", "run", "--ticks", "3"}} {
		args = append(append(args, k.live...), "--system-prompt", "use "+secrets["agent's key"])
		agents := k.agentFlag()
		if args[0] == "fork" {
			agents[1] = strings.Replace(agents[1], "agent-2", "agent-1", 1)
		}
		if code, output := k.run(t, append(args, agents...)...); code != 2 || !strings.Contains(output, "holds what looks like a key") {
			t.Errorf("%s: exit code %d:\n%s", strings.Join(args, " "), code, output)
		}
	}
	for name, values := range map[string][]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": {secrets["telemetry address"], "ftp://u:" + secrets["telemetry address"] + "@h", "http://u:" + secrets["telemetry address"] + "@127.0.0.1:1"},
		"OTEL_EXPORTER_OTLP_HEADERS":  {secrets["telemetry header"], "authorization=%zz" + secrets["telemetry header"], "a=b,=" + secrets["telemetry header"]},
		"OTEL_TRACES_EXPORTER":        {secrets["telemetry header"]}, "OTEL_EXPORTER_OTLP_PROTOCOL": {secrets["telemetry header"]},
		"OTEL_RESOURCE_ATTRIBUTES": {secrets["telemetry header"]}, "OTEL_EXPORTER_OTLP_TIMEOUT": {secrets["telemetry header"]},
		"OTEL_EXPORTER_OTLP_CERTIFICATE": {secrets["telemetry header"]},
	} {
		for _, value := range values {
			old, had := k.env[name]
			k.env[name] = value
			t.Setenv(name, value) // the exporters read the process's own
			k.run(t, "minimal", "--ticks", "1", "--run-dir", "run", "--otel")
			if had {
				k.env[name] = old
			} else {
				delete(k.env, name)
			}
			os.Unsetenv(name)
			_ = os.RemoveAll(filepath.Join(k.dir, "run"))
		}
	}
}

// TestEveryFileIsRead: the search above would find a secret in a compressed file.
func TestEveryFileIsRead(t *testing.T) {
	dir := t.TempDir()
	encoder, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer encoder.Close()
	if err := os.WriteFile(filepath.Join(dir, "x.zst"), encoder.EncodeAll([]byte("a "+secrets["key"]), nil), 0o600); err != nil {
		t.Fatal(err)
	}
	if shows(everyFile(t, dir)) != "key" || shows("nothing") != "" {
		t.Error("a secret in a compressed file went unnoticed")
	}
}
