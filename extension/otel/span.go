package otel

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
	"go.opentelemetry.io/otel/trace"

	"example.com/agentworld/engine"
)

// Attributes of this program, which no convention has.
const (
	keyScenario   = attribute.Key("agentworld.scenario")
	keyTick       = attribute.Key("agentworld.tick")
	keyStage      = attribute.Key("agentworld.stage")
	keyEffort     = attribute.Key("agentworld.request.reasoning_effort")
	keyStep       = attribute.Key("agentworld.step")
	keyAction     = attribute.Key("agentworld.action")
	keyReflection = attribute.Key("agentworld.reflect")
	keyRecorded   = attribute.Key("agentworld.recorded")
)

// What the conventions have since they have a repository of their own, and the package of their
// names has not yet.
const (
	keyStore   = attribute.Key("gen_ai.memory.store.id")
	keyRecords = attribute.Key("gen_ai.memory.record.count")
)

var (
	operationPlan         = semconv.GenAIOperationNameKey.String("plan")
	operationSearchMemory = semconv.GenAIOperationNameKey.String("search_memory")
	operationUpsertMemory = semconv.GenAIOperationNameKey.String("upsert_memory")
)

// storePlaybook is the part of an agent's memory that holds its lessons. memories are the parts
// that modules read, by module.
const storePlaybook = "playbook"

var memories = map[string]string{"memory.short_term.recent": "short_term", "memory.long_term.search": "long_term"}

// moduleUnknown replaces the name of a module that does not exist: the model wrote that
// name.
const moduleUnknown = "unknown"

// Begin implements engine.Observer.
func (t *telemetry) Begin(ctx context.Context, s engine.Span) (context.Context, func(engine.Ending)) {
	began := time.Now()
	if s.Kind == engine.SpanRun {
		t.conversation = s.Run
	}
	kind := trace.SpanKindInternal
	if s.Kind == engine.SpanModelCall {
		kind = trace.SpanKindClient
	}
	name, known := beginning(s)
	if s.Kind != engine.SpanTick {
		known = append(known, semconv.GenAIConversationID(t.conversation))
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(began),
		trace.WithAttributes(known...))
	return ctx, func(e engine.Ending) {
		span.SetAttributes(ending(s, e)...)
		if s.Kind == engine.SpanModuleCall {
			t.searched(ctx, s, e, began)
		}
		if usesTool(s) {
			span.SetName("execute_tool " + cmp.Or(e.Module, moduleUnknown))
		}
		if e.Error != "" {
			span.SetAttributes(semconv.ErrorTypeKey.String(e.Error))
			span.SetStatus(codes.Error, e.Error)
		}
		if s.Kind == engine.SpanRun {
			t.run, t.ended = span, time.Now() // its evaluation comes
			return
		}
		span.End()
		if s.Kind == engine.SpanModelCall && !(e.Answer != nil && e.Answer.Recorded) {
			t.measure(ctx, s, e, time.Since(began))
		}
	}
}

// beginning is a span's name, an operation and what it is done to as the conventions
// say, and the attributes that are known when it begins.
func beginning(s engine.Span) (name string, list []attribute.KeyValue) {
	tick := keyTick.Int64(s.Tick)
	agent := semconv.GenAIAgentID(s.Agent)
	model := semconv.GenAIRequestModel(s.Model)
	switch s.Kind {
	case engine.SpanRun:
		return "invoke_workflow " + s.Scenario,
			[]attribute.KeyValue{semconv.GenAIOperationNameInvokeWorkflow, semconv.GenAIWorkflowName(s.Scenario),
				keyScenario.String(s.Scenario), model}
	case engine.SpanPlan:
		return "plan " + s.Agent, []attribute.KeyValue{tick, operationPlan, agent, semconv.GenAIAgentName(s.Agent)}
	case engine.SpanPlaybook:
		return "upsert_memory", []attribute.KeyValue{tick, operationUpsertMemory, agent,
			keyStore.String(s.Agent + "/" + storePlaybook)}
	case engine.SpanTick:
		return "tick", []attribute.KeyValue{tick}
	case engine.SpanTurn:
		return "invoke_agent " + s.Agent,
			[]attribute.KeyValue{tick, semconv.GenAIOperationNameInvokeAgent, agent, semconv.GenAIAgentName(s.Agent),
				semconv.GenAIProviderNameOpenAI, model, keyReflection.Bool(s.Reflecting)}
	case engine.SpanModelCall:
		list = append([]attribute.KeyValue{tick, semconv.GenAIOperationNameChat, agent, semconv.GenAIProviderNameOpenAI,
			model, keyStage.String(string(s.Stage)), keyStep.Int(s.Step)}, server(s.BaseURL)...)
		if n := s.Sampling.MaxOutputTokens; n > 0 {
			list = append(list, semconv.GenAIRequestMaxTokens(n))
		}
		if v, err := s.Sampling.Temperature.Float64(); err == nil {
			list = append(list, semconv.GenAIRequestTemperature(v))
		}
		if v, err := s.Sampling.TopP.Float64(); err == nil {
			list = append(list, semconv.GenAIRequestTopP(v))
		}
		if effort := s.Sampling.ReasoningEffort; effort != "" {
			list = append(list, keyEffort.String(effort))
		}
		if tier := s.Sampling.Tier(); tier != "" {
			list = append(list, semconv.OpenAIRequestServiceTierKey.String(tier))
		}
		return "chat " + s.Model, list
	}
	return "execute_tool", []attribute.KeyValue{tick, semconv.GenAIOperationNameExecuteTool, agent,
		semconv.GenAIToolType("function")}
}

