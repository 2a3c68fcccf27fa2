package modules

// Leniency names one repair that let an argument through although it was not
// written as the schema asks. Each is recorded and counted under its own name; a
// repaired value passes the same checks as a clean one. The names are stable:
// traces and reports count by them.
type Leniency string

// The leniencies.
const (
	// EmptyArguments: the argument text was empty and was read as {}.
	EmptyArguments Leniency = "empty_arguments"
	// DoubleEncoded: the arguments were a JSON string that held JSON.
	DoubleEncoded Leniency = "double_encoded"
	// DuplicateKey: an object named a field twice; the last value counts.
	DuplicateKey Leniency = "duplicate_key"
	// TextFromObject: an object was given where JSON text was asked for.
	TextFromObject Leniency = "text_from_object"
	// NumberFromString: a number was given as a string, such as "20".
	NumberFromString Leniency = "number_from_string"
	// FractionDropped: a number was rounded down to an integer.
	FractionDropped Leniency = "fraction_dropped"
	// NameVariant: an action or event name was spelled in another case or with
	// other separators, such as moveAgent.
	NameVariant Leniency = "name_variant"
	// UnusedArgument: a value was given that the action has no use for.
	UnusedArgument Leniency = "unused_argument"
	// NamedParameter: a parameter was written under its own name instead of in its
	// slot, such as compound_mass_g for amount. It is counted once per action.
	NamedParameter Leniency = "named_parameter"
	// TextCleaned: a free text was cut to its bound or lost characters that cannot
	// be shown on one line.
	TextCleaned Leniency = "text_cleaned"
	// ThresholdName: the value of a condition was called value_lte or value_gte.
	ThresholdName Leniency = "threshold_name"
	// DefaultUntil: a standing order named no condition; a rejected attempt, which
	// always ends one, became its condition.
	DefaultUntil Leniency = "default_until"
	// DefaultMaxTicks: a standing order left out how long it may last.
	DefaultMaxTicks Leniency = "default_max_ticks"
)

// The leniencies of reading text that is not quite JSON. Each is counted once per
// text that needed it.
const (
	// ExtraComma: a comma before a closing bracket, or several in a row.
	ExtraComma Leniency = "extra_comma"
	// MissingComma: nothing between two elements.
	MissingComma Leniency = "missing_comma"
	// SingleQuotes: strings in single quotes.
	SingleQuotes Leniency = "single_quotes"
	// WidePunctuation: typographic quotes, full-width colons or wide spaces.
	WidePunctuation Leniency = "wide_punctuation"
	// QuoteToken: a chat template's token where a quote belongs.
	QuoteToken Leniency = "quote_token"
	// UnquotedKey: a field's name without quotes.
	UnquotedKey Leniency = "unquoted_key"
	// UnquotedText: a single word without quotes as a value.
	UnquotedText Leniency = "unquoted_text"
	// ForeignLiteral: None, True, False or undefined.
	ForeignLiteral Leniency = "foreign_literal"
	// Comment: a comment of a programming language.
	Comment Leniency = "comment"
	// EscapeRepaired: a character in a string that should have been escaped, or an
	// escape that JSON does not have.
	EscapeRepaired Leniency = "escape_repaired"
	// DoubledBraces: an object alone in a second pair of braces.
	DoubledBraces Leniency = "doubled_braces"
	// InvisibleRemoved: a byte order mark or characters of no width outside of
	// values.
	InvisibleRemoved Leniency = "invisible_characters_removed"
	// Unfenced: the object stood in a fenced code block.
	Unfenced Leniency = "unfenced"
	// StrayBracket: brackets around the object that belong to nothing.
	StrayBracket Leniency = "stray_bracket"
	// CallSyntax: the object stood between the marks with which a chat template
	// writes down a call.
	CallSyntax Leniency = "call_syntax"
	// ProseAround: other text around the object was passed over.
	ProseAround Leniency = "prose_around_json"
	// ListOfOne: the object was the only element of a list.
	ListOfOne Leniency = "list_of_one"
)

// The leniencies of names.
const (
	// ActionAlias: an action was called by another word of the registry's table.
	ActionAlias Leniency = "action_alias"
	// FieldAlias: a field was called by another name of the registry's table.
	FieldAlias Leniency = "field_alias"
)

// repairs collects the leniencies that reading one argument text needed, in the
// order in which they were needed. One kind may occur several times.
type repairs struct {
	leniencies []Leniency
}

// use records leniencies.
func (r *repairs) use(used ...Leniency) { r.leniencies = append(r.leniencies, used...) }
