package cli

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"example.com/agentworld/baseline"
	"example.com/agentworld/batch"
	"example.com/agentworld/engine"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/plaintext"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// plannedBatch is a batch file with the runs that it describes.
type plannedBatch struct {
	file batch.File
	// text is the file as it is written.
	text []byte
	// planned are its cells, and plans how those are played that differ in seed and repeat alone.
	planned batch.Planned
	plans   map[planKey]cellPlan
	// limit is the budget over all cells; currency is that of its cost.
	limit    trace.Limit
	currency string
	// environment names the settings of all cells that the environment says, each with its variable.
	environment []string
	// live says that some cell asks a model that is not embedded.
	live bool
}

// planKey is what cells of one plan have in common.
type planKey struct{ scenario, arm string }

// cellPlan is how cells are played, and what shapes their runs; the template is nil if they cannot be.
type cellPlan struct {
	plan
	template *batch.Template
	// by is the engine that plays them, nil for this program.
	by *byEngine
}

// planOf is how a cell is played.
func (b *plannedBatch) planOf(c batch.Cell) cellPlan { return b.plans[planKey{c.Scenario, c.Arm()}] }

// at is the place of a key in the file of this name.
func (b *plannedBatch) at(name string, key ...string) string {
	if line := b.file.Line(key...); line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return name + ": "
}

// cellSettings are the settings that a batch file cannot give a cell: they are about one run and
// its files, or about the machine.
var cellSettings = []string{
	"run.scenario", "run.seed", "run.run_dir", "run.report_json", "run.replay_from", "run.replay_miss", "run.print_llm_io",
	"run.llm_io_max_chars", "run.quiet", "run.log_level", "run.log_timestamps", "llm.api_key",
	"run.dashboard", "run.dashboard_listen", "run.dashboard_host", "run.control", "run.paused",
}

// readBatch reads a batch file, or makes that of a suite with flags, and plans its runs: everything that can
// be refused is refused before the first one is played, with all that is wrong at once. keyless says that no model is
// asked, so that no key is needed.
func readBatch(m *Main, name string, keyless bool, flags *pflag.FlagSet, repeats int) (*plannedBatch, error) {
	data, err := batchText(m, name, flags, repeats)
	if err != nil {
		return nil, err
	}
	b := &plannedBatch{text: data, plans: map[planKey]cellPlan{}}
	b.file, err = batch.Parse(data, m.metrics.list)
	m.metrics.list = b.file.Metrics
	problems := batch.Problems(err)
	all := m.table()
	for _, s := range settingsIn(b.file) {
		known, ok := all.ByKey(s.Key)
		table, key, _ := strings.Cut(s.Key, ".")
		if s.Key == batch.ScenarioKey {
			continue // it is read with those of the batch
		}
		if s.Key == batch.EngineKey {
			if text := m.engines.unnamed(s.Text); text != "" {
				problems = append(problems, &batch.Problem{Line: s.Line, Text: text})
			}
			continue
		}
		switch allowed := all.Keys(table); {
		case table == batch.WorldTable: // what reads the scenario says what is wrong
		case table == settings.AgentsTable && key != "":
			if text := wrongAgentModel(key, s.Text); text != "" {
				problems = append(problems, &batch.Problem{Line: s.Line, Text: text})
			}
		case s.Key == "llm.base_url" && secretIn(s.Text):
			problems = append(problems, &batch.Problem{Line: s.Line,
				Text: "llm.base_url has a secret in its query, which the batch directory would keep; allowed: a URL without it, " +
					"and the key in the environment or in config.toml"})
		case ok && (m.extended(s.Key) || slices.Contains(cellSettings, s.Key) || known.Kind == settings.KindAgents):
			problems = append(problems, &batch.Problem{Line: s.Line,
				Text: fmt.Sprintf("%s cannot be set for a cell; allowed: other keys, this one where the command is run", s.Key)})
		case !ok && len(allowed) > 0:
			problems = append(problems, &batch.Problem{Line: s.Line,
				Text: fmt.Sprintf("unknown key %s; allowed: %s", shown(key), strings.Join(allowed, ", "))})
		case !ok:
			problems = append(problems, &batch.Problem{Line: s.Line,
				Text: fmt.Sprintf("unknown table %s; allowed: llm, run, agents, world", shown(table))})
		}
	}
	if text := m.engines.unused(b.file); text != "" && len(problems) == 0 {
		problems = append(problems, &batch.Problem{Text: text})
	}
	var lines []string
	for _, p := range problems {
		place := name
		if p.Line > 0 {
			place += ":" + strconv.Itoa(p.Line)
		}
		lines = append(lines, place+": "+p.Text)
	}
	if len(b.file.Scenarios) > 0 && b.file.Size() <= batch.CellsMost {
		of, err := planCells(m, name, b, keyless, len(problems) == 0)
		if err != nil {
			return nil, err
		}
		lines = append(lines, of...)
	}
	if len(lines) > 0 {
		return nil, badInputs(lines)
	}
	return b, nil
}

