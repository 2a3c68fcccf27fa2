package main

import (
	"log"
	"syscall"
)

// prSetChildSubreaper is the option of prctl(2).
const prSetChildSubreaper = 36

// adopt makes this process the parent of descendants whose own ends.
func adopt() {
	if _, _, err := syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0); err != 0 {
		log.Fatal("adopt orphans: ", err)
	}
}
