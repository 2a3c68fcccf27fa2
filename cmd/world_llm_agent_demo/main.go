package main

import "os"

// main is the only place that touches the process: it catches its signals, runs
// the program with its arguments and streams, and passes the exit code on.
func main() {
	ctx, stop := interruptible(os.Stderr)
	code := NewMain(os.Args[1:]).Run(ctx)
	stop()
	os.Exit(code)
}
