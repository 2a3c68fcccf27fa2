//go:build !unix

package cli

// reportFileSize does nothing: only Unix bounds the files of a process.
func reportFileSize() {}
