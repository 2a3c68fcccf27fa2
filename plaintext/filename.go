package plaintext

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// devices are the names that Windows keeps for devices. Ports have numbers, also raised ones.
var devices = func() []string {
	names := []string{"CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"}
	for _, number := range strings.Split("123456789¹²³", "") {
		names = append(names, "COM"+number, "LPT"+number)
	}
	return names
}()

// FileName returns an error if a name cannot be that of a file on every system: Windows keeps some
// for devices, whatever follows their first dot, and drops dots and spaces at the end. It says
// nothing of the characters in it.
func FileName(name string) error {
	if name != strings.TrimRight(name, ". ") {
		return errors.New("a name cannot end in a dot or a space, which Windows drops from names of files")
	}
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	if slices.Contains(devices, stem) {
		return fmt.Errorf("%s is a name that Windows keeps for a device; choose another", stem)
	}
	return nil
}
