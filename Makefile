# Few verbs; .ci/run is what decides.
.PHONY: check demo bench long mutants module release scores

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

check: ## formatting, vet, staticcheck, tidy, all tests, most with the race detector
	@test -z "$$(gofmt -l .)" || { echo "not gofmt-clean:"; gofmt -l .; exit 1; }
	go vet ./...
	go run $(STATICCHECK) ./...
	go mod tidy -diff
	go test -shuffle=on ./...
	go test -race -shuffle=on $$(go list ./... | grep -v '/internal/cli$$')
	go test -race -run 'Line|CtrlC|Interrupt|Observer|Quiet' ./internal/cli

demo: ## the main job, offline
	go run ./cmd/world_llm_agent_demo llm_bootstrap --ticks 30 --report-json .tmp/report.json

bench: ## benchmarks; figures with their machine go to BENCHMARKS.md
	go test -run '^$$' -bench . -benchmem ./...

module: ## rename the module: make module MODULE=github.com/you/agentworld
	@test -n "$(MODULE)" || { echo "usage: make module MODULE=PATH (its first element has a dot)"; exit 2; }
	old=$$(go list -m) && go mod edit -module "$(MODULE)" && \
	git ls-files '*.go' | xargs perl -pi -e 's{"\Q'"$$old"'\E(?=[/"])}{"$(MODULE)}g' && \
	perl -pi -e 's{\Q'"$$old"'\E\b}{$(MODULE)}g' docs/*.md

release: ## archives for Linux, macOS and Windows with their sums, in .tmp/release
	go run ./.ci/release

long: ## the full-size checks: all tests with long runs and swarms, fuzzing (well over an hour)
	AGENT_WORLD_LONG=1 go test -timeout 90m -count=1 ./... ./.ci/release
	AGENT_WORLD_LONG=1 go test -race -timeout 90m -count=1 -run OddSeats ./engine
	go test -run '^$$' -fuzz '^FuzzParse$$' -fuzztime 10m -fuzzminimizetime 20x ./world
	go test -run '^$$' -fuzz '^FuzzApply$$' -fuzztime 10m -fuzzminimizetime 20x ./world
	go test -run '^$$' -fuzz '^FuzzItems$$' -fuzztime 10m -fuzzminimizetime 20x ./llmclient
	go test -run '^$$' -fuzz '^FuzzAnswers$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior
	go test -run '^$$' -fuzz '^FuzzText$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior
	go test -run '^$$' -fuzz '^FuzzItemLists$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior
	go test -run '^$$' -fuzz '^FuzzEvaluate$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior/policy
	go test -run '^$$' -fuzz '^FuzzReader$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior/answer
	go test -run '^$$' -fuzz '^FuzzFindObjects$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior/answer
	go test -run '^$$' -fuzz '^FuzzDecodeAction$$' -fuzztime 10m -fuzzminimizetime 20x ./behavior/answer
	go test -run '^$$' -fuzz '^FuzzParse$$' -fuzztime 10m -fuzzminimizetime 20x ./memory/playbook
	go test -run '^$$' -fuzz '^FuzzCompare$$' -fuzztime 10m -fuzzminimizetime 20x ./report/stats
	go test -count=1 -run '^TestGames$$' ./behavior/policy -rapid.checks 100000
	GOMAXPROCS=1 go test -run '^$$' -bench 'ApplyMix|TickMix|SparseTick|ViewScale|Belt' -benchmem -count 5 ./world
	go test -run '^$$' -bench 'Decision|Replay' -count 5 ./engine
	go test -run '^$$' -bench '10000' -benchmem -count 5 ./memory
	go test -run '^$$' -bench 'Retrieve' -benchmem -count 5 ./memory/playbook
	go test -run '^$$' -bench 'Evaluate' -benchmem -count 5 ./behavior/policy
	go test -run '^$$' -bench 'GuardShare' -count 5 -benchtime 200x ./behavior
	mkdir -p .tmp
	go test ./internal/guardlab -run Search -search 100000 -seed 1 -search.json "$(CURDIR)/.tmp/guard-search.json" -timeout 0 -v

SEARCH = 0
scores: ## what players without a model and the embedded model score in all tasks; SEARCH=500 looks for better plans
	go test ./baseline -update -search $(SEARCH) -timeout 0
	go test . -run '^TestEmbeddedModelScores$$' -update -timeout 0
	go test ./baseline -run '^TestSuiteReferences$$' -update -timeout 0

mutants: ## how well the search for harm finds holes that a machine makes in the guard (hours)
	mkdir -p .tmp
	go test ./internal/guardlab -run '^TestMutants$$' -v -timeout 0 -mutants 20 -seeds 20 -mutants.out testdata/mutants.json
