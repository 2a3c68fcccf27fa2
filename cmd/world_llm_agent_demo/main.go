package main

import "os"

func main() {
	ctx, stop := interruptible(os.Stderr)
	code := NewMain(os.Args[1:]).Run(ctx)
	stop()
	os.Exit(code)
}
