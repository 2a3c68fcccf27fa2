package openai

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"example.com/agentworld/llmclient"
)

// TestRefusalsOfProviders holds the kinds against what servers of today answer, shortened,
// each to a request for the model "acme/tiny-1".
func TestRefusalsOfProviders(t *testing.T) {
	for _, c := range []struct {
		server string
		status int
		body   string
		want   llmclient.ErrorKind
	}{
		// No such model.
		{"OpenAI", 400, `{"error":{"message":"The requested model 'acme/tiny-1' does not exist.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, llmclient.ErrModelNotFound},
		{"OpenAI, no access", 403, `{"error":{"message":"Project does not have access to model acme/tiny-1","type":"invalid_request_error","param":null,"code":"model_not_found"}}`, llmclient.ErrModelNotFound},
		{"Azure", 404, `{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}`, llmclient.ErrModelNotFound},
		{"Ollama", 404, `{"error":{"message":"model 'acme/tiny-1' not found","type":"not_found_error","param":null,"code":null}}`, llmclient.ErrModelNotFound},
		{"Ollama, older", 404, `{"error":{"message":"model \"acme/tiny-1\" not found, try pulling it first","type":"api_error","param":null,"code":null}}`, llmclient.ErrModelNotFound},
		{"vLLM", 404, `{"object":"error","message":"The model acme/tiny-1 does not exist.","type":"NotFoundError","param":null,"code":404}`, llmclient.ErrModelNotFound},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"model not found: acme/tiny-1","type":"invalid_request_error"}}`, llmclient.ErrModelNotFound},
		{"LM Studio", 404, `{"error":{"message":"No models loaded. Please load a model in the developer page.","type":"invalid_request_error","param":"model","code":"model_not_found"}}`, llmclient.ErrModelNotFound},
		{"OpenRouter", 400, `{"error":{"message":"acme/tiny-1 is not a valid model ID","code":400}}`, llmclient.ErrModelNotFound},
		{"OpenRouter, none", 404, `{"error":{"message":"No endpoints found for acme/tiny-1.","code":404}}`, llmclient.ErrModelNotFound},
		{"Groq, gone", 400, `{"error":{"message":"The model acme/tiny-1 has been decommissioned and is no longer supported.","type":"invalid_request_error","code":"model_decommissioned"}}`, llmclient.ErrModelNotFound},
		{"Together", 404, `{"id":"o","error":{"message":"Unable to access model acme/tiny-1. Please visit the list of supported models.","type":"invalid_request_error","param":null,"code":"model_not_available"}}`, llmclient.ErrModelNotFound},
		{"Mistral", 400, `{"object":"error","message":"Invalid model: acme/tiny-1","type":"invalid_model","param":null,"code":"1500"}`, llmclient.ErrModelNotFound},
		{"LiteLLM", 400, `{"error":{"message":"/responses: Invalid model name passed in model=acme/tiny-1. Call /v1/models to view available models for your key.","type":"None","param":"None","code":"400"}}`, llmclient.ErrModelNotFound},
		{"DeepSeek", 400, `{"error":{"message":"Model Not Exist","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}`, llmclient.ErrModelNotFound},
		{"Gemini", 404, `[{"error":{"code":404,"message":"models/acme/tiny-1 is not found for API version v1main, or is not supported.","status":"NOT_FOUND"}}]`, llmclient.ErrModelNotFound},
		{"xAI", 404, `{"code":"Some requested entity was not found","error":"The model acme/tiny-1 does not exist or your team does not have access to it."}`, llmclient.ErrModelNotFound},
		{"Anthropic", 404, `{"type":"error","error":{"type":"not_found_error","message":"model: acme/tiny-1"}}`, llmclient.ErrModelNotFound},
		{"Hugging Face", 400, `{"error":{"message":"The requested model 'acme/tiny-1' is not supported by any provider you have enabled.","type":"invalid_request_error","param":"model","code":"model_not_supported"}}`, llmclient.ErrModelNotFound},
		{"a gateway with 200", 200, `{"error":{"message":"model acme/tiny-1 not found","code":404}}`, llmclient.ErrModelNotFound},
		// Too long.
		{"OpenAI", 400, `{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","type":"invalid_request_error","param":"input","code":"context_length_exceeded"}}`, llmclient.ErrContext},
		{"OpenAI, per minute", 429, `{"error":{"message":"Request too large for acme/tiny-1 on tokens per min (TPM): Limit 30000, Requested 50000.","type":"tokens","param":null,"code":"rate_limit_exceeded"}}`, llmclient.ErrContext},
		{"vLLM", 400, `{"object":"error","message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.","type":"BadRequestError","param":null,"code":400}`, llmclient.ErrContext},
		{"vLLM, newer", 400, `{"error":{"message":"The decoder prompt (length 9000) is longer than the maximum model length of 8192.","type":"BadRequestError","param":null,"code":400}}`, llmclient.ErrContext},
		{"llama.cpp", 400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, llmclient.ErrContext},
		{"llama.cpp, older", 500, `{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size","type":"server_error"}}`, llmclient.ErrContext},
		{"LM Studio", 400, `{"error":"Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens"}`, llmclient.ErrContext},
		{"Ollama", 400, `{"error":{"message":"prompt too long; exceeded max context length by 12 tokens","type":"invalid_request_error","param":null,"code":null}}`, llmclient.ErrContext},
		{"Groq", 413, `{"error":{"message":"Request too large for model acme/tiny-1 on tokens per minute (TPM)","type":"tokens","code":"rate_limit_exceeded"}}`, llmclient.ErrContext},
		{"Groq, too", 400, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, llmclient.ErrContext},
		{"Together", 422, `{"error":{"message":"Input validation error: inputs tokens + max_new_tokens must be <= 4097. Given: 4000 inputs tokens","type":"invalid_request_error"}}`, llmclient.ErrContext},
		{"Mistral", 400, `{"object":"error","message":"Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_prompt","code":"3051"}`, llmclient.ErrContext},
		{"LiteLLM", 400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: prompt is too long","type":null,"param":null,"code":"400"}}`, llmclient.ErrContext},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 200251 tokens > 199999 maximum"}}`, llmclient.ErrContext},
		{"Gemini", 400, `[{"error":{"code":400,"message":"The input token count (1500000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}]`, llmclient.ErrContext},
		{"SGLang", 400, `{"object":"error","message":"Input length (9000 tokens) exceeds the maximum allowed length (8191 tokens).","code":400}`, llmclient.ErrContext},
		{"Bedrock", 400, `{"message":"Input is too long for requested model."}`, llmclient.ErrContext},
		{"nginx", 413, "<html><head><title>413 Request Entity Too Large</title></head></html>", llmclient.ErrContext},
		// A wrong address.
		{"OpenAI", 404, `{"error":{"message":"Invalid URL (POST /responses)","type":"invalid_request_error","param":null,"code":null}}`, llmclient.ErrWrongPath},
		{"Azure", 404, `{"error":{"code":"404","message":"Resource not found"}}`, llmclient.ErrWrongPath},
		{"Ollama, without the API", 404, "404 page not found", llmclient.ErrWrongPath},
		{"vLLM and FastAPI", 404, `{"detail":"Not Found"}`, llmclient.ErrWrongPath},
		{"llama.cpp", 404, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`, llmclient.ErrWrongPath},
		{"LM Studio", 200, `{"error":"Unexpected endpoint or method. (POST /responses). Returning 200 anyway"}`, llmclient.ErrWrongPath},
		{"Groq", 404, `{"error":{"message":"Unknown request URL: POST /responses. Please check the URL for typos.","type":"invalid_request_error","code":"unknown_url"}}`, llmclient.ErrWrongPath},
		{"Mistral and Kong", 404, `{"message":"no Route matched with those values","request_id":"x"}`, llmclient.ErrWrongPath},
		{"Express", 404, "<!DOCTYPE html><pre>Cannot POST /responses</pre>", llmclient.ErrWrongPath},
		{"a page about models", 404, "<!DOCTYPE html><h1>Not found</h1> All models do not exist acme/tiny-1", llmclient.ErrWrongPath},
		{"Spring", 404, `{"timestamp":"t","status":404,"error":"Not Found","path":"/responses"}`, llmclient.ErrWrongPath},
		{"Python", 501, "<html>Unsupported method ('POST')</html>", llmclient.ErrWrongPath},
		// Keys and credit.
		{"Gemini", 400, `[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]`, llmclient.ErrAuth},
		{"xAI", 400, `{"code":"Client specified an invalid argument","error":"Incorrect API key provided: ab"}`, llmclient.ErrAuth},
		{"Azure", 401, `{"error":{"code":"401","message":"Access denied due to invalid subscription key or wrong API endpoint."}}`, llmclient.ErrAuth},
		{"vLLM", 401, `{"error":"Unauthorized"}`, llmclient.ErrAuth},
		{"OpenRouter", 402, `{"error":{"message":"Insufficient credits. Add more","code":402}}`, llmclient.ErrQuota},
		{"Anthropic", 400, `{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the API."}}`, llmclient.ErrQuota},
		{"LiteLLM", 400, `{"error":{"message":"Budget has been exceeded! Current cost: 1.0, Max budget: 0.5","type":"budget_exceeded","param":null,"code":"400"}}`, llmclient.ErrQuota},
		{"xAI", 403, `{"code":"x","error":"Your newly created team doesn't have any credits yet."}`, llmclient.ErrQuota},
		// A scheme, and a proxy that wants a password.
		{"nginx", 400, "<html><center>The plain HTTP request was sent to HTTPS port</center></html>", llmclient.ErrTLS},
		{"Go", 400, "Client sent an HTTP request to an HTTPS server.\n", llmclient.ErrTLS},
		{"a proxy", 407, "", llmclient.ErrProxy},
		// In words of others, in codes with capitals, and under the wrong status.
		{"a retired model", 410, `{"error":{"message":"The model acme/tiny-1 has been retired"}}`, llmclient.ErrModelNotFound},
		{"Hugging Face, a format", 400, `{"error":{"message":"Model acme/tiny-1 is not a supported model for format openai"}}`, llmclient.ErrModelNotFound},
		{"Zhipu", 400, `{"error":{"code":"1211","message":"模型不存在，请检查模型代码。"}}`, llmclient.ErrModelNotFound},
		{"DashScope", 400, `{"code":"InvalidParameter","message":"Range of input length should be [1, 30720]"}`, llmclient.ErrContext},
		{"New API", 403, `{"error":{"code":"insufficient_user_quota","message":"用户额度不足"}}`, llmclient.ErrQuota},
		{"OpenRouter, a key", 403, `{"error":{"message":"Key limit exceeded (total limit)","code":403}}`, llmclient.ErrQuota},
		{"DeepSeek", 400, `{"error":{"message":"Content Exists Risk","type":"invalid_request_error"}}`, llmclient.ErrPromptFilter},
		{"Bedrock, a guardrail", 400, `{"message":"Guardrail intervened"}`, llmclient.ErrPromptFilter},
		{"Groq, a forced call", 400, `{"error":{"message":"Tool choice is required, but model did not call a tool","type":"invalid_request_error"}}`, llmclient.ErrMalformedCall},
		{"Groq, arguments", 400, `{"error":{"message":"tool call validation failed: errors: ['/candidates': minItems 1, 'store' not allowed]","code":"tool_use_failed"}}`, llmclient.ErrMalformedCall},
		{"vLLM, a forced call", 400, `{"error":{"message":"1 validation error for list[function-wrap[__log_extra_fields__()]] Invalid JSON: expected value"}}`, llmclient.ErrMalformedCall},
		{"a rate as 400", 400, `{"error":{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded, please try again later."}}`, llmclient.ErrRateLimited},
		{"an overload as 400", 400, `{"error":{"message":"The engine is currently overloaded, please try again later"}}`, llmclient.ErrServer},
		// What only looks like one of them.
		{"a long answer", 400, `{"error":{"message":"max_tokens is too large: 4000. This model supports at most 1000 completion tokens"}}`, llmclient.ErrBadRequest},
		{"a key of the cache", 400, `{"error":{"message":"Invalid prompt_cache_key: string too long"}}`, llmclient.ErrBadRequest},
		{"a refused parameter", 400, `{"error":{"message":"Unsupported parameter: 'temperature' is not supported with this model.","type":"invalid_request_error","param":"temperature","code":null}}`, llmclient.ErrBadRequest},
		{"a parameter of a model", 400, `{"error":{"message":"Invalid value: 'reasoning.effort' is not supported by the model acme/tiny-1, unknown value.","type":"invalid_request_error","param":"reasoning.effort","code":"invalid_value"}}`, llmclient.ErrBadRequest},
		{"a slow server", 408, `{"error":{"message":"The request took too long for this model."}}`, llmclient.ErrBadRequest},
		{"a long id", 400, `{"error":{"message":"Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64.","type":"invalid_request_error","param":"input[1].call_id","code":"string_above_max_length"}}`, llmclient.ErrBadRequest},
		{"a lost item", 404, `{"error":{"message":"Item with id 'rs_1' not found. Items are not persisted when store is false.","type":"invalid_request_error","param":"input","code":null}}`, llmclient.ErrBadRequest},
		{"a minimum", 400, `{"error":{"message":"Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.","type":"invalid_request_error","param":"max_output_tokens","code":"integer_below_min_value"}}`, llmclient.ErrBadRequest},
		{"no tools", 400, `{"error":{"message":"registry.ollama.ai/library/acme/tiny-1 does not support tools","type":"api_error","param":null,"code":null}}`, llmclient.ErrBadRequest},
		{"a rate", 429, `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan. Please retry in 12s.","status":"RESOURCE_EXHAUSTED"}}]`, llmclient.ErrRateLimited},
		{"a firewall", 403, "<html><title>Attention Required!</title></html>", llmclient.ErrForbidden},
		{"a loading model", 503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, llmclient.ErrServer},
		{"a repeated prompt", 422, `{"detail":[{"loc":["body","input"],"msg":"bad","input":"model acme/tiny-1 does not exist"}]}`, llmclient.ErrBadRequest},
	} {
		p := newProvider(t, says(c.status, c.body))
		client, _ := newClient(t, Config{BaseURL: p.URL, RetriesMax: -1})
		r := request()
		r.Model = "acme/tiny-1"
		if answer := client.Respond(t.Context(), r); kindOf(answer) != c.want {
			t.Errorf("%s, %d: %+v, want %s", c.server, c.status, answer.Failure, c.want)
		}
	}
}

// TestProxies reaches for an endpoint through a proxy that is gone and one that refuses.
func TestProxies(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	refusing := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusProxyAuthRequired) }))
	defer refusing.Close()
	for _, c := range []struct{ proxy, base, part string }{
		{gone.URL, "http://model.example/v1", "the connection was refused"},
		{gone.URL, "https://model.example/v1", "the connection was refused"},
		{refusing.URL, "https://model.example/v1", "407"},
		{refusing.URL, "http://model.example/v1", "407"},
	} {
		at, err := url.Parse(c.proxy)
		if err != nil {
			t.Fatal(err)
		}
		client, _ := newClient(t, Config{BaseURL: c.base, RetriesMax: -1})
		client.carrier.Transport.(*http.Transport).Proxy = http.ProxyURL(at)
		answer := client.Respond(t.Context(), request())
		if kindOf(answer) != llmclient.ErrProxy || !strings.Contains(answer.Failure.Message, c.part) {
			t.Errorf("%s by way of %s: %+v", c.base, c.proxy, answer.Failure)
		}
	}
}
