package cli

import "example.com/agentworld"

// identity is which program this is: its name and what it has beside this package.
type identity struct {
	// Name is the name of the program in usage texts and errors; empty is that of the main command. Extensions
	// are what is linked beside what is in this package.
	Name       string
	Extensions []agentworld.Extension
	// observed are those who observe the run besides its user.
	observed []agentworld.RunObserver
}
