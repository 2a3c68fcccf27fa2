// Why a turn had no answer, in words.
export const reasons = {
	timeout: 'the model took too long', deadline: 'the turn took too long', cap: 'a cap refused the call',
	abandoned: 'the tick was given up', interrupted: 'the run was interrupted', not_recorded:
		'it is not in the recording',
	auth: 'the key was refused', forbidden: 'the provider forbids it', model_not_found: 'there is no such model',
	insufficient_quota: 'the quota is used up', rate_limited: 'too many requests',
	context_overflow: 'the prompt was longer than the model reads', bad_request: 'the provider refused the request',
	server_error: 'the provider failed', connection: 'the connection broke', malformed_body: 'the reply was no reply',
	error_object: 'the reply was an error', failed_response: 'the provider reported a failure',
	unfinished_response: 'the reply was not finished', seat: 'its seat made no move', seat_error:
		'its seat made no move',
	guard_rejected: 'the guard refused all it proposed', world_would_refuse:
		'the world would have refused all it proposed',
	reasoning_step_failed: 'its reasoning could not be read', context_window_full: 'the context window was full',
	rounds_used_up: 'it decided nothing in all its calls', empty_output: 'the answer was empty',
	refusal: 'the model refused', truncated: 'the answer was cut off', content_filter:
		'the provider filtered the answer',
	incomplete: 'the answer was incomplete', malformed_call: 'its call could not be read',
	endless: 'it repeated itself without end', no_json: 'it wrote prose and called nothing', too_large:
		'it was too long',
	unknown_shape: 'it had no known form', invalid_arguments: 'its arguments could not be used',
	several_decisions: 'two decisions in it', unknown_tool: 'it called a tool that does not exist',
	not_allowed_now: 'it called a tool that is not allowed then',
};