// server is where calls go: host and port, never the query, which may hold a key.
func server(baseURL string) []attribute.KeyValue {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	list := []attribute.KeyValue{semconv.ServerAddress(u.Hostname())}
	if port, err := strconv.Atoi(u.Port()); err == nil {
		list = append(list, semconv.ServerPort(port))
	}
	return list
}

// searched adds a span to that of a module which reads a memory.
func (t *telemetry) searched(ctx context.Context, s engine.Span, e engine.Ending, began time.Time) {
	store, reads := memories[e.Module]
	if !reads {
		return
	}
	_, span := t.tracer.Start(ctx, "search_memory", trace.WithTimestamp(began),
		trace.WithAttributes(keyTick.Int64(s.Tick), operationSearchMemory,
			semconv.GenAIAgentID(s.Agent), semconv.GenAIConversationID(t.conversation), keyStore.String(s.Agent+"/"+store),
			keyRecords.Int(e.Records)))
	if e.Error != "" {
		span.SetAttributes(semconv.ErrorTypeKey.String(e.Error))
		span.SetStatus(codes.Error, e.Error)
	}
	span.End()
}

// ending is what is known when it ends.
func ending(s engine.Span, e engine.Ending) []attribute.KeyValue {
	switch {
	case s.Kind == engine.SpanTurn && e.Action != "":
		return []attribute.KeyValue{keyAction.String(e.Action)}
	case s.Kind == engine.SpanPlaybook:
		return []attribute.KeyValue{keyRecords.Int(e.Records)}
	case usesTool(s):
		return []attribute.KeyValue{semconv.GenAIToolName(cmp.Or(e.Module, moduleUnknown))}
	case s.Kind == engine.SpanModelCall && e.Answer != nil:
		var list []attribute.KeyValue
		if r := e.Answer.Reply; r != nil {
			// Why it is not whole, or its status.
			list = append(list, semconv.GenAIResponseFinishReasons(cmp.Or(r.IncompleteReason, r.Status)),
				semconv.GenAIUsageInputTokens(int(r.Usage.Input)), semconv.GenAIUsageOutputTokens(int(r.Usage.Output)),
				semconv.GenAIUsageCacheReadInputTokens(int(r.Usage.Cached)),
				semconv.GenAIUsageReasoningOutputTokens(int(r.Usage.Reasoning)))
			if n := r.Usage.Written; n > 0 {
				list = append(list, semconv.GenAIUsageCacheCreationInputTokens(int(n)))
			}
			if tier := r.Usage.ServiceTier; tier != "" {
				list = append(list, semconv.OpenAIResponseServiceTier(tier))
			}
			if r.ID != "" {
				list = append(list, semconv.GenAIResponseID(r.ID))
			}
			if r.Model != "" {
				list = append(list, semconv.GenAIResponseModel(r.Model))
			}
		}
		if e.Answer.Recorded {
			list = append(list, keyRecorded.Bool(true))
		}
		return list
	}
	return nil
}

// measure records the metrics of a model call. Agents and ticks are no dimensions: each
// would be a series of its own for as long as a collector keeps them.
func (t *telemetry) measure(ctx context.Context, s engine.Span, e engine.Ending, took time.Duration) {
	list := append([]attribute.KeyValue{semconv.GenAIRequestModel(s.Model)}, server(s.BaseURL)...)
	timed := list
	if e.Error != "" {
		timed = append(timed[:len(timed):len(timed)], semconv.ErrorTypeKey.String(e.Error))
	}
	t.duration.Record(ctx, took.Seconds(), genaiconv.OperationNameChat, genaiconv.ProviderNameOpenAI, timed...)
	if e.Answer == nil || e.Answer.Reply == nil {
		return
	}
	usage := e.Answer.Reply.Usage
	t.tokens.Record(ctx, usage.Input, genaiconv.OperationNameChat, genaiconv.ProviderNameOpenAI, genaiconv.TokenTypeInput,
		list...)
	t.tokens.Record(ctx, usage.Output, genaiconv.OperationNameChat, genaiconv.ProviderNameOpenAI,
		genaiconv.TokenTypeOutput, list...)
}

// usesTool reports whether a span is the call of a module or of a user's tool.
func usesTool(s engine.Span) bool {
	return s.Kind == engine.SpanModuleCall || s.Kind == engine.SpanToolCall
}
