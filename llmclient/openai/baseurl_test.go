package openai

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseBaseURL(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"https://api.openai.com", "https://api.openai.com/v1"},
		{"https://api.openai.com/", "https://api.openai.com/v1"},
		{"https://api.openai.com//", "https://api.openai.com/v1"},
		{"  https://api.openai.com/v1\n", "https://api.openai.com/v1"},
		{"https://api.openai.com/v1/", "https://api.openai.com/v1"},
		{"HTTPS://api.openai.com/v1", "https://api.openai.com/v1"},
		{"https://h/v1/responses", "https://h/v1"},
		{"https://h/v1/responses/", "https://h/v1"},
		{"https://h/v1/responses//", "https://h/v1"},
		{"https://h/v1/chat/completions", "https://h/v1"},
		{"https://h/responses", "https://h/v1"},
		{"https://h/chat/completions/", "https://h/v1"},
		{"https://h/v1/responses/responses", "https://h/v1/responses"},
		{"https://h/v1/chat/completions/responses", "https://h/v1/chat/completions"},
		{"https://h/v1/completions", "https://h/v1/completions"},
		{"https://h/my-responses", "https://h/my-responses"},
		{"https://h/api/openai", "https://h/api/openai"},
		{"https://h/a%2Fb/c%20d", "https://h/a%2Fb/c%20d"},
		{"https://h/a b", "https://h/a%20b"},
		{"https://h:8443/v2", "https://h:8443/v2"},
		{"https://h?api-version=1", "https://h/v1?api-version=1"},
		{"https://h/v1/responses?b=2&a=1&a=0", "https://h/v1?b=2&a=1&a=0"},
		{"localhost", "http://localhost/v1"},
		{"localhost:8000", "http://localhost:8000/v1"},
		{"LocalHost:8000/v1/", "http://LocalHost:8000/v1"},
		{"localhost:8000/api?x=http://y", "http://localhost:8000/api?x=http://y"},
		{"127.0.0.1:9/v1", "http://127.0.0.1:9/v1"},
		{"127.8.9.10", "http://127.8.9.10/v1"},
		{"[::1]", "http://[::1]/v1"},
		{"[::1]:8080?x=1", "http://[::1]:8080/v1?x=1"},
		{"https://localhost:1", "https://localhost:1/v1"},
		{"http://[fe80::1%25en0]:80/v1", "http://[fe80::1%25en0]:80/v1"},
		{"http://example.org", "http://example.org/v1"},
	} {
		got, err := ParseBaseURL(c.in)
		if err != nil || got.String() != c.want {
			t.Errorf("ParseBaseURL(%q) = %q, %v, want %q", c.in, got.String(), err, c.want)
			continue
		}
		if operation.MatchString(c.want) {
			continue // exactly one is cut, so a second reading cuts the next
		}
		again, err := ParseBaseURL(got.String())
		if err != nil || again.String() != c.want {
			t.Errorf("ParseBaseURL(%q) = %q, %v, want it unchanged", c.want, again.String(), err)
		}
	}
}

func TestParseBaseURLErrors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", "empty"},
		{" \t", "empty"},
		{"api.openai.com/v1", "no scheme"},
		{"10.0.0.1:80", "no scheme"},
		{"128.0.0.1:80", "no scheme"},
		{"localhost.evil.org", "no scheme"},
		{"localhost:s3cr3t@evil.org", "no scheme"},
		{"::1", "no scheme"},
		{"//localhost/v1", "no scheme"},
		{"http:/localhost", "no scheme"},
		{"s3cr3t", "no scheme"},
		{"ftp://h/v1", "only http and https"},
		{"ws://localhost", "only http and https"},
		{"unix:///var/run/model", "only http and https"},
		{"https://user:s3cr3t@h/v1", "user or password"},
		{"https://s3cr3t@h/v1", "user or password"},
		{"me:s3cr3t@localhost:80", "user or password"},
		{"https://h/v1#s3cr3t", "fragment"},
		{"https://h/v1#", "fragment"},
		{"https://", "no host"},
		{"https:///v1", "no host"},
		{"http://:8080/v1", "no host"},
		{"http://h:0", "port"},
		{"http://h:65536", "port"},
		{"http://h:s3cr3t", "cannot be read"},
		{"http://h/%zz", "cannot be read"},
		{"http://h/v1?a=s3cr3t b", "query"},
		{"http://h/v1?a=é", "query"},
	} {
		got, err := ParseBaseURL(c.in)
		if err == nil {
			t.Errorf("ParseBaseURL(%q) = %q, want an error", c.in, got)
			continue
		}
		text := err.Error()
		if !strings.Contains(text, c.want) || strings.ContainsAny(text, "\r\n") {
			t.Errorf("ParseBaseURL(%q): %q, want one line about %q", c.in, text, c.want)
		}
		if strings.Contains(text, "s3cr3t") {
			t.Errorf("ParseBaseURL(%q): %q repeats a secret", c.in, text)
		}
	}
}

func TestBaseURLMasksSecrets(t *testing.T) {
	const raw = "https://h/v1?api-version=2024-10-21-preview&api-key=abc123&sig=&%61ccess_token=x%2Fy&v=sk-1234&blob=0123456789012345678901234567890"
	const want = "https://h/v1?api-version=2024-10-21-preview&api-key=[secret]&sig=&%61ccess_token=[secret]&v=[secret]&blob=[secret]"
	b, err := ParseBaseURL(raw)
	if err != nil {
		t.Fatal(err)
	}
	wrapped := struct{ inner BaseURL }{b}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		if got := fmt.Sprintf(verb, b); got != want {
			t.Errorf("Sprintf(%q) = %q, want %q", verb, got, want)
		}
		if got := fmt.Sprintf(verb, wrapped); strings.Contains(got, "abc123") {
			t.Errorf("Sprintf(%q) of a struct around it = %q shows a key", verb, got)
		}
	}
	if u := b.endpoint(); u.String() != strings.Replace(raw, "/v1?", "/v1/responses?", 1) {
		t.Errorf("endpoint() = %v, want the query unchanged", u)
	}
}

func FuzzParseBaseURL(f *testing.F) {
	for _, seed := range []string{"https://h/v1", "localhost:1", "[::1]:80/x?y=z", "http://h/responses/", "http://u@h", "http://h/%2F?%zz#"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		b, err := ParseBaseURL(in)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("ParseBaseURL(%q): error of several lines: %q", in, err)
			}
			return
		}
		u := b.endpoint() // panics on what is no URL
		if u.Hostname() == "" || u.User != nil || u.Fragment != "" || !strings.HasSuffix(u.Path, "/responses") {
			t.Errorf("ParseBaseURL(%q) leads to %q", in, u)
		}
	})
}
