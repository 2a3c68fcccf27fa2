package toolserver

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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

// process starts a program as a server and talks to it over its standard input and output. It implements
// [mcp.Transport].
type process struct {
	*exec.Cmd
	// flooded is called when a message is too long.
	flooded func()
}

// Connect implements [mcp.Transport]. The end of ctx does not end the program.
func (p process) Connect(ctx context.Context) (mcp.Connection, error) {
	out, err := p.StdoutPipe()
	if err != nil {
		return nil, err
	}
	in, err := p.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := p.Start(); err != nil {
		return nil, err
	}
	kill := func() {
		p.flooded()
		_ = p.Process.Kill() // it may have ended by now
	}
	// Blank lines are no message, and count for the library alone.
	bounds := &bounded{Reader: out, most: messageBytesMax, lines: true, passed: kill}
	transport := mcp.IOTransport{Reader: io.NopCloser(bounds),
		Writer: stopping{in, p.Cmd}, MaxLineLength: 2 * messageBytesMax}
	return transport.Connect(ctx)
}

// stopping is the standard input of a program, which ends with it: by itself, when it is told to, or at once.
type stopping struct {
	io.WriteCloser
	program *exec.Cmd
}

// Close waits for the end of the program. The error is that of a program that did not end by itself.
func (s stopping) Close() error {
	if err := s.WriteCloser.Close(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- s.program.Wait() }()
	for _, demand := range []os.Signal{syscall.SIGTERM, os.Kill} {
		select {
		case err := <-ended:
			return err
		case <-time.After(closeWait):
		}
		_ = s.program.Process.Signal(demand) // it may have ended by now
	}
	return <-ended
}

// errTooLong says that a server said more than is read of it.
var errTooLong = errors.New("a message of the server is too long")

// bounded reads up to most bytes: in all, or with lines of each line. Blank lines count with the line that
// follows. A byte more calls passed and is an error.
type bounded struct {
	io.Reader
	most   int
	lines  bool
	passed func()

	size  int
	words bool // the line is not blank
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	for _, c := range p[:n] {
		b.size++
		switch {
		case b.size > b.most:
			b.passed()
			return 0, errTooLong
		case b.lines && c == '\n' && b.words:
			b.size = 0
			b.words = false
		case c > ' ':
			b.words = true
		}
	}
	return n, err
}

// endpoint sends the user's headers with each request, and bounds the responses.
type endpoint struct {
	headers map[string]string
	// flooded is called when a response is too long.
	flooded func()
}

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
	answer.Body = body{&bounded{Reader: answer.Body, most: responseBytesMax, passed: e.flooded}, answer.Body}
	return answer, nil
}

// body is a body of which only so much is read.
type body struct {
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
