//go:build unix

package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"slices"
	"strings"
	"syscall"
)

// yardstick does what the tests do most, reading and writing JSON, hashing and filling
// maps, and returns the CPU seconds that took.
func yardstick() float64 {
	before := cpu(syscall.RUSAGE_SELF)
	type item struct {
		Name   string            `json:"name"`
		Counts map[string]int    `json:"counts"`
		Notes  []string          `json:"notes"`
		Extra  map[string]string `json:"extra"`
	}
	hash := sha256.Sum256(nil)
	for range 4000 {
		it := item{Name: hex.EncodeToString(hash[:]), Counts: map[string]int{}, Extra: map[string]string{}}
		for i, b := range hash {
			key := hex.EncodeToString(hash[i/2 : i/2+4])
			it.Counts[key] += int(b)
			it.Notes = append(it.Notes, strings.Repeat(key, 1+int(b)%4))
			it.Extra[key] = it.Name
		}
		text, err := json.Marshal(it)
		if err != nil {
			log.Fatal(err)
		}
		var back item
		var loose any
		if json.Unmarshal(text, &back) != nil || json.Unmarshal(text, &loose) != nil || len(back.Counts) != len(it.Counts) {
			log.Fatal("JSON does not come back")
		}
		slices.Sort(back.Notes)
		hash = sha256.Sum256([]byte(strings.Join(back.Notes, " ")))
	}
	return cpu(syscall.RUSAGE_SELF) - before
}

// cpu is the CPU time so far, in seconds, of this process or of its children that have ended.
func cpu(who int) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(who, &u); err != nil {
		log.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