// wrongAgentModel says what is wrong with a model of an agent in a batch file, empty for nothing.
func wrongAgentModel(agent, text string) string {
	models, err := settings.ParseAgentModels(agent + "=" + text)
	switch {
	case err != nil:
		return "agents: " + errorText(err)
	case len(models) != 1:
		return fmt.Sprintf("agents: %s has not one model; allowed: MODEL[@URL][,key_env=NAME]", shown(agent))
	case secretIn(models[0].BaseURL):
		return fmt.Sprintf("agents: the URL of %s has a secret in its query, which the batch directory would keep; allowed: "+
			"a URL without it, and key_env", shown(agent))
	}
	return ""
}

// agentModelsIn are the models of agents among the settings of a cell as one text, a later one in place of an
// earlier one, with the line of the last.
func agentModelsIn(list []batch.Setting) (text string, line int) {
	models := map[string]string{}
	for _, s := range list {
		if agent, is := strings.CutPrefix(s.Key, settings.AgentsTable+"."); is {
			models[agent] = agent + "=" + s.Text
			line = s.Line
		}
	}
	var texts []string
	for _, agent := range slices.Sorted(maps.Keys(models)) {
		texts = append(texts, models[agent])
	}
	return strings.Join(texts, " "), line
}

// worldFieldsIn are the fields of the scenario among the settings of a cell, a later one in place of an earlier
// one, and where the last is in the file.
func worldFieldsIn(list []batch.Setting, file string) (fields []scenario.Field, at string) {
	for _, s := range list {
		if path, is := strings.CutPrefix(s.Key, batch.WorldTable+"."); is {
			fields = append(fields, scenario.Field{Path: path, Value: s.Text})
			at = file + ":" + strconv.Itoa(s.Line)
		}
	}
	return fields, at
}

// secretIn says that a URL has a query with what looks like a secret.
func secretIn(text string) bool {
	url, err := openai.ParseBaseURL(text)
	if err != nil {
		return false // it is refused later
	}
	_, asWritten, _ := strings.Cut(text, "?")
	_, shown, _ := strings.Cut(url.String(), "?")
	return asWritten != shown
}

// settingsIn are all settings of a file.
func settingsIn(f batch.File) []batch.Setting {
	list := slices.Clone(f.Settings)
	for _, axis := range f.Axes {
		for _, v := range axis.Values {
			list = append(list, v.Settings...)
		}
	}
	return list
}

// planCells plans the runs of all cells. What is wrong with the settings is in problems, each
// once; the error is that of a configuration file. whole says that all of the batch file could be read:
// otherwise cells may be alike since what tells them apart is wrong.
func planCells(m *Main, name string, b *plannedBatch, keyless, whole bool) (problems []string, err error) {
	all := m.table()
	var file settings.File
	if m.runAround() == "" {
		file, err = m.loadConfigFile("", all)
		if err != nil {
			return nil, err
		}
	}
	problems, b.environment = shapingConfig(m, name, b.file, file, all)
	// Cells share most of their settings, and with them what is wrong.
	refused := func(err error) {
		for _, line := range problemsIn(err) {
			if !slices.Contains(problems, line) {
				problems = append(problems, line)
			}
		}
	}
	err = batchLimit(m, b.at(name, "budget", "cost"), b)
	refused(err)
	for c := range b.file.Combinations() {
		key := planKey{c.Cell.Scenario, c.Cell.Arm()}
		of, known := b.plans[key]
		if !known {
			of, err = planArm(m, name, b, c, keyless, file)
			refused(err)
			b.plans[key] = of
		}
		if of.template == nil {
			continue
		}
		same, added := b.planned.Add(c.Cell, of.template, of.seeds(c))
		if !added && whole {
			idle := ""
			if keys := apart(b.planOf(same).Values, of.Values); len(keys) > 0 {
				idle = ": no decision depends on " + strings.Join(keys, ", ")
			}
			refused(badInput("%s%s and %s are the same run%s; allowed: axes whose values differ",
				b.at(name, differing(same, c.Cell)...), shown(same.Name()), shown(c.Cell.Name()), idle))
		}
		if len(problems) >= problemsMost {
			break
		}
	}
	return problems, nil
}

