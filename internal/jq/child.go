package jq

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"time"

	"github.com/itchyny/gojq"
)

// childName is the name under which a program that links this package evaluates one expression and ends.
// No shell calls a program by such a name, and no variable or flag leads here.
const childName = "agentworld jq child"

// The exit codes of the child.
const (
	// exitRuntime is how the runtime ends a process that cannot go on. A panic is an outcome, so what is left
	// is memory that the system refused and a stack that grew too far.
	exitRuntime = 2
	exitTime    = 97
	exitMemory  = 98
	exitBug     = 99
)

// lookEvery is how often the child looks at what it uses. An expression gets further than its bounds by what
// it can take in that time; the bound of the system ends what is faster.
const lookEvery = 2 * time.Millisecond

// init is the child's main function. It is here since the program of somebody else who links this package
// has a main function of its own, and has not begun.
func init() {
	if len(os.Args) == 1 && os.Args[0] == childName {
		os.Exit(child(os.Stdin, os.Stdout))
	}
}

// child reads a job and then its stream, and writes the outcome.
func child(in io.Reader, out io.Writer) int {
	signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // who started this decides how it ends
	lines := bufio.NewReader(in)
	first, err := lines.ReadBytes('\n')
	var j job
	if err != nil || json.Unmarshal(first, &j) != nil {
		return exitBug
	}
	debug.SetMemoryLimit(j.Bounds.Bytes / 8 * 7)
	debug.SetMaxStack(int(j.Bounds.Bytes / 2))
	limitMemory(j.Bounds.Bytes)
	go j.Bounds.watch()
	value, err := evaluate(j.Text, lines)
	o := outcome{Value: value}
	if err != nil {
		o.Wrong = oneLine(err.Error())
	}
	if json.NewEncoder(out).Encode(o) != nil {
		return exitBug
	}
	return 0
}

// watch ends the process once it uses more than its bounds.
func (b Bounds) watch() {
	used := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	for range time.Tick(lookEvery) {
		metrics.Read(used)
		if int64(used[0].Value.Uint64()-used[1].Value.Uint64()) > b.Bytes {
			os.Exit(exitMemory)
		}
		if processorTime() > b.Time {
			os.Exit(exitTime)
		}
	}
}

// evaluate is the value of an expression over a stream. A panic is a bug of the interpreter.
func evaluate(text string, stream *bufio.Reader) (value *float64, err error) {
	defer func() {
		if bug := recover(); bug != nil {
			err = fmt.Errorf("the interpreter failed: %v", bug)
		}
	}()
	code, err := compile(text, &inputs{lines: stream})
	if err != nil {
		return nil, err
	}
	values := code.Run(nil)
	first, any := values.Next()
	if !any {
		return nil, errors.New("it returned nothing; allowed: a number, or null for not counted")
	}
	if err, wrong := first.(error); wrong {
		return nil, err
	}
	second, more := values.Next()
	if err, wrong := second.(error); wrong {
		return nil, err
	}
	if more {
		return nil, errors.New("it returned more than one value; allowed: a number, or null for not counted")
	}
	if first == nil {
		return nil, nil
	}
	number, ok := gojq.ToFloat64(first)
	if !ok {
		return nil, fmt.Errorf("it returned %s; allowed: a number, or null for not counted", gojq.Preview(first))
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return nil, fmt.Errorf("it returned %v; allowed: a finite number, or null for not counted", number)
	}
	return &number, nil
}

// inputs are the objects of a stream, a line each.
type inputs struct{ lines *bufio.Reader }

// Next implements [gojq.Iter].
func (i *inputs) Next() (any, bool) {
	line, err := i.lines.ReadBytes('\n')
	if err == io.EOF {
		return nil, false
	}
	var v any
	if err == nil {
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber() // seeds have 64 bits
		err = d.Decode(&v)
	}
	if err != nil {
		return fmt.Errorf("read the stream: %w", err), true
	}
	return v, true
}
