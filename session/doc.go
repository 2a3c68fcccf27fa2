// Package session takes settings to a finished run. The command line, a batch, a worker, the page and
// programs of others play runs through it alone, each with what the others can do:
//
//	s, err := session.New(session.Config{Settings: settings, Dir: "runs/first"})
//	result, err := s.Run(ctx)
//	fmt.Print(result.Report.Text())
//
// [New] begins a run, [Resume] continues one, [Fork] leaves one after a tick. Each returns a [Session],
// which has checked all that can be checked without a call or a file of its own:
//
//	New, Resume, Fork   settings complete and checked, the world built: reads only
//	Create              the run directory
//	Open                models reachable: clients, the embedded server; no call yet
//	Run                 all calls, the trace, the report; creates and opens what is not yet
//	Close               gives back what was claimed and opened
//
// [Interview] asks agents of a run, [School] learns from finished runs.
//
// Rules, held by tests:
//
//  1. Nothing here reads an environment, a home directory or a configuration: keys are handed over,
//     see package access.
//  2. Errors are typed and know settings by their keys; the words of a command line are its own.
//  3. What a caller may want to see while a run is played reaches it through one [Listener].
package session
