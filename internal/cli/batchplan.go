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

	"example.com/agentworld/batch"
	"example.com/agentworld/internal/settings"
	"example.com/agentworld/llmclient/openai"
	"example.com/agentworld/trace"
	"example.com/agentworld/world/scenario"
)

// plannedBatch is a batch file with the runs that it describes.
type plannedBatch struct {
	file batch.File
	// text is the file as it is written.
	text  []byte
	cells []batch.Planned
	// plans are how each cell is played.
	plans map[batch.ID]plan
	// limit is the budget over all cells; currency is that of its cost.
	limit    trace.Limit
	currency string
	// live says that some cell asks a model that is not embedded.
	live bool
}

// matrix is its cells without their settings.
func (b *plannedBatch) matrix() (cells []batch.Cell) {
	for _, c := range b.cells {
		cells = append(cells, c.Cell)
	}
	return cells
}

// cellSettings are the settings that a batch file cannot give a cell: they are about one run and
// its files, or about the machine.
var cellSettings = []string{
	"run.scenario", "run.seed", "run.run_dir", "run.report_json", "run.replay_from", "run.replay_miss", "run.print_llm_io",
	"run.llm_io_max_chars", "run.quiet", "run.log_level", "run.log_timestamps", "llm.api_key",
	"run.dashboard", "run.dashboard_listen", "run.control", "run.paused",
}

// readBatch reads a batch file, or makes that of a suite with flags, and plans each of its runs: everything that can
// be refused is refused before the first one is played, with all that is wrong at once.
func readBatch(m *Main, name string, flags *pflag.FlagSet, repeats int) (*plannedBatch, error) {
	data, err := m.batchText(name, flags, repeats)
	if err != nil {
		return nil, err
	}
	b := &plannedBatch{text: data, plans: map[batch.ID]plan{}}
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
		switch allowed := all.Keys(table); {
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
				Text: fmt.Sprintf("unknown table %s; allowed: llm, run, agents", shown(table))})
		}
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
		of, err := planCells(m, name, b, len(problems) == 0)
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
func planCells(m *Main, name string, b *plannedBatch, whole bool) (problems []string, err error) {
	all := m.table()
	var file settings.File
	if m.runAround() == "" {
		file, err = m.loadConfigFile("", all)
		if err != nil {
			return nil, err
		}
	}
	refused := func(err error) bool {
		if err != nil && !slices.Contains(problems, errorText(err)) {
			problems = append(problems, errorText(err))
		}
		return err != nil
	}
	// at is the place of a key in the file.
	at := func(key ...string) string {
		place := name
		if line := b.file.Line(key...); line > 0 {
			place += ":" + strconv.Itoa(line)
		}
		return place + ": "
	}
	err = batchLimit(m, at("budget", "cost"), b)
	refused(err)
	placed := map[batch.ID]batch.Cell{}
	for _, c := range b.file.Combinations() {
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
		if refused(err) {
			continue
		}
		p, err := m.newPlan(config, nil, nil)
		if refused(err) {
			continue
		}
		if text := notOfSuite(at("suite"), b.file.Suite, p.Settings); text != "" {
			refused(badInput("%s", text))
			continue
		}
		one := c.Cell.Planned(p.Settings, b.limit)
		p.Settings = one.Settings
		b.currency, err = batch.Payable(b.currency, p.Settings, b.limit)
		if errors.Is(err, batch.ErrCurrencies) {
			refused(badInput("%s: %w; allowed: one currency", name, err))
			continue
		}
		if err != nil {
			refused(badInput("%s%w; allowed: prices of all models and tiers under [settings.llm], or a budget on calls or "+
				"tokens", at("budget", "cost"), err))
			continue
		}
		p.session = nil // its world would be kept until the cell is played
		p.asked.Settings, p.asked.PlaybookFile = p.Settings, ""
		if before, twice := placed[one.Cell.ID]; twice && whole {
			refused(badInput("%s%s and %s are the same run; allowed: axes whose values differ",
				at(differing(before, one.Cell)...), shown(before.Name()), shown(one.Cell.Name())))
			continue
		}
		placed[one.Cell.ID] = one.Cell
		b.plans[one.Cell.ID] = p
		b.live = b.live || p.Live()
		b.cells = append(b.cells, one)
		if len(problems) >= problemsMost {
			break
		}
	}
	return problems, nil
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
