// Package otel is an extension that sends traces and metrics of a run to an OpenTelemetry collector,
// with the semantic conventions for generative AI.
//
// It is off unless the flag --otel, the key run.otel or a variable OTEL_EXPORTER_OTLP_* asks for it, and then nothing
// is started, dialled or read.
//
// The spans of a run:
//
//	invoke_workflow SCENARIO        a run: gen_ai.workflow.name; events gen_ai.evaluation.result
//	  tick                          agentworld.tick
//	    invoke_agent AGENT          a turn: gen_ai.agent.id, agentworld.action
//	      plan AGENT                a call that can only plan, around its chat
//	      chat MODEL                a model call: gen_ai.request.*, gen_ai.response.*, gen_ai.usage.*, error.type
//	      execute_tool MODULE       a module call: gen_ai.tool.name
//	        search_memory           of a module that reads a memory: gen_ai.memory.*
//	    upsert_memory               lessons that a playbook took: gen_ai.memory.*
//
// All but ticks have gen_ai.conversation.id, the name of the run.
//
// The metrics are gen_ai.client.token.usage and gen_ai.client.operation.duration.
//
// Only what is new is exported, not the ticks that a resume or a fork derives again. An
// answer out of a recording (--replay-from) has a span, marked agentworld.recorded, and
// is in no metric, because no model was asked. No text of a prompt, of an answer or of an
// agent is ever an attribute.
package otel
