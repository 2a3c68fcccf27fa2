package scenario

import (
	"slices"

	"example.com/agentworld/world"
)

// Suite is a frozen set of instances of built-in tasks, to be cited by its name. Those who play all of
// them under its settings can be compared.
type Suite struct {
	// Name is the name of the suite, such as "aw-1". Another set has another name.
	Name string
	// Tasks are the built-in tasks that it plays, in the order of its tables.
	Tasks []string
	// Seeds are the instances that it plays of each task.
	Seeds []uint64
}

// suiteInstances is how many instances of each task a suite has.
const suiteInstances = 20

// Suites are all suites.
func Suites() []Suite {
	aw1 := Suite{Name: "aw-1", Tasks: []string{
		"task_production_chips_40", "task_production_data_60", "task_production_hardware_50", "task_production_dim_120",
		"task_survival_blackout_100", "task_survival_depleted_120", "task_survival_distant_power_60",
		"task_survival_two_hops_150",
		"task_cooperation_dark_forge_80", "task_cooperation_standstill_100", "task_cooperation_power_only_120",
		"task_cooperation_rescue_60",
	}}
	for n := range uint64(suiteInstances) {
		aw1.Seeds = append(aw1.Seeds, SuiteSeeds+n)
	}
	return []Suite{aw1}
}

// SuiteNamed finds a suite.
func SuiteNamed(name string) (s Suite, ok bool) {
	all := Suites()
	i := slices.IndexFunc(all, func(s Suite) bool { return s.Name == name })
	if i < 0 {
		return Suite{}, false
	}
	return all[i], true
}

// World is the world of a task of the suite. Its instances are those of the seeds.
func (s Suite) World(task string) world.Scenario {
	w, _, ok := Embedded(task)
	if !ok || w.Task == nil {
		panic("scenario: the suite " + s.Name + " has no task " + task)
	}
	return w
}
