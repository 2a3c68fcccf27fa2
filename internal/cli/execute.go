package cli

import "os"

// Execute is the program of this process: it catches its signals, runs with its
// arguments and streams, and exits with the exit code.
func Execute() {
	ctx, stop := interruptible(os.Stderr)
	code := NewMain(os.Args[1:]).Run(ctx)
	stop()
	os.Exit(code)
}