// problemsIn are all that an error says is wrong; none for nil.
func problemsIn(err error) []string {
	if all, several := errors.AsType[problems](err); several {
		return all
	}
	if err == nil {
		return nil
	}
	return []string{errorText(err)}
}

// planArm plans the cells that differ from c in seed and repeat alone. The error says why they cannot be played.
func planArm(m *Main, name string, b *plannedBatch, c batch.Combination, keyless bool,
	file settings.File) (of cellPlan, err error) {
	all := m.table()
	scenarioName, scenarioLine := c.Cell.Scenario, b.file.ScenariosLine
	if at := slices.IndexFunc(c.Settings, func(s batch.Setting) bool { return s.Key == batch.ScenarioKey }); at >= 0 {
		scenarioName, scenarioLine = c.Settings[at].Text, c.Settings[at].Line
	}
	if _, _, embedded := scenario.Embedded(scenarioName); !embedded && !filepath.IsAbs(scenarioName) {
		scenarioName = filepath.Join(filepath.Dir(name), scenarioName)
	}
	set := map[string]settings.Value{}
	put := func(key, text string, line int) {
		if s, ok := all.ByKey(key); ok {
			set[key] = settings.Value{Setting: s, Text: text,
				Origin: settings.Origin{Rank: settings.FromFile, At: name + ":" + strconv.Itoa(line)}}
		}
	}
	put("run.scenario", scenarioName, scenarioLine)
	put("run.run_dir", "cell", 0) // an attempt says where it is
	if !c.OwnSeed {
		put("run.seed", strconv.FormatUint(c.Cell.Seed, 10), 0)
	}
	for _, s := range c.Settings {
		put(s.Key, s.Text, s.Line)
	}
	if models, line := agentModelsIn(c.Settings); models != "" {
		put(settings.AgentsTable, models, line)
	}
	planned := func(s settings.Setting) (settings.Value, bool) {
		v, ok := set[s.Key]
		return v, ok
	}
	values := settings.Resolve(all, planned, settings.Environment(m.LookupEnv), file.Source())
	m.keys = append(m.keys, values.Keys()...)
	config, err := newConfig(trace.DefaultSettings(), values)
	if err != nil { // the scenario may be wrong beside settings
		_, _, _, missing := chooseScenario(m, values.Find("run.scenario"), nil)
		return of, badInputs(append(problemsIn(err), problemsIn(missing)...))
	}
	config.estimateOnly = keyless
	// A batch file may come from somebody else, and so may what it calls an endpoint.
	config.own = settings.Resolve(all, settings.Environment(m.LookupEnv), file.Source())
	config.fields, config.fieldsAt = worldFieldsIn(c.Settings, name)
	p, err := m.newPlan(config, nil, nil)
	if err != nil {
		return of, err
	}
	if text := notOfSuite(b.at(name, "suite"), b.file.Suite, p.Settings); text != "" {
		return of, badInput("%s", text)
	}
	b.currency, err = batch.Payable(b.currency, p.Settings, b.limit)
	if errors.Is(err, batch.ErrCurrencies) {
		return of, badInput("%s: %w; allowed: one currency", name, err)
	}
	if err != nil {
		return of, badInput("%s%w; allowed: prices of all models and tiers under [settings.llm], or a budget on calls or "+
			"tokens", b.at(name, "budget", "cost"), err)
	}
	b.live = b.live || p.Live()
	of = cellPlan{plan: p, template: batch.TemplateOf(p.Settings, b.limit)}
	if at := slices.IndexFunc(c.Settings, func(s batch.Setting) bool { return s.Key == batch.EngineKey }); at >= 0 {
		if text := uncapped(b.limit, p.Settings.Caps.Run); text != "" {
			return cellPlan{}, badInput("%s:%d: %s", name, c.Settings[at].Line, text)
		}
		of.by = engineOf(m.engines[c.Settings[at].Text], p)
		of.template = batch.TemplateOfProgram(of.by.hash, p.Settings, b.limit)
	}
	of.session = nil // its world would be kept until the last cell is played
	of.asked.PlaybookFile = ""
	return of, nil
}

