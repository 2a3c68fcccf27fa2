package jq

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Bounds are what one evaluation may take.
type Bounds struct {
	// Time is processor time where the system tells it, else time on the clock.
	Time time.Duration `json:"time"`
	// Bytes is memory, that of the interpreter included.
	Bytes int64 `json:"bytes"`
}

// Default are the bounds of every expression of a user.
var Default = Bounds{Time: 10 * time.Second, Bytes: 256 << 20}

// Errors of an evaluation that took too much. What they were is in the text of the error.
var (
	ErrTime   = errors.New("it took more than the processor time that it is allowed")
	ErrMemory = errors.New("it took more than the memory that it is allowed")
)

// WrongError says why an expression has no value for a stream.
type WrongError string

// Error is what is wrong.
func (e WrongError) Error() string { return string(e) }

// job is the first line that the child reads.
type job struct {
	Text   string `json:"text"`
	Bounds Bounds `json:"bounds"`
}

// outcome is the line that the child writes: a value that is a number or null, or what is wrong.
type outcome struct {
	Value *float64 `json:"value"`
	Wrong string   `json:"wrong,omitempty"`
}

// Eval computes the value of the expression over what stream writes: JSON objects, a line each. A nil value
// is null. The error is [ErrTime] or [ErrMemory] with the bound, a [WrongError], or that of the stream, of ctx,
// or of starting a process.
func (e Expression) Eval(ctx context.Context, b Bounds, stream func(io.Writer) error) (*float64, error) {
	program, err := self()
	if err != nil {
		return nil, fmt.Errorf("find the program for a process of its own: %w", err)
	}
	c := exec.CommandContext(ctx, program)
	c.Args = []string{childName}
	c.Env = []string{"TZ=UTC", "GOMAXPROCS=1"}
	c.Dir = os.TempDir()
	in, err := c.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start a process for a jq expression: %w", err)
	}
	answer := capped{most: 1 << 10}
	said := capped{most: 4 << 10}
	c.Stdout = &answer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		return nil, fmt.Errorf("start a process for a jq expression: %w", err)
	}
	to := &feed{w: in}
	failed := json.NewEncoder(to).Encode(job{e.text, b})
	if failed == nil {
		failed = stream(to)
	}
	_ = in.Close() // the child may have ended before
	err = c.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, b.ended(c.ProcessState.ExitCode(), said.text)
	case failed != nil && to.err == nil: // the stream failed, not the feeding
		return nil, failed
	}
	var o outcome
	if err := json.Unmarshal(answer.text, &o); err != nil {
		return nil, fmt.Errorf("the process of a jq expression answered %q", oneLine(string(answer.text)))
	}
	if o.Wrong != "" {
		return nil, WrongError(o.Wrong)
	}
	return o.Value, nil
}

// self is the program of this process. Where the system has a name for it, that is used: a file that was
// replaced meanwhile is another program, which may not know the child.
func self() (string, error) {
	const running = "/proc/self/exe"
	if _, err := os.Stat(running); err == nil {
		return running, nil
	}
	return os.Executable()
}

// ended is the error of a child that ended with a code, and wrote a text to its standard error.
func (b Bounds) ended(code int, said []byte) error {
	switch {
	case code == exitTime:
		return fmt.Errorf("%w, %s", ErrTime, b.Time)
	case code == exitMemory, code == exitRuntime:
		return fmt.Errorf("%w, %d MB", ErrMemory, b.Bytes>>20)
	}
	return fmt.Errorf("the process of a jq expression ended with code %d: %q", code, oneLine(string(said)))
}

// feed writes to the child, and remembers that it takes no more.
type feed struct {
	w   io.Writer
	err error
}

func (f *feed) Write(p []byte) (n int, err error) {
	n, f.err = f.w.Write(p)
	return n, f.err
}

// capped keeps the beginning of what is written to it.
type capped struct {
	text []byte
	most int
}

func (c *capped) Write(p []byte) (int, error) {
	c.text = append(c.text, p[:min(len(p), c.most-len(c.text))]...)
	return len(p), nil
}
