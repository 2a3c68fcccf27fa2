package cli

import (
	"fmt"
	"reflect"

	"github.com/spf13/pflag"
)

// addOptions gives a command a flag for each field of *options that has a tag flag, which is its name. The
// tag doc is its help, and what the field holds the default.
func addOptions(flags *pflag.FlagSet, options any) {
	of := reflect.ValueOf(options).Elem()
	for i := range of.NumField() {
		tag := of.Type().Field(i).Tag
		name, doc := tag.Get("flag"), tag.Get("doc")
		if name == "" {
			continue
		}
		switch to := of.Field(i).Addr().Interface().(type) {
		case *bool:
			flags.BoolVar(to, name, *to, doc)
		case *string:
			flags.StringVar(to, name, *to, doc)
		case *int:
			flags.IntVar(to, name, *to, doc)
		case *int64:
			flags.Int64Var(to, name, *to, doc)
		case *uint64:
			flags.Uint64Var(to, name, *to, doc)
		case *float64:
			flags.Float64Var(to, name, *to, doc)
		case *[]string:
			flags.StringArrayVar(to, name, *to, doc)
		default:
			panic(fmt.Sprintf("cli: a flag of type %T", to))
		}
	}
}
