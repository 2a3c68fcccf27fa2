package cli_test

import (
	"context"
	"flag"

	"example.com/agentworld"
	"example.com/agentworld/cli"
)

// A program of one's own has every command, and what its extensions add.
func ExampleMain() {
	greet := agentworld.Command{Use: "greet", Short: "greet the world",
		New: func(flags *flag.FlagSet) func(context.Context, agentworld.Program) error {
			who := flags.String("who", "world", "who it is")
			return func(_ context.Context, p agentworld.Program) error {
				p.Say("hello, " + *who)
				return nil
			}
		}}
	cli.Main(agentworld.Extension{Name: "greeter", Version: "1", Commands: []agentworld.Command{greet}})
}
