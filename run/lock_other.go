//go:build !linux

package run

import "os"

// lockOpen counts every file as locked: there are no locks of an open file description.
func lockOpen(*os.File) (held bool, err error) { return true, nil }
