package answer

// Problem says why an answer, or a call in it, could not be used. Problems are counted
// by kind, apart from the repairs that saved an answer.
type Problem string

// The problems.
const (
	EmptyOutput   Problem = "empty_output"
	Refusal       Problem = "refusal"
	Truncated     Problem = "truncated"
	Filtered      Problem = "content_filter"
	Incomplete    Problem = "incomplete"
	NoJSON        Problem = "no_json"
	TooLarge      Problem = "too_large"
	UnknownShape  Problem = "unknown_shape"
	InvalidArgs   Problem = "invalid_arguments"
	Several       Problem = "several_decisions"
	UnknownTool   Problem = "unknown_tool"
	NotAllowedNow Problem = "not_allowed_now"
)
