// Package owner says which process owns something that several processes share, possibly on
// several hosts, and whether that process has ended for certain. Names of hosts decide nothing:
// machines and containers may have equal ones.
package owner

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"sync"
)

// Process identifies a process among all hosts and boots. Empty fields are unknown.
type Process struct {
	// Host is the name of the host, for people.
	Host string `json:"host"`
	// Machine is a hash of the id of the machine, Boot the id of its boot.
	Machine string `json:"machine"`
	Boot    string `json:"boot"`
	// Namespace is the one that PID is of.
	Namespace string `json:"namespace"`
	PID       int    `json:"pid"`
	// Start is when the process started, in the form of its system. It tells a process from a
	// later one with the same id.
	Start string `json:"start"`
}

// Self returns this process.
var Self = sync.OnceValue(func() Process {
	p := Process{Machine: machine(), Boot: boot(), Namespace: namespace(), PID: os.Getpid()}
	p.Host, _ = os.Hostname() // a host without a name has an empty one
	p.Start, _ = started(p.PID)
	return p
})

// State is what this process knows of another one.
type State int

// The states of a process.
const (
	// Unknown: it is of another host, or nothing can be found out about it.
	Unknown State = iota
	// Alive: it is of this host and runs.
	Alive
	// Ended: it is of this host and has ended.
	Ended
)

// SameHost says that the processes of p are those that this process sees.
func (p Process) SameHost() bool {
	self := Self()
	known := p.Boot != "" && p.Namespace != "" && p.PID > 0
	return known && p.Machine == self.Machine && p.Boot == self.Boot && p.Namespace == self.Namespace
}

// State returns whether the process has ended.
func (p Process) State() State {
	if !p.SameHost() {
		return Unknown
	}
	start, state := started(p.PID)
	if state == Alive && p.Start != "" && start != "" && start != p.Start {
		return Ended // its id is another process's by now
	}
	return state
}

// digest shortens an id that is not to be given away: whoever knows the id of a machine may
// recognize it elsewhere.
func digest(id string) string {
	id = strings.TrimSpace(id)
	if id == "" {
		return ""
	}
	sum := sha256.Sum256([]byte("agentworld " + id))
	return hex.EncodeToString(sum[:8])
}
