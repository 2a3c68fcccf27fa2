// Package child is how this program starts another one and ends it: in a process group of its own, so that a Ctrl-C at
// the terminal reaches this program alone, which then decides. On Linux the other program is asked to end if this one
// is killed. What it writes is data of others.
//
//	words := &child.LastWords{}
//	c := exec.Command(program, args...)
//	c.Stderr = words
//	ended, err := child.Start(c)
//	child.Ask(c) // it may finish what it does
//	child.Kill(c)
//	err = <-ended
package child