// steady are the scenarios and arms whose repeats are one and the same run, as notes: every agent is played by a seat
// that draws nothing.
func (b *plannedBatch) steady() (notes []string) {
	if b.file.Repeats < 2 {
		return nil
	}
	players := baseline.Players()
	draws := func(s trace.AgentSeat) bool {
		_, ours := players[s.Seat]
		return !ours || s.Seat == baseline.RandomPlayer
	}
	for key, of := range b.plans {
		seated := of.template != nil && of.Settings.ModelSource == trace.SourceNone
		if seated && !slices.ContainsFunc(of.Settings.Seats, draws) {
			notes = append(notes, fmt.Sprintf("the %d repeats of %s, %s, are one and the same run: no seat of it draws, so "+
				"that they tell no more than one", b.file.Repeats, shown(key.scenario), shown(key.arm)))
		}
	}
	slices.Sort(notes)
	return notes
}

// foresight says as a note how far cells ask ahead, and what that may cost; nothing where none does. elsewhere says
// that a coordinator hands the cells out.
func (b *plannedBatch) foresight(elsewhere bool) (notes []string) {
	depth, waste := int64(0), int64(0)
	for _, of := range b.plans {
		if of.Ahead == 0 {
			continue
		}
		never := engine.NeverAhead(of.Settings, false)
		switch {
		case of.by != nil:
			never = "of cells that another program plays"
		case elsewhere:
			never = "of cells that a coordinator hands out"
		}
		if never != "" {
			notes = append(notes, "nothing is asked ahead "+never)
			continue
		}
		depth = max(depth, of.Ahead)
		waste = max(waste, of.AheadWaste)
	}
	if depth > 0 {
		notes = append(notes, fmt.Sprintf("models are asked up to %s ahead; calls in vain, at most %d%% of those of a run, "+
			"are paid beside its caps, and count in the budget of the batch", plaintext.Count(depth, "tick"), waste))
	}
	slices.Sort(notes)
	return slices.Compact(notes)
}

// seeds are those of a cell of the plan: where nothing sets them, all are the seed of the instance.
func (of cellPlan) seeds(c batch.Combination) batch.Seeds {
	seeds := batch.SeedsOf(of.Settings)
	if c.OwnSeed {
		return seeds
	}
	seeds.World = c.Cell.Seed
	if of.Values.Find("llm.scripted_seed").Text == "" {
		seeds.Scripted = seeds.World
	}
	if of.Values.Find("llm.fault_seed").Text == "" {
		seeds.Faults = seeds.World
	}
	return seeds
}

// problemsMost bounds the problems that are listed at once.
const problemsMost = 20

// differing is the key in a batch file of the first axis value in which two cells differ, or of the
// scenarios.
func differing(a, b batch.Cell) []string {
	for _, l := range b.Labels {
		if a.Label(l.Axis) != l.Value {
			return []string{"axes", l.Axis, l.Value}
		}
	}
	return []string{"scenarios"}
}

// apart are the settings that two plans have otherwise though they shape no run, such as run.ahead.
func apart(one, other settings.Values) (keys []string) {
	for i, v := range other {
		if !v.Setting.Shapes && one[i].Text != v.Text {
			keys = append(keys, v.Setting.Key)
		}
	}
	return keys
}

// batchLimit reads the budget of a batch, which is at a place.
func batchLimit(m *Main, place string, b *plannedBatch) error {
	b.limit.Calls, b.limit.Tokens = b.file.Budget.Calls, b.file.Budget.Tokens
	text := b.file.Budget.Cost
	if text == "" {
		return nil
	}
	s, _ := settings.Caps().ByKey("llm.cap_cost")
	if err := s.Read(text, &b.limit.Cost); err != nil {
		return badInput("%sbudget.cost: %v", place, err)
	}
	return nil
}
