package toolserver

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"

	"example.com/agentworld/plaintext"
)

// passedOn are the variables of this process that a program cannot do without. None of them is a key.
var passedOn = []string{"PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SystemRoot", "USERPROFILE", "PATHEXT"}

// environment is that of a program with its own variables.
func environment(own []string) (all []string) {
	for _, name := range passedOn {
		if value, set := os.LookupEnv(name); set {
			all = append(all, name+"="+value)
		}
	}
	return append(all, own...)
}

// lastWords keeps the end of what a program writes to its standard error.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

// lastWordsMax bounds them in bytes, and what is shown of them in characters.
const lastWordsMax = 400

// Write implements [io.Writer].
func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	w.text = w.text[max(0, len(w.text)-lastWordsMax):]
	return len(p), nil
}

// said is the last line, for the user whose program it is.
func (w *lastWords) said() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(w.text)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return "; it said: " + plaintext.Clip(plaintext.Line(last), lastWordsMax)
	}
	return ""
}

// endpoint sends the user's headers with each request, and bounds the responses.
type endpoint struct{ headers map[string]string }

// RoundTrip implements [http.RoundTripper].
func (e endpoint) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range e.headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = bounded{io.LimitReader(answer.Body, responseBytesMax), answer.Body}
	return answer, nil
}

// bounded is a body of which only so much is read.
type bounded struct {
	io.Reader
	io.Closer
}

// sameHost refuses a redirect to another host, which would get the headers.
func sameHost(r *http.Request, before []*http.Request) error {
	if r.URL.Host != before[0].URL.Host || r.URL.Scheme != before[0].URL.Scheme || len(before) > 3 {
		return errors.New("the endpoint redirects elsewhere")
	}
	return nil
}
