package openai

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const queryKey = "Q9x+/longer-secret"

// leaks returns the secret that text shows, "" when it shows none.
func leaks(text string) string {
	for _, s := range []string{testKey, queryKey, url.QueryEscape(queryKey), testKey[8:20], "longer-secret"} {
		if strings.Contains(text, s) {
			return s
		}
	}
	return ""
}

func TestNothingPrintsSecrets(t *testing.T) {
	cfg := Config{BaseURL: "localhost:1/v1?api-key=" + url.QueryEscape(queryKey), APIKey: NewSecret(testKey)}
	client, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	type holder struct {
		secret Secret
		client *Client
		base   BaseURL
	}
	values := []any{
		cfg, &cfg, client, *client, cfg.APIKey, &cfg.APIKey, client.base, client.config, client.scrub,
		holder{cfg.APIKey, client, client.base}, []Secret{cfg.APIKey}, map[string]Secret{"key": cfg.APIKey},
	}
	for _, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t"} {
			if text := fmt.Sprintf(verb, value); leaks(text) != "" {
				t.Errorf("Sprintf(%q) of a %T shows %q in %q", verb, value, leaks(text), text)
			}
		}
	}
	var log strings.Builder
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "secret", cfg.APIKey, "client", client)
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "secret", cfg.APIKey, "config", cfg, "client", client)
	encoded, err := json.Marshal(map[string]any{"secret": cfg.APIKey, "client": client})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{log.String(), string(encoded), client.URL(), client.String(), cfg.String()} {
		if leaks(text) != "" || text == "" {
			t.Errorf("%q shows %q", text, leaks(text))
		}
	}
}

func TestSecret(t *testing.T) {
	var zero Secret
	if zero.Reveal() != "" || !zero.Empty() || zero.String() != "" || NewSecret("") != zero {
		t.Error("the zero secret is not the empty one")
	}
	s := NewSecret(testKey)
	if s.Reveal() != testKey || s.Empty() || fmt.Sprint(s) != secretMark {
		t.Errorf("a secret reveals %q and prints %v", s.Reveal(), s)
	}
}

// TestServersCannotEchoSecrets lets servers repeat what they were sent in every
// place that reaches an answer.
func TestServersCannotEchoSecrets(t *testing.T) {
	echo := func(status int, shape string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
			said := fmt.Sprintf("%s | Authorization: %s | %s | %s | ke\u200by %s", key, r.Header.Get("Authorization"), r.RequestURI,
				r.URL.Query().Get("api-key"), key[:6]+"\u200b"+key[6:])
			quoted, _ := json.Marshal(said)
			w.Header().Set("Content-Type", said)
			w.Header().Set("Location", "http://other.test/"+r.RequestURI)
			w.WriteHeader(status)
			_, _ = fmt.Fprintf(w, shape, quoted)
		}
	}
	for _, c := range []struct {
		status int
		shape  string
	}{
		{200, `{"error":{"message":%[1]s,"code":%[1]s}}`}, {200, `{"object":%s}`}, {200, `{"id":%[1]s,"model":%[1]s,"status":%[1]s,"output":[]}`},
		{200, `%s`}, {200, `<html>%s`}, {200, `{"status":"failed","error":%s}`}, {200, `{"status":"incomplete","incomplete_details":{"reason":%s},"output":[]}`},
		{302, `%s`}, {400, `{"error":%s}`}, {401, `{"error":{"message":%[1]s,"type":%[1]s}}`}, {403, `%s`}, {404, `%s`}, {429, `{"detail":%s}`}, {500, `%s`},
	} {
		p := newProvider(t, echo(c.status, c.shape))
		client, _ := newClient(t, Config{BaseURL: p.URL + "?api-key=" + url.QueryEscape(queryKey), APIKey: NewSecret(testKey)})
		answer := client.Respond(t.Context(), request())
		check(t, answer)
		text := fmt.Sprintf("%+v %+v", answer.Reply, answer.Failure)
		if leaks(text) != "" || c.status != 302 && !strings.Contains(text, secretMark) {
			t.Errorf("%d %s: the answer shows %q: %s", c.status, c.shape, leaks(text), text)
		}
	}
}

func TestTransportErrorsHideTheURL(t *testing.T) {
	client, _ := newClient(t, Config{
		BaseURL: "http://model.test?api-key=" + url.QueryEscape(queryKey), APIKey: NewSecret(testKey),
		HTTPClient: carries(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("cannot reach %s with %s", r.URL, r.Header.Get("Authorization"))
		}),
	})
	answer := client.Respond(t.Context(), request())
	check(t, answer)
	if text := answer.Failure.Message; leaks(text) != "" || !strings.Contains(text, "cannot reach http://model.test") {
		t.Errorf("message %q shows %q", text, leaks(text))
	}
}

func TestScrub(t *testing.T) {
	s := newScrubber("local", "abc", "local-and-longer")
	for _, c := range []struct{ in, want string }{
		{"plain text", "plain text"},
		{"key local-and-longer and local", "key [secret] and [secret]"},
		{"abc is too short to be a secret", "abc is too short to be a secret"},
		{"provided: sk-proj-AbC_123*****xyz. See", "provided: [secret] See"},
		{"ask-me is no key, task-force neither", "ask-me is no key, task-force neither"},
		{"header 'Authorization: bearer  eyJ.x-y' sent", "header 'Authorization: Bearer [secret] sent"},
		{"GET /?api-key=zzz&x=1 access_token=qq", "GET /?api-key=[secret]&x=1 access_token=[secret]"},
		{" two\r\n\tlines\x00\x1b[31m \u200b\u202e", "two lines[31m"},
		{"bad \xff\xfe bytes", "bad bytes"},
		{"", ""},
	} {
		if got := s.message(c.in); got != c.want {
			t.Errorf("message(%q) = %q, want %q", c.in, got, c.want)
		}
	}
}
