package main

import (
	"log"

	"golang.org/x/sys/unix"
)

// adopt makes this process the parent of descendants whose own ends.
func adopt() {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		log.Fatal("adopt orphans: ", err)
	}
}
