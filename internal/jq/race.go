//go:build race

package jq

// racing says that the race detector takes memory of its own, a multiple of the program's.
const racing = true
