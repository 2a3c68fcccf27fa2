package cli

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// errRepeated refuses a flag that takes one value and was given two.
var errRepeated = errors.New("given twice")

// onceValue is a flag that takes one value. Given again it must have the same: of two values none
// is ignored silently.
type onceValue struct {
	pflag.Value
	// text is what was given, nil before.
	text *string
}

// Set takes the value, and refuses another one.
func (v *onceValue) Set(text string) error {
	if v.text != nil && *v.text != text {
		return errRepeated
	}
	v.text = &text
	return v.Value.Set(text)
}

// refuseRepeated makes all flags of a command and of those below it refuse a second value, but
// lists and settings, which see to it themselves.
func refuseRepeated(c *cobra.Command) {
	for _, set := range []*pflag.FlagSet{c.Flags(), c.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			switch f.Value.(type) {
			case *onceValue, *flagText, pflag.SliceValue:
			default:
				f.Value = &onceValue{Value: f.Value}
			}
		})
	}
	for _, sub := range c.Commands() {
		refuseRepeated(sub)
	}
}
